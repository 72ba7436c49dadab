/* SPDX-License-Identifier: GPL-3.0-or-later */
/* told - what a person reads: before the first key what will be typed where, while keys go how it goes, at the end the answer. */
#ifndef KEYREPEAT_TOLD_H
#define KEYREPEAT_TOLD_H

#include "figures.h"
#include "rec.h"

#include <pthread.h>

struct told_cfg {
	const char *target;	/* as it was given */
	const char *receiver;	/* what gets the keys; "": nothing does */
	const char *script;	/* NULL: one key */
	const char *key;
	size_t keys, skip;
	double rate_per_s;
	int64_t time_ns, threshold_ns;
	int watch;		/* enum target_watch */
};

/* On a terminal at standard error, nowhere else. */
void told_before(const struct told_cfg *cfg);

/* A line a second there, by a thread of its own: a terminal that is held up must not hold up a key. */
struct told_progress {
	const struct told_cfg *cfg;
	const struct train *train;
	const struct observations *seen;
	_Atomic bool stopping;
	bool running;
	pthread_t thread;
};
void told_progress_start(struct told_progress *p, bool quiet);
void told_progress_end(struct told_progress *p);

/* The short report. */
void told_result(struct rec *r, const struct told_cfg *cfg, const struct train *train, struct figures *f);

#endif
