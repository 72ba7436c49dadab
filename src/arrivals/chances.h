/* SPDX-License-Identifier: GPL-3.0-or-later */
/* chances - the distributions and the transform that the tests of arrivals need. The only file of this room that names GSL. */
#ifndef THINPROBE_ARRIVALS_CHANCES_H
#define THINPROBE_ARRIVALS_CHANCES_H

#include <stddef.h>

double chances_normal_inverse(double p);
/* Two-sided p of a chi-squared value: twice the smaller tail. */
double chances_chi2_two_sided(double value, double freedom);
double chances_poisson(unsigned count, double mean);	/* P(exactly so many) */

/* In place, of a power of two of real values: power[k] = |sum of value[j] exp(-2 pi i j k / n)|^2
 * for 0 <= k < n / 2, in the first half. 0 or -EINVAL. */
int chances_power(double *value, size_t n);

#endif
