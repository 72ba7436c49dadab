/* SPDX-License-Identifier: GPL-3.0-or-later */
/* means - a figure of which every repeat gives one value: its mean and interval, as cells of a table; and lines through points. */
#ifndef THINPROBE_SUMMARIZE_MEANS_H
#define THINPROBE_SUMMARIZE_MEANS_H

#include "rec.h"

#include <stddef.h>
#include <stdint.h>

struct means {
	double *v;	/* the owner's, with room for a value of every repeat */
	size_t n;
};

/* What is not known (NAN) is left out. */
void means_add(struct means *m, double x);

double means_of(const struct means *m);	/* NAN for none */

/* Three cells: mean, and both ends of its interval (interval_mean: Student's t, BCa from ten values on, none from one);
 * `floor`: nothing
 * is below that. */
void means_write(struct rows *t, const struct means *m, double floor, int decimals, int64_t seed);

/* Slope of the least-squares line through n points, and where it begins (at x = 0; may be NULL); NAN unless two x differ. */
double means_slope(const double *x, const double *y, size_t n, double *start);

#endif
