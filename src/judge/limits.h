/* SPDX-License-Identifier: GPL-3.0-or-later */
/* limits - does a figure keep to a limit in each condition? Pure.
 *
 * A figure is a number, a range or a lower bound, mostly with an interval. It holds only where both ends of the interval, and of
 * the range, keep to the limit, and breaks it only where neither does. Or, if range_breaks is set, a range or bound breaks it
 * where its far end does, whatever its interval. If only one end of an interval is known, the other may be anywhere. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* RANGE: of the figure itself only a range or a bound is known, and one end of it keeps to the limit; OPEN: so does one end of the
 * interval. */
enum limit_word { LIMIT_HOLDS, LIMIT_BROKEN, LIMIT_OPEN, LIMIT_RANGE, LIMIT_ABSENT, LIMIT_WORDS };

struct limit_figure {
	double from, to, low,
		high; /* ends of the range, or twice the number (to INFINITY: a lower bound); the interval. NAN: none */
};

struct limit {
	char op[3]; /* <, <=, >, >= */
	double bound;
	bool range_breaks, doubt; /* doubt: it cannot hold */
	size_t figures, count[LIMIT_WORDS];
	size_t worst, doubtful; /* numbers, from 0, of the figures next to breaking it: of all, and of those of RANGE and OPEN */
	struct limit_figure at[2];
};

void limit_add(struct limit *l, const struct limit_figure *f);
enum limit_word limit_conclude(const struct limit *l); /* HOLDS, BROKEN or OPEN */
bool limit_leans_to_break(const struct limit *l);      /* of `doubtful`: without its interval it breaks the limit */

struct limit_list {
	bool range_breaks, doubt; /* set by the caller, for all limits; all others zero */
	struct limit *limit;	  /* owned */
	size_t n;
};
/* Reads a table of limits/1, the rows of a limit (from 0) below each other. 0, -EPROTO with *line, -EIO. */
int limits_read(FILE *in, struct limit_list *out, unsigned long *line);
