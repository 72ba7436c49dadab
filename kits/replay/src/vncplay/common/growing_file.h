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

/* Creates a file that begins with this text. NULL with errno. */
struct growing_file *growing_file_create(const char *path, const char *head, ...) __attribute__((format(printf, 2, 3)));
/* Ends a piece. 0, or -errno of the first write that failed. */
int growing_file_flush(struct growing_file *f);
/* Closes the file and frees `f`. 0, or -errno of the first write that failed. */
int growing_file_finish(struct growing_file *f);
