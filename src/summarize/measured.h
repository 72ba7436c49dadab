/* SPDX-License-Identifier: GPL-3.0-or-later */
/* measured - all values of one measure of a cell: together, by repeat, and with the repeat's number for a bootstrap
 * over repeats. */
#ifndef THINPROBE_SUMMARIZE_MEASURED_H
#define THINPROBE_SUMMARIZE_MEASURED_H

#include "estimates.h"
#include "pool.h"
#include "sample.h"

/* Latencies from when keys were due, at their low or high end, or from when they were sent; or how late they were sent. In ns. */
enum measure { LATENCY_LOW, LATENCY_HIGH, LATENCY_SENT, SEND_LATENESS };

struct measured {
	struct sample all, *run;
	struct pool pool;
	size_t runs;		/* with at least one value; so many are in `run` and in the pool */
	bool lost;		/* for want of memory */
};

/* 0 or -ENOMEM; to be freed either way. */
int measured_make(const struct train *t, size_t n, enum measure m, struct measured *out);
void measured_free(struct measured *m);

#endif
