/* SPDX-License-Identifier: GPL-3.0-or-later */
/* backlog - tells whether the queue of unanswered keys grows without end (overload). Pure.
 *
 * Under overload, latencies depend on the length of the run. The backlog at a time is keys due minus keys answered. Overload means
 * a backlog that rises steadily over the last half of the train, not one that is high: an application that answers many keys with
 * one redraw has a high backlog that falls back with each redraw. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct backlog_growth {
	double per_s;	 /* least-squares slope of the backlog over the last half, keys/s; NAN with fewer than 4 keys there */
	bool overloaded; /* never true with fewer than 32 keys: too few to tell */
};

/* `due_ns` and `answer_ns` hold n ascending times each; INT64_MAX: not answered. */
void backlog_judge(const int64_t *due_ns, const int64_t *answer_ns, size_t n, struct backlog_growth *out);
