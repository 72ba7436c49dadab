/* SPDX-License-Identifier: GPL-3.0-or-later */
/* keys - the samples of one train as keyrepeat wrote them (schema keys/1).
 *
 * Columns are found by name, so a file with more of them is read too. Times are CLOCK_MONOTONIC nanoseconds. */
#ifndef THINPROBE_SUMMARIZE_KEYS_H
#define THINPROBE_SUMMARIZE_KEYS_H

#include "interval.h"
#include "run_folder.h"

#define KEY_NONE ROWS_IN_NONE	/* an empty cell */

struct key {
	int64_t due, sent;
	int64_t answer;		/* when the echo was there; with a range, its early end */
	int64_t answer_high;	/* the range's late end; KEY_NONE: exact */
	int64_t censored;	/* there was no echo by then */
	int64_t number;		/* from 1, skipped keys counted; KEY_NONE in a file that does not say */
};

struct keys {
	struct key *key;	/* owned; without those the train skipped (its warm-up) */
	size_t n, skipped;
	bool ranged;		/* some answer is a range: wire-only pairing */
};

/* samples.tsv of keyrepeat, or of ping: then a key is due at 0 and answered after the round trip, and of one that was lost nothing
 * is known. Rows add to a struct keys, which starts all zero. */
extern const struct rows_kind keys_rows;
void keys_free(struct keys *k);

bool key_exact(const struct key *k);	/* answered, and known exactly when */
/* Latency from the due time. False: nothing is known of this key. `later`: only that it is later than that. */
bool key_latency(const struct key *k, bool high, int64_t *ns, bool *later);

/* --- figures of a cell from the keys of its repeats -------------------------------------------------------------- */

/* Percentiles are pooled over the repeats and exact. Intervals: below ten repeats Student t over per-repeat values (on
 * logarithms for latencies), from ten on a BCa bootstrap over repeats of the figure itself. A pooled percentile is no mean
 * of per-repeat ones, so the t interval is widened to hold it where it doesn't. Largest values have no interval. */
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

/* --- for other extractors ----------------------------------------------------------------------------------------- */

struct cell;
struct repeat;
struct table_out;
/* samples.tsv of a repeat, and its overload by keyrepeat.json where there is one. */
struct train_keys keys_train(const struct repeat *r);
/* Median of those in ns; NAN where it is none: overloaded, or among keys without an echo. */
double keys_median(const struct train_keys *t);
/* Figures "low.p50" etc. of n trains of a cell. */
struct estimates keys_give_figures(const struct cell *c, const struct train_keys *train, size_t n);

#endif
