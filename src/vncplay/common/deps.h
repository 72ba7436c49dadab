/* SPDX-License-Identifier: GPL-3.0-or-later */
/* deps - what must be on the screen before an input may go, and what never matters: the file that
 * `vncplay learn` writes and `vncplay play --deps` heeds.
 *
 * Text, one line an event; the first is "vncplay-deps 1". vncplay(1) has its format. */
#ifndef THINPROBE_DEPS_H
#define THINPROBE_DEPS_H

#include "screen.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define DEPS_MOST 100000	/* lines that are read */

struct deps_before {	/* before the input of this line of the trace, */
	int line;
	struct box box;		/* this part of the screen must have changed since the input before, */
	bool any;		/* to whatever, */
	uint64_t hash;		/* or must show this */
	int file_line;		/* where it stands */
};

enum deps_why { DEPS_ALONE, DEPS_SOMETIMES };	/* it changes without an input; it changed in some replays only */
struct deps_ignore {
	struct box box;
	enum deps_why why;
};

struct deps {
	int inputs;		/* of the trace it was learned from */
	struct deps_before *before;	/* by line */
	int n_before;
	struct deps_ignore *ignore;
	int n_ignore;
};

/* 0; -EPROTO with `why` (names the line and what is wrong); or -errno. Empty where it is not 0. */
int deps_read(const char *path, struct deps *d, char *why, size_t size);
/* 0 or -errno. */
int deps_write(const struct deps *d, FILE *out);
void deps_free(struct deps *d);
/* 0 or -ENOMEM. Lines must not go back. */
int deps_add_before(struct deps *d, const struct deps_before *b);
int deps_add_ignore(struct deps *d, const struct deps_ignore *i);

/* The first of those of a line, how many in *n; NULL: none. */
const struct deps_before *deps_of(const struct deps *d, int line, int *n);
/* Of what a part of the screen shows (FNV-1a of its pixels, row by row); what lies beyond the edge counts as black. */
uint64_t deps_hash(const struct screen *s, struct box box);

#endif
