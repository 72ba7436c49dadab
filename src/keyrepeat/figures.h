/* SPDX-License-Identifier: GPL-3.0-or-later */
/* figures - from the paired keys and updates of a train to figures (docs/method.md). Pure. */
#ifndef KEYREPEAT_FIGURES_H
#define KEYREPEAT_FIGURES_H

#include "backlog.h"
#include "sample.h"
#include "train.h"

struct figures_cfg {
	int watch;			/* enum target_watch */
	int64_t period_ns;
	int64_t threshold_ns;		/* an answer later than this after its due time is late */
	double noise_per_s;		/* updates that come without a key */
};

/* Keys are those that fell due and are not skipped, unless it says otherwise. Times in ns. */
struct figures {
	size_t keys_due, keys_sent, keys_skipped, keys_answered, keys_exact, coalesced;
	size_t updates;			/* from the first of these keys to the answer of the last, block by block */
	size_t late, late_high;		/* certainly; possibly */
	size_t ahead;			/* pictures that showed keys which had not been sent yet */
	bool any_answer;		/* also of a skipped key */
	bool caret;			/* paired by where the caret stood, not by the number of updates */
	struct backlog backlog;		/* over all keys, the skipped ones too */
	struct sample lateness, from_due, from_sent, high;
	struct sample interarrival, stall;	/* stall: inter-arrival minus the period, may be negative */
	size_t stalls;			/* of them over 0 */
	double mean_positive_ns;	/* mean of max(0, stall); NAN without any */
	int64_t largest_gap_ns;		/* also the one still open at the end, if keys were unanswered; -1: none */
	double late_percent, late_high_percent, updates_per_key;	/* NAN without keys */
};

/* Pairs the train's keys with what was seen and computes all that. 0 or -ENOMEM. */
int figures_compute(const struct figures_cfg *cfg, struct train *train, const struct observations *seen, struct figures *out);
void figures_free(struct figures *f);

#endif
