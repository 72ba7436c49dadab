/* SPDX-License-Identifier: GPL-3.0-or-later */
/* contain - what a library may do wrong with bytes that others sent: its crash does not end the program, and writing behind its
 * buffer is a crash. */
#pragma once

#include <stddef.h>

/* Calls `call`; *result: what it returned. 0, or the signal by which it crashed (proc_crashes): then nothing that it
 * used may be used again, since data and locks are left as they were. Only crashes of the calling thread; not to be nested. */
int contain_call(int (*call)(void *arg), void *arg, int *result);

/* A warning about a crash. Its argument is sigabbrev_np(signal), since strsignal() may allocate; the name of the sender follows. */
#define CONTAIN_CRASHED "the library that reads the display crashed (SIG%s) on what came from "

struct contained_memory {
	void *at; /* NULL: none */
	size_t mapped;
};

/* Frees what is in *m and allocates a picture of width x height pixels of 4 bytes, all 0. From the next page on, the memory behind
 * it cannot be used, as far as the farthest rectangle of that width that RFB can name (on 32-bit machines at most 64 MiB). Returns
 * m->at. NULL: no memory, no pixels, or more than CONTAIN_PIXELS_MOST. */
void *contain_picture(struct contained_memory *m, int width, int height);
void contain_free(struct contained_memory *m);
#ifndef CONTAIN_PIXELS_MOST
#define CONTAIN_PIXELS_MOST (1u << 28) /* a server may claim 65535x65535, 17 GB */
#endif
