/* SPDX-License-Identifier: GPL-3.0-or-later */
/* pool - the latencies of several runs (repeats) in one sorted array, each with the number of its run, so that runs can be
 * weighted.
 *
 * A bootstrap over runs asks for the same quantile thousands of times with other weights: after one sort, each takes one pass. */
#ifndef THINPROBE_POOL_H
#define THINPROBE_POOL_H

#include "estimate.h"
#include "sample.h"

struct pool_item {
	int64_t value;
	unsigned run;
	bool later;		/* the value is a lower bound */
};

struct pool {
	struct pool_item *item;	/* owned; sorted by value after pool_sort() */
	size_t n;
	size_t *of_run, runs;	/* of_run: number of values of each run; owned */
};

void pool_add(struct pool *p, int64_t value, size_t run);
void pool_sort(struct pool *p);
void pool_free(struct pool *p);

/* Returns the quantile (type 7, as sample.h) when each value of run i counts weight[i] times; NAN: no value counts. */
double pool_quantile(const struct pool *p, const unsigned *weight, double q);
/* Returns the quantile of all values, divided by `unit`, if there are enough values for it, with an interval over runs (logs: on
 * logarithms). No interval for the largest value (q = 1), nor where values that are lower bounds reach it. */
struct figure pool_figure(const struct pool *p, double q, double unit, bool logs, size_t draws, uint64_t seed);

#endif
