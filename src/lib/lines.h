/* SPDX-License-Identifier: GPL-3.0-or-later */
/* lines - reads the lines of text tables and logs, and splits them into cells: with or without a byte order mark, with either line
 * end. Files that are no text (compressed, UTF-16, with zero bytes) give an error that names the cure. */
#pragma once

#include <stddef.h>
#include <stdio.h>

#define LINES_LONGEST 65536

struct line_reader {
	FILE *in;
	char *text;	    /* the line last read, without its end; owned, valid until the next call */
	unsigned long line; /* its number in the file, from 1 */
	const char *why;    /* reason of an -EPROTO */
};

int line_reader_init(struct line_reader *l, FILE *in); /* 0 or -ENOMEM; `in` stays the caller's */

/* Reads the next line that is not empty. 1; 0 at the end of the file; -EPROTO with `why` and `line`; another -errno. */
int line_reader_next(struct line_reader *l);
void line_reader_free(struct line_reader *l);

/* Splits one line of a table into cells, in place, at its tabs. Removes the line end. Returns the number of cells; 0: more than
 * `most`. */
size_t fields_split(char *line, char **cell, size_t most);

/* The index of the cell with the text `name`; -1: none. */
int fields_find_name(char *const *cell, size_t n, const char *name);
