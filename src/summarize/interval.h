/* SPDX-License-Identifier: GPL-3.0-or-later */
/* interval - 95 % intervals over runs: Student t, on logarithms, BCa bootstrap, and exact bounds on counts.
 *
 * The only file that names GSL. Every function returns false, and leaves `out` alone, where the data allow no
 * interval; no input makes it abort. */
#ifndef THINPROBE_INTERVAL_H
#define THINPROBE_INTERVAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define INTERVAL_LEVEL 0.95

struct interval {
	double low, high;
};

/* mean +- t(n - 1) s / sqrt(n). Needs two finite values. */
bool interval_t(const double *value, size_t n, struct interval *out);
/* The same on logarithms, for what is positive and skewed: an interval of the geometric mean. Needs all > 0. */
bool interval_t_log(const double *value, size_t n, struct interval *out);

/* Two-sided p of a mean of 0 (Student's t test of one sample, n - 1 degrees of freedom); 0 where all values are alike
 * and not 0, 1 where all are 0. NAN below two finite values. */
double interval_t_p(const double *value, size_t n);

/* Of the slope of the least-squares line through n points, errors alike and normal: slope +- t(n - 2) times its
 * standard error. Needs three points, two different x. */
bool interval_slope(const double *x, const double *y, size_t n, struct interval *out);

/* A figure of a set of runs in which run i counts weight[i] times. NAN where there is none. */
typedef double interval_figure(const unsigned *weight, size_t runs, void *data);

/* Bias-corrected and accelerated bootstrap over whole runs (Efron 1987; Efron & Tibshirani 1993, ch. 14), the
 * acceleration from leaving one run out at a time. `draws` resamples from a generator seeded with `seed`, so the same
 * data give the same interval. Needs two runs; with fewer than ten it is too narrow, so don't. */
bool interval_bca(interval_figure *figure, void *data, size_t runs, size_t draws, uint64_t seed, struct interval *out);
/* Its second half: from the figure itself, its bootstrap replicates (sorted by this call) and its values without
 * each of the runs. Replicates that are all alike give that value twice. */
bool interval_bca_from(double figure, double *replicate, size_t draws, const double *without, size_t runs,
		       struct interval *out);

/* Of the mean over runs: interval_t with fewer than so many, from there on the bootstrap of the mean. */
#define INTERVAL_BOOTSTRAP_FROM 10
bool interval_mean(const double *value, size_t n, size_t draws, uint64_t seed, struct interval *out);

/* Clopper and Pearson's (1934) exact interval of a share, `hits` of `n` independent events, in 0..1. At 0 and at n hits it is
 * one-sided (the other end is certain), so none of n gives about 3/n, the rule of three. Needs n > 0. */
bool interval_share(size_t hits, size_t n, struct interval *out);

/* Upper 95 % bound (one-sided, Garwood 1936) of a Poisson rate after `events` in a window of one unit: none gives 3.0. */
double interval_rate_high(double events);

#endif
