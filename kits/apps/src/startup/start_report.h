/* SPDX-License-Identifier: GPL-3.0-or-later */
/* start_report - writes the results of all starts of an application as a report. */
#pragma once

#include "rec.h"
#include "replay.h"
#include "start.h"

struct run_results {
	struct start_result result;
	struct drop_result cold;
	struct replay_result replay;
	int64_t io_ns; /* T_IO, by the replay; -1: none was requested */
};

struct report_cfg {
	bool warmed;			   /* it was started before, so that its files were in the page cache */
	bool cold;			   /* files were dropped from the page cache before each start */
	bool t0_given;			   /* --baseline was given: t0_ns and t0_spread_ns */
	int64_t t0_ns, t0_spread_ns;	   /* mean and standard deviation of starts without swapping */
	const struct event_script *script; /* NULL: none */
};

/* The overhead e: how much of the time that memory pressure adds to a start is not input and output. After the model of Xie and
 * others: T_swap = T_startup - T0 is the time that paging adds (T0: the same start without paging), T_mm = T_swap - T_IO the part
 * that memory management takes (T_IO: the same requests alone on the same device), e = T_mm / T_swap. Negative where requests
 * overlapped with work or with each other. NAN where t_io_ns < 0 (not known), or T_swap is not above 0 or not above
 * OVERHEAD_SPREADS times t0_spread_ns, the standard deviation of T0: e would be noise. */
#define OVERHEAD_SPREADS 3
double report_overhead(int64_t startup_ns, int64_t t0_ns, int64_t t0_spread_ns, int64_t t_io_ns);

/* Writes the object "result" for `n` runs. Returns how many of them were stable. */
int64_t report_starts(struct rec_report *r, const struct report_cfg *cfg, const struct run_results *run, int64_t n);
/* Writes the short report. */
void report_say_starts(struct rec_report *r, const struct report_cfg *cfg, const struct run_results *run, int64_t n,
		       const char *command);
