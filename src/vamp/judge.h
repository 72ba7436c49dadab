/* SPDX-License-Identifier: GPL-3.0-or-later */
/* judge - which processes are background now: from the histories of all processes in scope, and from who plays sound. */
#ifndef VAMP_JUDGE_H
#define VAMP_JUDGE_H

#include "favour.h"
#include "input.h"
#include "tasks.h"

/* Processes above the threshold: first those that are background, then those that are spared; both in the order of pids. */
struct judged {
	struct tag *tag;	/* owned */
	size_t n, background;	/* the first so many are background */
};

/* By the last sample of `tasks`; audio NULL: no process plays sound. `threshold`: share of a CPU. 0 or -ENOMEM. */
int judge(const struct tasks *tasks, int64_t sub_ns, double threshold, const struct audio *audio, struct judged *out);
void judged_free(struct judged *j);
/* Are the same processes background? */
bool judged_same(const struct judged *a, const struct judged *b);

#endif
