/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tempo - when inputs are due: an open loop on absolute times, which a wait for the screen moves as a whole. Pure.
 *
 * An input is due its distance in the trace after the one before it was due, however late that one
 * went: lateness does not add up. Distances of thinking may be made shorter or longer (speed,
 * jitter); those of the hand are kept exactly: while a button or a key is down (a drag, a key that
 * repeats), and between the clicks of a double click. */
#ifndef THINPROBE_TEMPO_H
#define THINPROBE_TEMPO_H

#include "vncplay/common/trace.h"

#include <stdbool.h>
#include <stdint.h>

struct tempo {
	double speed;		/* distances of thinking are divided by it */
	double jitter;		/* and multiplied by 1 - jitter to 1 + jitter */
	uint64_t random;	/* the state of the jitter: its seed */
	int64_t due_ns;		/* of the input before */
	int64_t at_ns;		/* its time in the trace */
	unsigned buttons;	/* down after the input before: bit 0 is button 1 */
	struct trace_keys down;
	struct trace_event click;	/* the last press or release; of no button: none */
};

/* speed > 0; 0 <= jitter < 1. The first input is due at `start_ns`, plus its time in the trace. */
void tempo_start(struct tempo *t, double speed, double jitter, uint64_t seed, int64_t start_ns);
/* When this input is due; to be called once for each input, in order (not for snapshots). */
int64_t tempo_due(struct tempo *t, const struct trace_event *input);
/* It could not go before `now_ns` for want of what the screen was to show: it was due then, and all
 * that follows is later. Returns by how much. */
int64_t tempo_shift(struct tempo *t, int64_t now_ns);

#endif
