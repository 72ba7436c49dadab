/* SPDX-License-Identifier: GPL-3.0-or-later */
/* judge - who is background now: the histories of all processes in scope, and what is known of sound. */
#ifndef VAMP_JUDGE_H
#define VAMP_JUDGE_H

#include "favour.h"
#include "input.h"
#include "tasks.h"

/* Processes above the threshold. Those that are not tagged for a reason follow those that are. */
enum spared { SPARED_NOT, SPARED_SOUND, SPARED_LIGHT };
extern const char *const spared_words[];	/* "", "plays sound", "light before others took the CPUs" */
struct judged {
	struct tag *tag;	/* owned */
	enum spared *why;	/* owned */
	size_t n, background;	/* the first so many are background */
};

/* By the last sample of `tasks`; audio NULL: nobody plays sound. `threshold`: share of a CPU. 0 or -ENOMEM. */
int judge(const struct tasks *tasks, int64_t sub_ns, double threshold, const struct audio *audio, struct judged *out);
void judged_free(struct judged *j);
/* Are the same processes background? */
bool judged_same(const struct judged *a, const struct judged *b);

#endif
