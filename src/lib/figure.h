/* SPDX-License-Identifier: GPL-3.0-or-later */
/* figure - one figure of a measurement, as exactly as the data give it.
 *
 * A figure is exactly one of:
 *   exact      value = from = to
 *   range      from < to, both ends known; `value` is NAN, so that no end can be read as the value
 *   censored   above: only a lower bound is known. `value` is that bound where it is one number, or NAN where the bound is itself
 *              the early end of a range (from is set); `to` is INFINITY
 *   absent     all NAN; `why` says the reason: "overloaded", "too few", "range" or NULL (not measured) */
#pragma once

#include "sample.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

struct figure {
	double value, from, to;
	bool above;	 /* only a lower bound is known */
	const char *why; /* why it is absent or not one number; static text */
};

#define FIGURE_ABSENT ((struct figure){ .value = NAN, .from = NAN, .to = NAN })

struct figure figure_exact(double value); /* NAN: absent */
struct figure figure_absent(const char *why);
/* Exact, or censored where the statistic is a lower bound. */
struct figure figure_statistic(struct sample_stat statistic);
/* The figure whose true value lies between two statistics of the same data: one by the earliest, one by the latest possible times.
 * Ends that differ by at most 1 % give an exact figure, the late end. */
struct figure figure_make_range(struct sample_stat early, struct sample_stat late);

bool figure_known(const struct figure *f);    /* false: absent */
bool figure_is_range(const struct figure *f); /* including a range without a known late end */
