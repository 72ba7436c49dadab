/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sample - stores measured values and computes exact statistics.
 *
 * Values are whole numbers in a unit of the caller. A value may be censored ("later than v", as after a timeout). Censored values
 * count in every distribution, since leaving them out would drop just the slow ones. Lack of memory ends the program. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sample {
	int64_t *value; /* owned; sorted by the functions that compute quantiles */
	size_t n, room;
	size_t censored;      /* number of censored values */
	int64_t censored_min; /* the smallest censored value */
	bool sorted;
};

/* Allocates room for `n` values. */
void sample_reserve(struct sample *s, size_t n);
void sample_add(struct sample *s, int64_t value);
void sample_add_censored(struct sample *s, int64_t later_than);
void sample_free(struct sample *s);

/* A statistic: exact, or (`above`) a lower bound because of censored values, or NAN: not known. */
struct sample_stat {
	double value;
	bool above;
};

/* Quantile 0 <= p <= 1 by linear interpolation between order statistics at (n - 1) p (Hyndman & Fan 1996, type 7: what R, NumPy and
 * GSL print). Among censored values the order statistic of the bounds is a lower bound of the true one. NAN without values. */
struct sample_stat sample_quantile(struct sample *s, double p);
struct sample_stat sample_mean(const struct sample *s);
/* Sample standard deviation (n - 1); NAN for fewer than two values, and with censored ones: the true spread may be less or more. */
struct sample_stat sample_sd(const struct sample *s);
struct sample_stat sample_min(struct sample *s);
struct sample_stat sample_max(struct sample *s);

/* Whether the sample is large enough for quantile p: at least ten values beyond a tail quantile, any value for p up to 0.75. */
bool sample_supports(const struct sample *s, double p);
