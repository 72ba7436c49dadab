/* SPDX-License-Identifier: GPL-3.0-or-later */
/* key_figures - the keys of one train as keyrepeat wrote them (schema keys/1), and latency figures computed from them.
 *
 * Columns are found by name, so a file with additional columns is read too. Times are CLOCK_MONOTONIC nanoseconds. */
#pragma once

#include "interval.h"
#include "keys.h"
#include "run_folder.h"

struct key_samples {
	struct key_times *key; /* owned; without the skipped warm-up keys */
	size_t n, skipped;
	bool ranged; /* the answer of at least one key is a range (read from the wire alone) */
};

/* Reads samples.tsv of keyrepeat or of ping into a struct key_samples, which starts all zero. A ping counts as a key that is due
 * and sent at PING_DUE and answered after its round trip time; nothing is known of a lost ping. */
#define PING_DUE 1
extern const struct input_table keys_rows;
void keys_free(struct key_samples *k);

/* --- figures of a cell from the keys of its repeats -------------------------------------------------------------- */

/* Percentiles are exact and pooled over the repeats; intervals: pool_quantile(). Largest values have none. */
/* The keys of one repeat. */
struct key_train_samples {
	struct key_samples keys;
	bool overloaded;
	int64_t repeat;
};

enum figure_name {
	LATE, /* percent of keys later than the threshold */
	P50,
	P90,
	P95,
	P99,
	MAX,	  /* ms from the due time to the echo */
	SENT_P50, /* the same from when keys were sent */
	LATENESS_P99,
	LATENESS_MAX, /* us that keys were sent after their due time */
	FIGURES
};

enum interval_kind { INTERVAL_NONE, INTERVAL_T, INTERVAL_EXACT };

struct key_figures {
	struct figure of[FIGURES];	 /* a range where keys are ranges */
	struct figure late_end[FIGURES]; /* the same by the late ends alone; absent where those are not needed */
	size_t keys;			 /* keys of all repeats of which something is known */
	size_t unknown;			 /* keys of all repeats of which nothing is known: left out */
	size_t skipped;			 /* warm-up keys, left out */
	size_t censored;
	size_t ranged_keys; /* keys with an answer of which only a range is known */
	size_t overloaded;  /* number of overloaded repeats */
	bool ranged;
	enum interval_kind interval, late_interval; /* method of the intervals of the median, and of the share of late keys */
};

/* Computes the figures of n trains; a key with a longer latency than `threshold_ns` is late. If one of them is overloaded,
 * latency percentiles stay unknown: pooling it would measure the length of the run, leaving it out would drop exactly the slow
 * keys. */
struct key_figures keys_estimate_figures(const struct key_train_samples *train, size_t n, int64_t threshold_ns);

#define CDF_POINTS 1000 /* most points of a curve */
/* Point of a cumulative distribution: the share of all keys whose echo is known to be there `ns` after the due time. Keys without
 * an echo never count. */
struct cdf_point {
	int64_t ns;
	double share;
};
/* Returns at most `max` (>= 2) points of the pooled curve, by early or late (`high`) ends of ranges, including the first and the
 * last point; none if a train is overloaded. The caller frees the array. */
struct cdf_point *keys_compute_cdf(const struct key_train_samples *train, size_t n_train, bool high, size_t max, size_t *n);

/* --- for other extractors ----------------------------------------------------------------------------------------- */

struct experiment_cell;
struct experiment_repeat;
struct table_out;
/* Reads samples.tsv of a repeat, and from keyrepeat.json, if there is one, whether it was overloaded. */
struct key_train_samples keys_read_train(const struct experiment_repeat *r);
/* Gives the figures "low.p50" etc. (keys_extract.c) of n trains of a cell. */
struct key_figures keys_set_figures(const struct experiment_cell *c, const struct key_train_samples *train, size_t n);
