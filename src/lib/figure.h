/* SPDX-License-Identifier: GPL-3.0-or-later */
/* figure - one figure of a measurement, as exactly as the data give it, with its confidence interval.
 *
 * A figure is exactly one of:
 *   exact      value = from = to
 *   range      from < to, both ends known; `value` is NAN, so that no end can be read as the value
 *   censored   above: only a lower bound is known. `value` is that bound where it is one number, or NAN where the bound is itself
 *              the early end of a range (from is set); `to` is INFINITY
 *   absent     all NAN; `why` says the reason: "overloaded", "too few", "failed", "impossible", "resolution", "range" or NULL (not
 *              measured)
 * low and high are the ends of the 95 % confidence interval, NAN where there is none. For a range they are the low end of the
 * interval of the early ends and the high end of that of the late ends, so that they hold the truth as often as they state.
 * both: two repeats have no interval, but two values. NAN: not two repeats, or not known as two numbers.
 *
 * What decides (a limit, a verdict, a rating) uses figure_at_least() or figure_at_most(): the end that speaks against the claim. */
#pragma once

#include "sample.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

struct figure {
	double value, from, to;
	double low, high, both[2];
	bool above;	 /* only a lower bound is known */
	size_t repeats;	 /* number of repeats that the figure is made from; 0: not known */
	const char *why; /* why it is absent or not one number; static text */
};

#define FIGURE_ABSENT ((struct figure){ .value = NAN, .from = NAN, .to = NAN, .low = NAN, .high = NAN, .both = { NAN, NAN } })

struct figure figure_exact(double value); /* NAN: absent */
struct figure figure_absent(const char *why);
/* An exact figure, and the ends of its interval (NAN: none). */
struct figure figure_estimate(double value, double low, double high);
/* Exact, or censored where the statistic is a lower bound. */
struct figure figure_statistic(struct sample_stat statistic);
/* The figure whose true value lies between two statistics of the same data: one by the earliest, one by the latest possible times.
 * Ends that differ by at most 1 % or `resolution` give an exact figure, the late end. */
struct figure figure_make_range(struct sample_stat early, struct sample_stat late, double resolution);

/* The same of two figures with intervals: `low` is that of the early figure, `high` that of the late one. */
struct figure figure_join(const struct figure *early, const struct figure *late);

bool figure_known(const struct figure *f);    /* false: absent */
bool figure_is_range(const struct figure *f); /* including a range without a known late end */
/* The least and the most that the true figure can be; NAN: absent. figure_at_most() of a censored figure is INFINITY. */
double figure_at_least(const struct figure *f);
double figure_at_most(const struct figure *f);
