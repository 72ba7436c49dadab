/* SPDX-License-Identifier: GPL-3.0-or-later */
/* delay - scripted delays from the arrival of a key until it may be drawn.
 *
 *	const:20ms		always 20 ms
 *	uniform:5ms,15ms	uniformly distributed between the two times
 *	bimodal:5ms,80ms,0.1	80 ms with probability 0.1, else 5 ms
 *	file:F			times from file F, one a line, used in turn and again from the top; skips empty lines and # comments */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define DELAY_MAX_NS 3600000000000LL /* an hour */
#define DELAY_LINES_MAX 10000000     /* times in a file */

enum delay_kind { DELAY_CONST, DELAY_UNIFORM, DELAY_BIMODAL, DELAY_FILE };

struct delay_generator {
	enum delay_kind kind;
	int64_t low_ns, high_ns; /* DELAY_CONST uses low_ns alone */
	double high_share;	 /* DELAY_BIMODAL: probability of high_ns, 0..1 */
	int64_t *list;		 /* DELAY_FILE: n times in ns, owned */
	size_t n, next;		 /* next: counts the times given out */
	uint64_t random;	 /* state of the random numbers; set to the seed before the first delay_next_ns() */
};

/* Reads a delay script. For DELAY_FILE only `kind` is set, and *path points to the file's name inside `text`. 0, -EINVAL (not
 * understood) or -ERANGE (a time below 0 or above an hour, or the first time above the second). */
int delay_parse(const char *text, struct delay_generator *out, const char **path);

/* Reads the times of a DELAY_FILE. 0 or -errno; with -EINVAL and -ERANGE, *line is the number of the wrong line, 0: the file has no
 * time at all. */
int delay_load_file(struct delay_generator *d, FILE *in, int *line);

int64_t delay_next_ns(struct delay_generator *d); /* the delay of the next key, in ns */
/* Frees the list, not *d itself, and sets *d to 0. */
void delay_free(struct delay_generator *d);
