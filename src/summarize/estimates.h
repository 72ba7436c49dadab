/* SPDX-License-Identifier: GPL-3.0-or-later */
/* estimates - from the keys of one cell's repeats to figures of latency with intervals. Reads no file and prints nothing.
 *
 * Percentiles are pooled over the repeats and exact. Intervals: below ten repeats Student t over per-repeat values (on
 * logarithms for latencies), from ten on a BCa bootstrap over repeats of the figure itself. A pooled percentile is no mean
 * of per-repeat ones, so the t interval is widened to hold it where it doesn't. Largest values have no interval. */
#ifndef THINPROBE_ESTIMATES_H
#define THINPROBE_ESTIMATES_H

#include "interval.h"
#include "keys.h"

/* The keys of one repeat. */
struct train_keys {
	struct keys keys;
	bool overloaded;
	int64_t repeat;
};

enum figure_name {
	LATE, LATE_HIGH,			/* percent */
	P50, P90, P95, P99, MAX,		/* ms from the due time; of a range its early end */
	HIGH_P50, HIGH_P90, HIGH_P95, HIGH_P99, HIGH_MAX,	/* its late end; NAN where every answer is exact */
	SENT_P50,				/* ms from when the key was sent; of a range its early end */
	LATENESS_P99, LATENESS_MAX,		/* us */
	FIGURES
};

enum interval_kind { INTERVAL_NONE, INTERVAL_T, INTERVAL_BCA, INTERVAL_EXACT };

struct estimates {
	struct figure of[FIGURES];
	size_t keys;		/* pooled, of which something is known */
	size_t unknown;		/* pooled, of which nothing is: left out */
	size_t skipped;		/* warm-up keys, left out */
	size_t censored;
	size_t ranged_keys;	/* answered, but known only as a range */
	size_t overloaded;	/* repeats */
	bool ranged;
	enum interval_kind interval, late_interval;	/* how they were made */
};

struct estimates_cfg {
	int64_t threshold_ns;	/* later than this is late */
	size_t draws;		/* of the bootstrap */
	uint64_t seed;
};

/* With one overloaded train or more, latency percentiles stay unknown: pooling it would measure the length of the run,
 * leaving it out would drop just the slow keys. */
struct estimates estimates_of(const struct train_keys *train, size_t n, const struct estimates_cfg *cfg);

#define CDF_POINTS 1000		/* a curve at most */
/* The share of keys known to be there after that time: censored keys are never. */
struct cdf_point {
	int64_t ns;
	double share;
};
/* At most `max` (>= 2) points of the pooled curve of the early or late (`high`) ends, first and last among them; none of an
 * overloaded cell. The caller's. */
struct cdf_point *estimates_cdf(const struct train_keys *train, size_t n_train, bool high, size_t max, size_t *n);

#endif
