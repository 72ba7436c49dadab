/* SPDX-License-Identifier: GPL-3.0-or-later */
/* interval - 95 % confidence intervals over runs (Student's t, t on logarithms, BCa bootstrap, exact intervals of counts),
 * regression lines and adjusted p-values.
 *
 * The only file of this room that includes GSL. Functions that return bool return false and leave `out` alone where the data allow
 * no interval. No input aborts the program. */
#pragma once

#include "figure.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define INTERVAL_LEVEL 0.95

struct interval {
	double low, high;
};

/* Repeats that an interval needs. (With two, Student's t is 12.7 standard errors: the two values say more.) */
#define INTERVAL_REPEATS 3

/* Interval of the mean: mean +- t(n - 1) s / sqrt(n). Needs INTERVAL_REPEATS finite values. */
bool interval_t_mean(const double *value, size_t n, struct interval *out);
/* Interval of the geometric mean of skewed values: Student's t on their logarithms. Needs values > 0. */
bool interval_t_logs(const double *value, size_t n, struct interval *out);
/* Two-sided p-value of a mean of 0 (one-sample t test): 0 where all values are equal and not 0, 1 where all are 0; NAN below two
 * finite values. */
double interval_t_test(const double *value, size_t n);

/* How far the quantile q of all values may lie from what was found: `half` is half the interval of the mean of the runs' own
 * quantiles, but runs that scatter also move the tail away from the median (by `distance`). Of normal values within runs (sigma)
 * and of normal runs (tau) the quantile lies z sqrt(sigma^2 + tau^2) off; tau^2 has the interval of a variance (chi-squared), and
 * both errors are joined as by Zou & Donner (2008). */
void interval_spread_tail(double q, size_t runs, double half, double distance, struct interval *out);

/* Quantile of type 7 (sample.h); sorts `value`. NAN: n is 0. */
double interval_quantile(double *value, size_t n, double p);

/* Geometric mean of n ratios of paired values, with its interval (t on logarithms); *p: p-value of a ratio of 1, NAN below
 * INTERVAL_PAIRS pairs. */
#define INTERVAL_PAIRS 5
struct figure interval_paired_ratio(const double *ratio, size_t n, double *p);
/* Verdict on a ratio: "too few runs" (p is NAN), "better" (below 1), "worse", "no difference shown", "too noisy" (the upper end of
 * the interval is more than twice the lower end), or "not comparable": a range that holds 1. */
#define INTERVAL_NOT_COMPARABLE "not comparable"
const char *interval_ratio_word(const struct figure *ratio, double p);

/* Slope of the least-squares line through n points; *start: its intercept at x = 0 (`start` may be NULL). NAN unless two x
 * differ. */
double interval_slope(const double *x, const double *y, size_t n, double *start);
/* Interval of the slope: slope +- t(n - 2) times its standard error. Needs three points and two different x. */
bool interval_slope_ci(const double *x, const double *y, size_t n, struct interval *out);
/* The x at which the line of the means reaches `level`, with the interval of Fieller (1954): where the band of the line holds it.
 * Absent with fewer than three points, or where the slope is not surely above 0. */
struct figure interval_line_reach(const double *x, const double *y, size_t n, double level);
/* Whether the points, several for each x, lie on no straight line: the mean of those with one x is off it by more than a tenth of
 * the rise from the least x to the largest of its slope, or of `least_slope` if that is more, and by more than their scatter
 * explains (F test of lack of fit, 1 %). */
bool interval_line_bends(const double *x, const double *y, size_t n, double least_slope);

/* A figure of runs in which run i counts weight[i] times. NAN: no run counts. */
typedef double interval_figure(const unsigned *weight, size_t runs, void *data);

/* Bias-corrected and accelerated bootstrap over whole runs (Efron 1987; Efron & Tibshirani 1993, ch. 14), with the acceleration
 * from leaving out one run at a time. expanded (Hesterberg 2015): with the quantiles of Student's t times sqrt(n / (n - 1))
 * instead of the normal ones, as resamples of n runs vary less than n runs do. `draws` resamples from a generator seeded with
 * `seed`: the same data give the same interval. Needs two runs; with fewer than ten, the interval is too narrow. */
