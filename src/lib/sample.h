/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sample - a store of measured values and exact statistics on them.
 *
 * Values are whole numbers in the caller's unit. Some may be censored: "later than v". They stay in
 * every distribution, because leaving them out would drop just the slow ones. */
#ifndef THINPROBE_SAMPLE_H
#define THINPROBE_SAMPLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sample {
	int64_t *value;		/* owned; sorted once a percentile has been asked for */
	size_t n, room;
	size_t censored;	/* how many of them are "later than" */
	int64_t censored_min;	/* the smallest of those */
	uint64_t lost;		/* values that found no room after a failed allocation */
	bool sorted;
};

/* Makes room, so that adding up to `n` values does not allocate. 0 or -ENOMEM. */
int sample_reserve(struct sample *s, size_t n);
void sample_add(struct sample *s, int64_t value);
void sample_add_censored(struct sample *s, int64_t later_than);
void sample_free(struct sample *s);

/* A statistic: exact, or a lower bound where censored values reach it ("above"), or not known (NAN). */
struct sample_stat {
	double value;
	bool above;
};

/* Quantile 0 <= p <= 1 by linear interpolation between order statistics at (n - 1) p (Hyndman & Fan 1996,
 * type 7: what R, NumPy and GSL print). Among censored values the order statistic of the bounds is a
 * lower bound of the true one. NAN without values. */
struct sample_stat sample_quantile(struct sample *s, double p);
struct sample_stat sample_mean(const struct sample *s);
/* Sample standard deviation (n - 1); NAN for fewer than two values. */
struct sample_stat sample_sd(const struct sample *s);
struct sample_stat sample_min(struct sample *s);
struct sample_stat sample_max(struct sample *s);

/* A tail quantile is worth printing only with at least ten values beyond it; quartiles always. */
bool sample_supports(const struct sample *s, double p);

#endif
