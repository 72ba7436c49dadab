/* SPDX-License-Identifier: GPL-3.0-or-later */
/* pool - the latencies of several repeats together, each knowing its repeat, so that repeats can be weighted.
 *
 * A bootstrap over repeats asks for the same quantiles thousands of times with other weights; sorted once, each costs one walk. */
#ifndef THINPROBE_POOL_H
#define THINPROBE_POOL_H

#include "estimate.h"
#include "sample.h"

struct pool_item {
	int64_t value;
	unsigned run;
	bool later;		/* all that is known is that it is later than that */
};

struct pool {
	struct pool_item *item;	/* owned; sorted by value after pool_sort() */
	size_t n;
	size_t *of_run, runs;	/* owned; how many values each run gave */
};

void pool_add(struct pool *p, int64_t value, size_t run);
void pool_sort(struct pool *p);
void pool_free(struct pool *p);

/* Quantile (type 7, as sample.h) of the multiset in which each value of run i stands weight[i] times. NAN when that is empty. */
double pool_quantile(const struct pool *p, const unsigned *weight, double q);
/* One of all values, over `unit`, where they are enough for it, with an interval over runs (logs: on logarithms). No interval of
 * the largest value (q 1), nor where values that are only known to be later reach it. */
struct figure pool_figure(const struct pool *p, double q, double unit, bool logs, size_t draws, uint64_t seed);

#endif
