/* SPDX-License-Identifier: GPL-3.0-or-later */
/* lines - reads the lines of text tables and logs: with or without a byte order mark, with either line end, with quoted cells that
 * span several lines. Files that are no text (compressed, UTF-16, with zero bytes) give an error that names the cure. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#define LINES_LONGEST 65536

struct line_reader {
	FILE *in;
	char *text;	    /* the line last read, without its end; owned, valid until the next call */
	unsigned long line; /* number in the file where it begins, from 1 */
	unsigned long read; /* lines of the file read so far */
	const char *why;    /* reason of an -EPROTO */
};

int line_reader_init(struct line_reader *l, FILE *in); /* 0 or -ENOMEM; `in` stays the caller's */

/* Reads the next line that is not empty. `quotes`: lines are joined, with a space, while a quoted cell is open (RFC 4180).
 * 1; 0 at the end of the file; -EPROTO with `why` and `line`; another -errno. */
int line_reader_next(struct line_reader *l, bool quotes);
void line_reader_free(struct line_reader *l);

/* Callback for one line: 0, or an error that ends the reading, with *why. */
typedef int lines_take(void *context, char *text, const char **why);

/* Calls `head` for the first line of a table and `body` for the others; *quotes is read before each line. 0, or the error of a
 * callback or of line_reader_next(), with *why; -ENOMEM. *line: number of the last line begun, for callbacks, too. */
int lines_read_table(FILE *in, const bool *quotes, lines_take *head, lines_take *body, void *context, unsigned long *line,
		     const char **why);
