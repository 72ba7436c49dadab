/* SPDX-License-Identifier: GPL-3.0-or-later */
/* gaps - statistics of a series of gaps (times between arrivals), in any unit, and their distribution for a Poisson process. */
#pragma once

#include <stddef.h>

struct gaps_statistics {
	double mean, sd; /* sd: of a sample (n - 1); NAN of one gap */
	double cov;	 /* coefficient of variation, sd / mean; NAN if all gaps are 0 */
	double lag1;	 /* correlation of each gap with the next; 0 if all gaps are equal */
};
void gaps_compute_statistics(const double *gap, size_t n, struct gaps_statistics *out);

/* Kolmogorov-Smirnov distance: the largest distance between the share of gaps up to t and 1 - exp(-t / mean). Sorts `gap`. */
double gaps_ks_distance(double *gap, size_t n, double mean);

/* Null distributions: how the statistics of gaps vary for a Poisson process. They are simulated, since textbook formulas hold only
 * for very many arrivals.
 *
 * Coefficient of variation and lag-1 correlation of n exponential gaps, times sqrt(n): from NULL_DISTS_DRAWS sets of up to
 * NULL_DISTS_GAPS gaps; for larger n, their distance from the normal distribution shrinks with sqrt(n) (Edgeworth's expansion).
 * Kolmogorov-Smirnov distance from the exponential distribution with the sample's own mean (Lilliefors 1969), in the modification
 * of Stephens (1974), which hardly depends on n: from sets of up to NULL_DISTS_KS_GAPS gaps. The seed is always the same, so the
 * same data give the same verdict. */
#define NULL_DISTS_DRAWS 5000
#define NULL_DISTS_GAPS 2000
#define NULL_DISTS_KS_GAPS 200

struct gap_nulls;
/* simulates n >= 2 gaps in about 0.1 s; to be freed by free() */
struct gap_nulls *nulls_simulate(size_t n);

/* p-values of the statistics of n gaps, never below 1 / NULL_DISTS_DRAWS; two-sided for cov and lag1, one-sided for ks. */
double nulls_cov_p(const struct gap_nulls *t, double cov);
double nulls_lag1_p(const struct gap_nulls *t, double lag1);
double nulls_ks_p(const struct gap_nulls *t, double distance);

/* Probability distributions and the Fourier transform of GSL, for the tests of arrivals. */
/* Two-sided p-value of a chi-squared statistic: twice the smaller tail. */
double chances_chi2_p(double value, double freedom);
double chances_poisson_count_p(unsigned count, double mean); /* probability of exactly `count` events */

/* Power spectrum, in place, of n real values (n: a power of two): value[k] = |sum of value[j] exp(-2 pi i j k / n)|^2 for 0 <= k <
 * n / 2. */
void chances_spectrum(double *value, size_t n);
