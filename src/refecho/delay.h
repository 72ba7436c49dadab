/* SPDX-License-Identifier: GPL-3.0-or-later */
/* delay - scripted delays: how long after its arrival a key becomes ready to be drawn.
 *
 *	const:20ms		always the same
 *	uniform:5ms,15ms	anything between, equally likely
 *	bimodal:5ms,80ms,0.1	the second with this probability, else the first
 *	file:F			one time a line, in turn, from the top again at the end; empty lines and # comments are skipped */
#ifndef THINPROBE_REFECHO_DELAY_H
#define THINPROBE_REFECHO_DELAY_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define DELAY_MAX_NS 3600000000000LL
#define DELAY_LINES_MAX 10000000

enum delay_kind { DELAY_CONST, DELAY_UNIFORM, DELAY_BIMODAL, DELAY_FILE };

struct delay {
	enum delay_kind kind;
	int64_t low_ns, high_ns;	/* const: low */
	double high_share;		/* bimodal */
	int64_t *list;			/* file: owned */
	size_t n, next;
	uint64_t random;		/* seed before the first delay_next() */
};

/* Reads a script; for a file only the kind is set and *path points to its name inside `text`.
 * 0, or -EINVAL (not understood), or -ERANGE (a time below 0 or over an hour, or the first over the second). */
int delay_parse(const char *text, struct delay *out, const char **path);

/* Reads the times of a file. 0, or -errno; with -EINVAL or -ERANGE *line is the number of the bad line, 0 when there
 * was no time at all. */
int delay_load(struct delay *d, FILE *in, int *line);

int64_t delay_next(struct delay *d);
void delay_free(struct delay *d);

#endif
