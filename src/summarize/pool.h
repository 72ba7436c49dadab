/* SPDX-License-Identifier: GPL-3.0-or-later */
/* pool - the latencies of several repeats together, each knowing its repeat, so that repeats can be weighted.
 *
 * A bootstrap over repeats asks for the same quantiles thousands of times with other weights; sorted once, each costs one walk. */
#ifndef THINPROBE_POOL_H
#define THINPROBE_POOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pool_item {
	int64_t value;
	unsigned run;
};

struct pool {
	struct pool_item *item;	/* owned; sorted by value after pool_sort() */
	size_t n;
	size_t *of_run, runs;	/* owned; how many values each run gave */
};

int pool_add(struct pool *p, int64_t value, size_t run);	/* 0 or -ENOMEM */
void pool_sort(struct pool *p);
void pool_free(struct pool *p);

/* Quantile (type 7, as sample.h) of the multiset in which each value of run i stands weight[i] times. NAN when that is empty. */
double pool_quantile(const struct pool *p, const unsigned *weight, double q);

#endif
