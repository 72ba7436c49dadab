/* SPDX-License-Identifier: GPL-3.0-or-later */
/* update - messages of the display channel merged into screen updates, and the gaps between updates.
 *
 * A message belongs to the current update when it begins less than the merge gap after the update's last packet and at most one
 * key period after the update's first (single linkage, bounded); else it begins the next update, at its first packet's time. A
 * message earlier than the current update by the merge gap or more shows that the clock was set back: it begins the next update,
 * and no gap is counted.
 *
 * Where more is known than times, an update goes on after a longer pause, too: inside of a message of a protocol that is read, or
 * of a record of TLS; where its sender has more to send and is held back (by acknowledgements, or a slow link): after data without
 * PSH, and after a segment as large as those without PSH, unless the other side has spoken since. */
#pragma once

#include "sample.h"

#include <stdbool.h>
#include <stdint.h>

/* Count, mean and sum of squared deviations of gaps so far (Welford 1962), in nanoseconds. */
struct update_gaps {
	uint64_t n;
	double mean, squares;
	int64_t max;
	uint64_t stalls;   /* gaps over the key period */
	double stalls_sum; /* sum of the time by which they exceed the period */
};

/* Up to this many gaps (16 MB) are kept for exact percentiles; of more, a uniform random choice of as many (reservoir sampling,
 * Vitter 1985, R), good to 0.1 percentile points. A watch that runs for weeks keeps fewer (128 kB; 0.8 points). */
#define UPDATE_GAPS_MAX (1u << 21)
#define UPDATE_GAPS_WATCH (1u << 14)

enum update_more { MORE_UNKNOWN, MORE_FULL, MORE_UNPUSHED, MORE_MESSAGE };
#define UPDATE_HELD_NS 1000000000LL	/* a sender that is held back goes on within this */
#define UPDATE_MESSAGE_NS 10000000000LL /* a message goes on within this */
/* Whether data belongs to the update of the data before, `pause_ns` earlier. `spoken`: the other side has sent data since. */
bool update_goes_on(enum update_more more, int64_t pause_ns, bool spoken);

struct update_series {
	int64_t merge_ns, period_ns;
	uint64_t warmup;	   /* gaps that end with one of the first `warmup` updates do not count */
	uint64_t count;		   /* updates so far; number of the current update */
	int64_t first_ns, last_ns; /* first and last packet of the current update */
	uint64_t late;		   /* further updates, which came to light when others had begun: no gap is known of them */
	int64_t late_ns;	   /* the latest message of those */
	struct update_gaps gaps;
	struct sample *kept; /* the caller's, gets the gaps; NULL: they are not kept */
	uint64_t keep_most;  /* so many gaps at most */
	uint64_t random;     /* state of the random choice */
};

void update_start(struct update_series *u, int64_t merge_ns, int64_t period_ns, struct sample *kept);

/* Whether a message that begins at `time_ns` belongs to the current update. */
bool update_continues(const struct update_series *u, int64_t time_ns);
/* Adds a message that begins at `time_ns`; returns the number of its update. */
uint64_t update_add_message(struct update_series *u, int64_t time_ns);

/* Adds a message of a time that may have passed: that begins no gap, and ends none. Returns the number of the current update. */
uint64_t update_add_late(struct update_series *u, int64_t time_ns);
uint64_t update_count_all(const struct update_series *u);

/* Extends update `number` by more data of one of its messages. */
void update_extend(struct update_series *u, uint64_t number, int64_t time_ns);

/* Sample variance (n - 1) of the gaps in ns^2; NAN: fewer than two. */
double gaps_variance(const struct update_gaps *g);
