/* SPDX-License-Identifier: GPL-3.0-or-later */
/* apart - what a library may do wrong with bytes that others sent: it works in a process of its own, whose crash takes nothing with
 * it that was measured, and where writing behind its picture is a crash. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* An array of n elements, all 0, that children forked later share. Ends the program where there is no memory. */
void *apart_new(size_t n, size_t size);
void apart_delete(void *array); /* for this process; NULL: nothing */

/* Forks: 0 in the child, which is killed when its parent dies. Ends the program where no process can be made. */
pid_t apart_start(void);
/* The same, but the parent waits for the child's end, and passes stop signals on to it. True in the child, which is now the one
 * that removes an open report (rec_adopt()). False in the parent; *status: as of waitpid(). */
bool apart_fork(int *status);
/* The signal by which it crashed (proc_crashes); 0: it did not. */
int apart_crash(int status);

/* A warning about a crash. Its argument is sigabbrev_np(signal); the name of the sender follows. */
#define APART_KILLED "the process that reads the display was killed"
#define APART_CRASHED "the library that reads the display crashed (SIG%s) on what came from "

struct apart_memory {
	void *at; /* NULL: none */
	size_t mapped;
};

/* Allocates a picture of width x height pixels of 4 bytes, all 0, and frees what was in *m. From the next page on, the memory
 * behind it cannot be used, as far as the farthest rectangle of that width that RFB can name (on 32-bit machines at most 64 MiB).
 * Returns m->at. NULL: no memory, no pixels, or more than APART_PIXELS_MOST; then *m is as it was, since a library may go on
 * drawing. */
void *apart_picture(struct apart_memory *m, int width, int height);
void apart_free(struct apart_memory *m);
#define APART_MEMORY_MOST ((size_t)1 << 30) /* of the process: a screen of 8K takes 0.4 GB with the library's copies */
#ifndef APART_PIXELS_MOST
#define APART_PIXELS_MOST (1u << 28) /* a server may claim 65535x65535, 17 GB */
#endif
