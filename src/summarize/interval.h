/* SPDX-License-Identifier: GPL-3.0-or-later */
/* interval - 95 % intervals over runs: Student t, on logarithms, BCa bootstrap, exact bounds on counts; lines; adjusted p-values.
 *
 * The only file that names GSL. Functions that return bool: false, with `out` left alone, where the data allow no interval; no
 * input makes them abort. */
#ifndef THINPROBE_INTERVAL_H
#define THINPROBE_INTERVAL_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define INTERVAL_LEVEL 0.95

struct interval {
	double low, high;
};
/* One number of a table with the ends of its interval. Not known: NAN. */
struct figure {
	double value, low, high;
	bool above;		/* the true value is later than this (censored keys reach it) */
	size_t repeats;		/* complete ones that it is made from; 0: not known */
};
#define FIGURE_UNKNOWN ((struct figure){ .value = NAN, .low = NAN, .high = NAN })

/* mean +- t(n - 1) s / sqrt(n). Needs two finite values. */
bool interval_t(const double *value, size_t n, struct interval *out);
/* The same on logarithms, for what is positive and skewed: an interval of the geometric mean. Needs all > 0. */
bool interval_t_log(const double *value, size_t n, struct interval *out);
/* Two-sided p of a mean of 0 (Student's t test of one sample); 0 where all values are alike and not 0, 1 where all are 0. NAN below
 * two finite values. */
double interval_t_p(const double *value, size_t n);

/* Type 7 (sample.h); sorts `value`. NAN without one. */
double interval_quantile(double *value, size_t n, double p);

/* Of n > 0 paired values over those of a base: their geometric mean with its interval (t on logarithms), and the p of a ratio of 1,
 * NAN below INTERVAL_PAIRS pairs. */
#define INTERVAL_PAIRS 5
struct figure interval_ratio(const double *ratio, size_t n, double *p);
/* "too few runs" where p is not known, "better" (below 1), "worse", "no difference shown"; "too noisy": the interval reaches from x
 * to more than twice x, so it shows nothing. */
const char *interval_verdict(const struct figure *ratio, double p);

/* Slope of the least-squares line through n points, and where it begins (at x = 0; may be NULL); NAN unless two x differ. */
double interval_line_slope(const double *x, const double *y, size_t n, double *start);
/* Of that slope, errors alike and normal: slope +- t(n - 2) times its standard error. Needs three points, two different x. */
bool interval_slope(const double *x, const double *y, size_t n, struct interval *out);

/* A figure of a set of runs in which run i counts weight[i] times. NAN where there is none. */
typedef double interval_figure(const unsigned *weight, size_t runs, void *data);

/* Bias-corrected and accelerated bootstrap over whole runs (Efron 1987; Efron & Tibshirani 1993, ch. 14), the
 * acceleration from leaving one run out at a time. `draws` resamples from a generator seeded with `seed`, so the same
 * data give the same interval. Needs two runs; with fewer than ten it is too narrow, so don't. */
bool interval_bca(interval_figure *figure, void *data, size_t runs, size_t draws, uint64_t seed, struct interval *out);
/* Its second half: from the figure itself, its bootstrap replicates (sorted by this call) and its values without
 * each of the runs. Replicates that are all alike give that value twice. */
bool interval_bca_from(double figure, double *replicate, size_t draws, const double *without, size_t runs, struct interval *out);

#define INTERVAL_BOOTSTRAP_FROM 10
/* With fewer runs than so many Student's t of `value`, the figure of each run alone (`logs`: on logarithms), else the bootstrap. */
bool interval_runs(const double *value, bool logs, interval_figure *figure, void *data, size_t n, size_t draws, uint64_t seed,
		   struct interval *out);
/* The same of the mean over runs. */
bool interval_mean(const double *value, size_t n, size_t draws, uint64_t seed, struct interval *out);

/* Clopper and Pearson's (1934) exact interval of a share, `hits` of `n` independent events, in 0..1. At 0 and at n hits it is
 * one-sided (the other end is certain), so none of n gives about 3/n, the rule of three. Needs n > 0. */
bool interval_share(size_t hits, size_t n, struct interval *out);
/* Upper 95 % bound (one-sided, Garwood 1936) of a Poisson rate after `events` in a window of one unit: none gives 3.0. */
double interval_rate_high(double events);

/* Holm's (1979) step-down adjustment of the finite ones among p[0..n), in place. */
void holm_adjust(double *p, size_t n);

#endif
