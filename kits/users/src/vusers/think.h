/* SPDX-License-Identifier: GPL-3.0-or-later */
/* think - random times between requests: think times of a user, or gaps between arrivals. Pure: the caller keeps the random state.
 *
 *	exp		exponential
 *	uniform		between 0 and twice the mean
 *	const		always the mean
 *	lognormal	with a given coefficient of variation (default 1)
 *	file		values of a file, drawn with equal probability, scaled to the mean if one is given */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum think_kind { THINK_EXP, THINK_UNIFORM, THINK_CONST, THINK_LOGNORMAL, THINK_FILE };

struct think_times {
	enum think_kind kind;
	double mean_ns;	  /* 0: no think time (THINK_FILE: mean of the file) */
	double variation; /* THINK_LOGNORMAL: standard deviation divided by mean */
	double *value;	  /* THINK_FILE: the values of the file, ns; owned */
	size_t n;
	double scale; /* THINK_FILE: factor of the values */
};

#define THINK_VALUES_MOST 1000000
#define THINK_MOST_NS 31536e12 /* the longest time drawn: one year */

/* Parses "exp", "uniform", "const", "lognormal[:CV]" or "file:PATH" (*path is then PATH, not read yet; else NULL). 0 or -EINVAL. */
int think_parse(const char *text, struct think_times *out, const char **path);
/* Reads seconds, one per line; # begins a comment. 0, -EPROTO with the number of a line that is no time, -ENODATA for no value,
 * -E2BIG, -EIO. */
int think_read_values(FILE *in, struct think_times *out, unsigned long *line);
/* Sets the mean; values of a file are scaled. */
void think_set_mean(struct think_times *t, double mean_ns);
/* Draws a time in ns, 0 or more. */
int64_t think_draw_ns(const struct think_times *t, uint64_t *state);
void think_free(struct think_times *t);
