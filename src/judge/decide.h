/* SPDX-License-Identifier: GPL-3.0-or-later */
/* decide - is B better than A, worse, or not different by a size that matters? With a stated rate of false alarms, however
 * often one looks. Pure.
 *
 * A value is the difference of B and A in one start of both (the mean of its pairs of blocks). The order of the variants
 * alternates: starts 2k - 1 and 2k are of opposite order, so that what only the order makes cancels in their mean.
 *
 * Against a given mean one bets on the side on which the next value lies. The stake depends on the distance of the value, and
 * on the scatter of those before. Where each value is as likely on the one side of the mean as at the same distance on the
 * other, given those before, no bet is worth anything, whatever the shape of the law: with the bet h(x) odd and below 1, the
 * product of 1 + h(x) is a martingale (de la Pena 1999; Ramdas et al. 2020, "Admissible anytime-valid sequential inference
 * must rely on nonnegative martingales", section 5). So it ever exceeds 1 / alpha with a probability of at most alpha (Ville
 * 1939), and the means against which it is below are an interval that holds at all looks together. The stake is tanh(m x /
 * s^2), the best one for normal values with a mean of m and a standard deviation of s: m is half of the effect, the least that
 * is told, or s where that is less. Where the scatter is large stakes are small, as rare large values to the other side may
 * still come.
 *
 * Three quarters of the money is bet on starts, a quarter on pairs of starts, in which an effect of the order cancels. With such an
 * effect starts lie on both sides in turns; then the part of starts is no martingale, but by simulation it loses
 * (docs/ab-error-rates.md). The shares, and where skew counts, were chosen by simulation of the laws in bench/ab_rates.c.
 *
 * A value of which only a range is known counts by the end that is worst for the bet. At the same stakes, the money is then no
 * more than with the true value, whose place in the range is free, so that what holds of it still holds.
 *
 * Two runs that were not measured in turns have no starts in common: each has its repeats. Then it is Welch's (1947) t test,
 * for one look. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DECIDE_REPEATS 3 /* of each of two runs: no verdict with fewer */

enum decision { DECIDE_OPEN, DECIDE_LOWER, DECIDE_HIGHER, DECIDE_SAME };

struct decide_figure {
	/* set by the caller */
	double effect; /* smallest difference of interest, > 0 */
	double weight; /* its share of alpha is this of the sum of all; 0 counts as 1 */
	/* by decide_add(); all zero at first */
	size_t n, pairs;
	double mean, squares;	  /* sum of squared deviations from the mean */
	double *value, *pair;	  /* owned, by decide_free(): differences of starts, and means of two starts of opposite order */
	double *half, *pair_half; /* owned; of a range, of which `value` is the middle, half the width */
	double wide;		  /* mean of half the widths */
	int64_t last;		  /* number of the last start */
	/* of two runs, by decide_set_runs(): mean is the difference of their means */
	double error, freedom; /* standard error of the mean (0: nothing is known of it), and degrees of freedom; 0: starts */
	/* by decide_all() */
	enum decision word;
	double p;		 /* valid at any look; not adjusted for several figures */
	double level;		 /* of the interval: that of the figure's step of Holm's method */
	double each;		 /* alpha of one of the figures */
	bool not_less, not_more; /* lower, or higher, by the effect is excluded */
};
#define DECIDE_NEVER ((size_t)-1)

/* The difference of start number `start`; in ascending order. */
void decide_add(struct decide_figure *f, int64_t start, double difference);
void decide_add_range(struct decide_figure *f, int64_t start, double low, double high); /* it is between these */
void decide_free(struct decide_figure *f);
double decide_sd(const struct decide_figure *f); /* 0 below two starts */
/* n[] values of A and B with these means and standard deviations. Both need two values. */
void decide_set_runs(struct decide_figure *f, const size_t n[static 2], const double mean[static 2], const double sd[static 2]);

/* Natural logarithm of the money, of 1 at first, of who bets that starts are above `mean` (side 1), or below (-1). */
double decide_log_money(const struct decide_figure *f, double mean, int side);

/* Decides n figures together. Differences are told from 0 by Holm's (1979) weighted step-down method, so that one or more of
 * them is told wrongly with a probability of at most alpha at any look; the same holds for "same", by Bonferroni. A figure is
 * 	DECIDE_SAME	if its interval is within -effect .. effect, however surely it is not 0;
 * 	DECIDE_LOWER, DECIDE_HIGHER	if it is told from 0 (moved by the skew, where starts scatter by more than 0.7 effects), and its
 * 			mean, at the near ends of ranges, is at least effect / 2;
 * 	DECIDE_OPEN	otherwise. So each is decided when its interval is no wider than the effect. */
void decide_all(struct decide_figure *f, size_t n, double alpha);

/* The interval of the mean at f->level, as distances from it; INFINITY: no end is known yet. */
double decide_reach(const struct decide_figure *f, int side);
/* Further starts, or repeats of each run, until an open figure is decided, if mean and sd stay. DECIDE_NEVER: over 10,000. */
size_t decide_more(const struct decide_figure *f);
/* Starts by which a difference is decided that scatters by `sd`. DECIDE_NEVER: over 10,000. */
size_t decide_starts_needed(double difference, double sd, double effect, double alpha);
/* The largest scatter at which so many starts decide a difference of the effect; NAN: they decide nothing. */
double decide_scatter_most(size_t starts, double effect, double alpha);

/* Distributions of GSL, for any degrees of freedom. */
double welch_quantile(double freedom, double p);
double welch_normal_quantile(double p);
/* Where freedom is above 2000 GSL finds none, or another number: there by the cube of Wilson and Hilferty (1931), which is off by a
 * hundred-thousandth at most. */
double welch_chi_squared_quantile(double freedom, double p);
/* Probability that Student's t is above `t`. */
double welch_upper_p(double freedom, double t);
