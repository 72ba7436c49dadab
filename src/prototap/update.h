/* SPDX-License-Identifier: GPL-3.0-or-later */
/* update - display-channel wire messages merged into updates, and how evenly these come.
 *
 * A message belongs to the current update when it begins less than the merge gap after the update's last packet and not
 * later than one key period after its first (single linkage, bounded); else it begins the next update, whose time is that of the
 * message's first packet. A message from before the current update by the merge gap or more came after the clock was set back:
 * it begins the next update, without a gap that anybody knows. Gaps go to a running account, and to a sample for percentiles. */
#ifndef PROTOTAP_UPDATE_H
#define PROTOTAP_UPDATE_H

#include "sample.h"

#include <stdbool.h>
#include <stdint.h>

/* Running count, mean and sum of squared deviations (Welford 1962), in nanoseconds. */
struct gap_account {
	uint64_t n;
	double mean, squares;
	int64_t min, max;
	uint64_t stalls;		/* gaps over the period */
	double stalls_sum;		/* of what they are over it */
};

/* Percentiles are exact up to this many gaps (16 MB); beyond, they come from a uniform choice of as many
 * (reservoir sampling, Vitter 1985, R), good to 0.1 percentile points. */
#define UPDATE_GAPS_MAX (1u << 21)

struct update_line {
	int64_t merge_ns, period_ns;
	uint64_t count;			/* updates so far; the current one's number */
	int64_t first_ns, last_ns;	/* of the current one */
	int64_t start_ns;		/* of the very first */
	struct gap_account gaps;
	struct sample *kept;		/* NULL: keep no gaps. Owned by the caller */
	uint64_t random;
};

void update_start(struct update_line *u, int64_t merge_ns, int64_t period_ns, struct sample *kept);

/* A message begins at `time_ns`: gives the number of its update. */
uint64_t update_message(struct update_line *u, int64_t time_ns);

/* More data of a message that belongs to update `number`: later messages link to its end. */
void update_more(struct update_line *u, uint64_t number, int64_t time_ns);

/* Sample variance (n - 1) of the gaps in ns^2; NAN for fewer than two. */
double gap_variance(const struct gap_account *g);

#endif
