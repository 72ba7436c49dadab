/* SPDX-License-Identifier: GPL-3.0-or-later */
/* lines - reads the lines of text tables and logs, and splits them into cells: with or without a byte order mark, with either line
 * end, with quoted cells that span several lines. Files that are no text (compressed, UTF-16, with zero bytes) give an error that
 * names the cure. */
#pragma once

#include "why.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
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

/* Splits one line of a table into cells, in place, at `separator`: a tab, or a comma or the like with quotes (RFC 4180, but no line
 * ends within cells). Removes the line end. Returns the number of cells; 0: more than `most`. */
size_t fields_split(char *line, char separator, char **cell, size_t most);

/* The index of the cell with the text `name`; -1: none. */
int fields_find_name(char *const *cell, size_t n, const char *name);
/* Whether a later cell has the same text as cell[at] (at < 0: false); `why` then names it. */
bool fields_is_repeated(char *const *cell, size_t n, int at, struct why *why);
/* How many samples the row of a transaction in JMeter's results holds; 0: no transaction. */
unsigned long fields_count_held(char *const *cell, size_t n);

/* The time unit in ns of a column whose name ends in _ns, _us, _ms or _s (1 to 10^9); 0: another ending. */
int64_t fields_time_unit(const char *name);
