/* SPDX-License-Identifier: GPL-3.0-or-later */
/* lengths - lost time by length of event: the cumulative histogram, and the bound that it puts on waiting.
 *
 * Histogram: ten bins a decade from 1 us to 100 s; cumulative, so that y(x) = time lost to events no longer than x.
 * An event is in the first bin whose upper edge is not below its length.
 * Run-to-completion bound: were every event run to its end before a task that becomes ready at a random time, that task
 * would wait longer than x with probability sum(max(0, length - x)) / T. It is summed exactly, event by event, for a
 * fixed list of x. Pure; fixed in size. */
#ifndef THINPROBE_LENGTHS_H
#define THINPROBE_LENGTHS_H

#include <stddef.h>
#include <stdint.h>

#define LENGTHS_BINS 82		/* 1 us * 10^(i/10) for i = 0..80, and what is longer */
#define LENGTHS_WAITS 17

struct lengths {
	int64_t bin_ns[LENGTHS_BINS];	/* time lost in events of that bin */
	int64_t bin_events[LENGTHS_BINS];
	int64_t beyond_ns[LENGTHS_WAITS];
};

extern const int64_t lengths_waits[LENGTHS_WAITS];	/* ns, ascending */

/* Upper edge of a bin in ns; INT64_MAX for the last. */
int64_t lengths_edge(int bin);
/* The bin of an event so long. */
int lengths_bin(int64_t length_ns);
void lengths_add(struct lengths *l, int64_t length_ns);
/* P(wait > lengths_waits[i]) over `total_ns` of wall-clock time (of all CPUs together). */
double lengths_bound(const struct lengths *l, int i, int64_t total_ns);

#endif
