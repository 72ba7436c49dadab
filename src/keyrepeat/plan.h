/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plan - which keys are to be sent, and when, before they have times of day. */
#ifndef KEYREPEAT_PLAN_H
#define KEYREPEAT_PLAN_H

#include "act.h"
#include "schedule.h"
#include "script.h"
#include "target.h"

#define PLAN_KEYS_MAX 10000000
#define PLAN_WHY 300

struct plan_cfg {
	const char *script;		/* file; NULL: a train as below */
	const char *key;
	double rate_per_s;		/* 0: no keys */
	int64_t time_ns;
	int schedule;			/* enum schedule_kind */
	uint64_t seed;
};

struct plan {
	size_t n;
	int64_t *offset_ns, period_ns;
	struct script script;		/* owns offset_ns and act, where there is one */
	const struct act *act;		/* NULL: all are `only` */
	struct act only;
	int *key;			/* the same as the target's numbers */
	int only_key;
};

/* 0; or the status to end with (EXIT_USAGE, EXIT_RUN), with a line in `why`. Of keys that are asked for there is one. */
int plan_make(const struct plan_cfg *cfg, struct plan *out, char why[PLAN_WHY]);
/* A key by itself that types, the first in the plan; NULL: none. */
const struct act *plan_key(const struct plan *plan);
/* Does anything but keys happen in it? */
bool plan_points(const struct plan *plan);
/* Looks everything up at the open target, before the first key is sent. 0, or -1 with a line in `why`. */
int plan_prepare(struct plan *plan, const struct target_ops *target, void *self, char why[TARGET_WHY]);
void plan_free(struct plan *plan);

#endif
