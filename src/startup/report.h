/* SPDX-License-Identifier: GPL-3.0-or-later */
/* report - what runs of an application's start say, in words and figures. */
#ifndef STARTUP_REPORT_H
#define STARTUP_REPORT_H

#include "rec.h"
#include "replay.h"
#include "start.h"

struct report_run {
	struct start_result result;
	struct cold_dropped cold;
	struct replay_result replay;
	int replay_error;		/* -errno, 1: not asked for */
};

struct report_cfg {
	bool cold, delays, t0_given;
	int64_t t0_ns, t0_spread_ns;
	const char *no_delays;		/* why there is no delay accounting */
	const struct then *script;	/* NULL: none */
};

/* The "result" of the report; `n` runs. Returns how many of them were stable. */
int64_t report_starts(struct rec *r, const struct report_cfg *cfg, const struct report_run *run, int64_t n);
/* The short report. */
void say_starts(struct rec *r, const struct report_cfg *cfg, const struct report_run *run, int64_t n, const char *command);

#endif
