/* SPDX-License-Identifier: GPL-3.0-or-later */
/* decide - is B better than A, worse, or not different by a size that matters? With a stated rate of false alarms, however often
 * one looks. Pure.
 *
 * A value is the difference of B and A in one start of both (the mean of its pairs of blocks). Starts are independent; blocks and
 * keys of one start are not. The differences count as normal with unknown mean and variance. Against a given mean, the Bayes factor
 * with a normal prior on mean / sd (variance DECIDE_PRIOR squared) and the right Haar prior on sd (Gonen et al. 2005) is a test
 * martingale (Lai 1976; Wang & Ramdas 2025). So it ever exceeds 1 / alpha with a probability of at most alpha (Ville 1939), and the
 * means whose factor is below 1 / alpha are an interval that holds at all looks together.
 *
 * Two runs that were not measured in turns have no starts in common: each has its repeats. Then it is Welch's (1947) t test, for
 * one look. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#define DECIDE_PRIOR 4
#define DECIDE_STARTS 3	     /* no verdict with fewer */
#define DECIDE_SAME_STARTS 6 /* after so many starts, values that never differed are called the same */

enum decision { DECIDE_OPEN, DECIDE_LOWER, DECIDE_HIGHER, DECIDE_SAME };

struct decide_figure {
	/* set by the caller */
	double effect; /* smallest difference of interest, > 0 */
	/* by decide_add(); all zero at first */
	size_t n;
	double mean, squares; /* sum of squared deviations from the mean */
	/* of two runs, by decide_set_runs(): mean is the difference of their means */
	double error, freedom; /* standard error of the mean, and degrees of freedom; 0: starts */
	/* by decide_all() */
	enum decision word;
	double p;	  /* valid at any look; not adjusted for several figures */
	double low, high; /* interval of the mean, infinite below two starts */
	size_t more; /* further starts, or repeats of each run, until it is decided, if mean and sd stay: DECIDE_NEVER: over 10,000 */
};
#define DECIDE_NEVER ((size_t)-1)

void decide_add(struct decide_figure *f, double difference);
double decide_sd(const struct decide_figure *f); /* 0 below two starts */
/* n[] values of A and B with these means and standard deviations. Both need two values. */
void decide_set_runs(struct decide_figure *f, const size_t n[2], const double mean[2], const double sd[2]);

/* Natural logarithm of the factor against a mean of 0, for n >= 2 values with Student's t. */
double decide_log_factor(size_t n, double t);
/* Half the width of the interval at level 1 - alpha after n values. INFINITY: they cannot tell yet. */
double decide_half_width(size_t n, double sd, double alpha);
/* Number of values from which half the width is at most `half`. DECIDE_NEVER: over 10,000. */
size_t decide_values_needed(double sd, double alpha, double half);

/* Decides n figures together. Differences are told from 0 by Holm's (1979) step-down method, so that one or more of them is told
 * wrongly with a probability of at most alpha at any look; the same holds for "same", by Bonferroni. A figure is
 *	DECIDE_SAME	if its interval is within -effect .. effect, however surely it is not 0;
 *	DECIDE_LOWER, DECIDE_HIGHER	if it is told from 0 and its mean is at least effect / 2;
 *	DECIDE_OPEN	otherwise. So each is decided when its interval is no wider than the effect.
 * The interval that is set is the one that the figure's step of Holm's method rests on. */
void decide_all(struct decide_figure *f, size_t n, double alpha);