bool interval_bootstrap(interval_figure *figure, void *data, size_t runs, size_t draws, uint64_t seed, bool expanded,
			struct interval *out);
/* Second half of interval_bootstrap(): the interval from the figure of all runs, its bootstrap replicates (sorted by this call)
 * and its values without one of the runs each. If all replicates are equal, both ends are that value. */
bool interval_finish_bca(double figure, double *replicate, size_t draws, const double *without, size_t runs, bool expanded,
			 struct interval *out);

#define INTERVAL_BOOTSTRAP_FROM 10
/* Interval of the mean over runs: with fewer than INTERVAL_BOOTSTRAP_FROM Student's t, with more the expanded bootstrap. */
bool interval_mean_ci(const double *value, size_t n, size_t draws, uint64_t seed, struct interval *out);

/* Interval of quantile q from n sorted values that tell as much as `independent` independent ones, for any distribution: their
 * order statistics, interpolated to the level (Hutson 1999). At the ends of the sample it may hold a little less, 93 %: the
 * median of five values lies between the least and the largest with 93.75 %. */
bool interval_quantile_ci(const double *sorted, size_t n, double independent, double q, struct interval *out);

/* Exact interval of a share (Clopper & Pearson 1934), `hits` of `n` independent events, in 0..1. At 0 and at n hits it is one-sided
 * (the other end is certain): no hits of n give about 3/n, the rule of three. Needs n > 0. */
bool interval_share_ci(size_t hits, size_t n, struct interval *out);

/* Events that come in runs (late keys in stalls): counts of each of `runs` repeats, and of all. */
struct share_runs {
	double *hits, *n; /* of each repeat */
	size_t repeats;
	/* number of runs of misses [0] and of hits [1] within repeats, sums of their squared lengths, and the longest */
	double runs[2], squares[2], longest[2];
	double stated; /* length of a run that is assumed where there is none */
	double least;  /* the variance over that of independent events is at least this */
};
static inline void share_runs_add(struct share_runs *s, bool hits, double length)
{
	s->runs[hits] += length > 0;
	s->squares[hits] += length * length;
	s->longest[hits] = fmax(s->longest[hits], length);
}
/* Leaves what is assumed. */
void share_runs_clear(struct share_runs *s);
/* The variance of the share over that of as many independent events. It is that of runs that begin at random (an alternating
 * renewal process; Cox 1962): (1 - p) (sum of squares of the run lengths) / (sum of the run lengths) - p. One more run as long as
 * the longest is among the squares: a few runs tell too little of it. Where repeats differ by
 * more than that allows (chi-squared, with this chance where they are alike), it is the variance between them, widened by
 * Student's t for their number; *apart: how many times as much they differ, otherwise 0. NAN below INTERVAL_REPEATS repeats. */
double interval_share_effect(const struct share_runs *s, double chance, double *apart);
/* Interval of the share of hits, in 0..1: the exact interval of as many independent events as make the same variance (Korn &
 * Graubard 1998). *apart: repeats differ by more than stalls explain (with a chance of 20 % where they do not: with
 * 5 %, the intervals of three repeats that differ hold 82 %). */
#define INTERVAL_SHARE_APART 0.2
bool interval_clustered_share_ci(const struct share_runs *s, struct interval *out, bool *apart);
/* Is the share above what its interval allows? Or (low) below? With 2.5 % on each side. */
bool interval_share_excludes(const struct share_runs *s, double chance, double share, bool low);
/* Upper 95 % bound (one-sided; Garwood 1936) of a Poisson rate after `events` events in a window of length 1: no events give
 * 3.0. */
double interval_poisson_high(double events);

/* Adjusts the finite p-values among p[0..n) by Holm's (1979) step-down method, in place. */
void interval_adjust_holm(double *p, size_t n);
