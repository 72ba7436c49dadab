/* SPDX-License-Identifier: GPL-3.0-or-later */
/* growing_file - a file that is written piece by piece, each piece in one write, so that a killed process leaves whole pieces
 * only. */
#pragma once

#include <stdint.h>
#include <stdio.h>

struct growing_file {
	FILE *out;
	int64_t began_ns;     /* when the log began, CLOCK_MONOTONIC; for side files */
	int err;	      /* the first error, as -errno; 0: none yet */
	char buffer[1 << 20]; /* larger than any piece */
};

struct growing_file *growing_file_create(const char *path); /* NULL with errno */
/* Ends a piece. 0, or -errno of the first write that failed. */
int growing_file_flush(struct growing_file *f);
/* Closes the file and frees `f`. 0, or -errno of the first write that failed. */
int growing_file_finish(struct growing_file *f);
/* Writes the first piece of a new file. Returns `f`; after an error closes the file, frees `f` and returns NULL with errno. */
struct growing_file *growing_file_flush_head(struct growing_file *f);
