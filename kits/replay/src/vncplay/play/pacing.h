/* SPDX-License-Identifier: GPL-3.0-or-later */
/* pacing - when inputs of a replay are due: an open loop on absolute times, which a wait for the screen shifts as a whole. Pure.
 *
 * The interval from one due time to the next is that of the trace, however late the earlier input was sent, so lateness does not
 * add up. Think times may be scaled (speed, jitter). Intervals within one gesture are kept exactly: while a button or a key is
 * down (a drag, a key that repeats), and between the clicks of a double click. */
#pragma once

#include "vncplay/common/trace.h"

#include <stdint.h>

struct pacing {
	double speed;		  /* think times are divided by this */
	double jitter;		  /* and multiplied by a random factor from 1 - jitter to 1 + jitter */
	uint64_t random;	  /* state of the random numbers; at first the seed */
	int64_t due_ns;		  /* when the last input was due, CLOCK_MONOTONIC */
	int64_t at_ns;		  /* time of the last input in the trace, ns */
	unsigned buttons;	  /* buttons down after the last input: bit 0 is button 1 */
	struct held_keys down;	  /* keys down after the last input */
	struct trace_event click; /* the last press or release of a button; button 0: none yet */
};

/* speed > 0; 0 <= jitter < 1. The first input is due at `start_ns` (CLOCK_MONOTONIC) plus its time in the trace. */
void pacing_start(struct pacing *t, double speed, double jitter, uint64_t seed, int64_t start_ns);
/* Returns when an input is due (CLOCK_MONOTONIC). To be called once for each input, in order; not for snapshots. */
int64_t pacing_compute_due(struct pacing *t, const struct trace_event *input);
/* The last input had to wait for the screen until `now_ns`: it and all later inputs are due later by that wait, which is
 * returned (ns; 0: it was not late). */
int64_t pacing_shift(struct pacing *t, int64_t now_ns);
