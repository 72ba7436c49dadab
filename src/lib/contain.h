/* SPDX-License-Identifier: GPL-3.0-or-later */
/* contain - what a library may do wrong with bytes that others sent: its crash does not end the program, and writing behind its
 * buffer is a crash. */
#pragma once

#include <stddef.h>

/* Calls `call`; *result: what it returned. 0, or the signal by which it crashed (SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL): what it
 * used, locks and memory too, stays as it is and must not be used again. Only crashes of the calling thread; not to be nested. */
int contain_call(int (*call)(void *arg), void *arg, int *result);

/* A warning about a crash, of which strsignal() is the argument; whose bytes they were follows. */
#define CONTAIN_CRASHED "the library that reads the display crashed (%s) on what came from "

struct contained_memory {
	void *at; /* NULL: none */
	size_t mapped;
};

/* Frees what is there and allocates `bytes` of zeros, with `behind` bytes after them that cannot be used, from the next page on.
 * Returns m->at. */
void *contain_memory(struct contained_memory *m, size_t bytes, size_t behind);
void contain_free(struct contained_memory *m);

/* A picture of 4 bytes a pixel. No rectangle that RFB can name within the width ends behind the guarded
 * part (on 32-bit machines that part has at most 64 MiB). NULL: no memory, no
 * pixels, or more than CONTAIN_PIXELS_MOST. */
void *contain_picture(struct contained_memory *m, int width, int height);
#ifndef CONTAIN_PIXELS_MOST
#define CONTAIN_PIXELS_MOST (1u << 28) /* a server may claim 65535x65535, 17 GB */
#endif
