/* SPDX-License-Identifier: GPL-3.0-or-later */
/* combine - one figure of a cell from that of each of its repeats, as cells of a table. */
#ifndef THINPROBE_SUMMARIZE_COMBINE_H
#define THINPROBE_SUMMARIZE_COMBINE_H

#include "means.h"

#include <stdbool.h>

enum combine {
	COMBINE_SPREAD,	/* mean and its interval (means_write) */
	COMBINE_TIMES,	/* the same of what is positive and skewed: Student's t on logarithms; the interval holds the mean */
	COMBINE_MEAN,
	COMBINE_MOST,
	COMBINE_SUM,
	COMBINE_BAND,	/* each is as wide as 1/sqrt(n): that of all n together */
	COMBINE_CHANCE,	/* each is a p: the least times how many there are, at most 1 (Bonferroni) */
};

/* Are there three columns of it, with _low and _high? */
bool combine_has_ends(enum combine how);
/* The figure alone; NAN: no repeat has one. */
double combine_one(enum combine how, const struct means *m);
/* One cell or three. */
void combine_write(struct rows *t, enum combine how, const struct means *m, int decimals, int64_t seed);

#endif
