/* SPDX-License-Identifier: GPL-3.0-or-later */
/* lines - what a table or log of text consists of, whoever wrote it: with or without a byte order
 * mark, either line end, cells over several lines.
 *
 * What is no such text (compressed, UTF-16, zeros) is named, with the cure, where it begins. */
#ifndef THINPROBE_LINES_H
#define THINPROBE_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#define LINES_LONGEST 65536

struct lines {
	FILE *in;
	char *text;		/* owned; the line that was read, without its end; valid until the next */
	unsigned long line;	/* where it begins, from 1 */
	unsigned long read;	/* lines of the file so far */
	const char *why;	/* of an -EPROTO */
};

int lines_open(struct lines *l, FILE *in);	/* 0 or -ENOMEM; `in` stays the caller's */

/* The next line that is not empty. `quotes`: one with a quoted cell that goes on in the next is
 * taken together with that, a space in place of the line end (RFC 4180). 1; 0 at the end; -EPROTO
 * with `why` and `line`; -EIO. */
int lines_next(struct lines *l, bool quotes);
void lines_close(struct lines *l);

/* Takes one line: 0, or what ends the reading, with *why. */
typedef int lines_take(void *context, char *text, const char **why);

/* Calls `head` for the first line of a table and `body` for the others; `quotes` is looked at before each. 0, or what they
 * returned, or the error of lines_next, with *why; -ENOMEM. *line is the last that was begun. */
int lines_each(FILE *in, const bool *quotes, lines_take *head, lines_take *body, void *context, unsigned long *line,
	       const char **why);

#endif
