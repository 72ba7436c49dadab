/* SPDX-License-Identifier: GPL-3.0-or-later */
/* chances - probability distributions and the Fourier transform for the tests of arrivals. The only file of this room that includes
 * GSL. */
#pragma once

#include <stddef.h>

double chances_normal_quantile(double p);
/* Two-sided p-value of a chi-squared statistic: twice the smaller tail. */
double chances_chi2_p(double value, double freedom);
double chances_poisson_count_p(unsigned count, double mean); /* probability of exactly `count` events */

/* Power spectrum, in place, of n real values (n: a power of two): value[k] = |sum of value[j] exp(-2 pi i j k / n)|^2 for 0 <= k <
 * n / 2. */
void chances_spectrum(double *value, size_t n);
