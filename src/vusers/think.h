/* SPDX-License-Identifier: GPL-3.0-or-later */
/* think - times between requests: of a user who thinks, or of arrivals. Pure: whoever draws has the state.
 *
 *	exp		exponential
 *	uniform		between 0 and twice the mean
 *	const		always the mean
 *	lognormal	with a coefficient of variation (1 unless told)
 *	file		of the file's values, any, all as likely; stretched to a mean where one is given */
#ifndef THINPROBE_VUSERS_THINK_H
#define THINPROBE_VUSERS_THINK_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum think_kind { THINK_EXP, THINK_UNIFORM, THINK_CONST, THINK_LOGNORMAL, THINK_FILE };

struct think {
	enum think_kind kind;
	double mean_ns;		/* 0: none (THINK_FILE: that of the file) */
	double variation;	/* of lognormal: standard deviation by mean */
	double *value;		/* of a file, ns; owned */
	size_t n;
	double scale;		/* of a file's values */
};

#define THINK_VALUES_MOST 1000000
#define THINK_MOST_NS 31536e12	/* a year; no draw is longer */

/* exp, uniform, const, lognormal[:CV], file:PATH. *path is then the file, else NULL; nothing is read yet. 0, or -EINVAL. */
int think_parse(const char *text, struct think *out, const char **path);
/* Seconds, one a line; # begins a comment. 0, -EPROTO with the number of the line that is no time,
 * -ENODATA for none, -E2BIG, -ENOMEM. */
int think_read(FILE *in, struct think *out, unsigned long *line);
/* The mean from now on; a file's values keep their shape. */
void think_set_mean(struct think *t, double mean_ns);
/* In ns, 0 or more. */
int64_t think_draw(const struct think *t, uint64_t *state);
void think_free(struct think *t);

#endif
