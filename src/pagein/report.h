/* SPDX-License-Identifier: GPL-3.0-or-later */
/* report - the figures of all runs of pagein. */
#pragma once

#include "cycle.h"

struct cycle_tally {
	int64_t of[5];	    /* runs of each judge_state */
	int64_t unanswered; /* keys without an echo before the timeout, in runs that count */
};

/* Writes the object "result" and fills *tally. `timeout_ns`: how long the prober waited for an echo. */
void report_cycles(struct rec_report *r, const struct cycle_cfg *cfg, struct cycle_run *run, size_t n, int64_t timeout_ns,
		   struct cycle_tally *tally);

/* Writes the short report for people. */
void report_say_cycles(struct rec_report *r, const struct cycle_cfg *cfg, const struct cycle_run *run, size_t n, int64_t timeout_ns,
		       const struct cycle_tally *tally);
