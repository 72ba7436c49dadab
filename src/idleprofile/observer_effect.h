/* SPDX-License-Identifier: GPL-3.0-or-later */
/* observer_effect - what the idle loop does to others, measured before the run on one CPU: with the loop and without, in turn.
 *
 * A normal task's wake-up (wait from a random due time on), its throughput (turns of a fixed loop per second of wall
 * clock), and the CPU's timer interrupts per second while nothing else of ours runs (the line LOC of /proc/interrupts,
 * where there is one): an idle CPU stops its tick, a spinning one keeps it. */
#ifndef THINPROBE_OBSERVER_EFFECT_H
#define THINPROBE_OBSERVER_EFFECT_H

#include "sample.h"
#include "spin.h"

#include <stdio.h>

struct observer_effect {
	struct sample alone, beside;		/* waits, ns; owned */
	double throughput_percent;		/* beside, of alone; NAN: not measured, or disturbed */
	double throughput_low_percent, throughput_high_percent;	/* of the rounds */
	double others_percent;			/* of that CPU's time, what others than we and the loop had meanwhile */
	bool disturbed;				/* that is more than OBSERVER_DISTURBED_PERCENT: waits and throughput say nothing of the loop */
	double ticks_alone_per_s, ticks_beside_per_s;	/* NAN: not known */
};

#define OBSERVER_DISTURBED_PERCENT 3.0
/* One round: turns a second alone and beside; of how much time, which part others had. */
struct observer_round {
	double turns[2];
	int64_t wall_ns, others_ns;
};
/* Pure: what the rounds say of throughput, and whether they were disturbed. */
void observer_effect_evaluate(struct observer_effect *o, const struct observer_round *round, int n);

/* Takes about `time_ns`; the loops must have been calibrated, and are paused afterwards. 0 or an error of spin_order. */
int observer_effect_measure(struct observer_effect *o, struct spin *s, int cpu, int64_t time_ns, uint64_t seed);
void observer_effect_free(struct observer_effect *o);
/* Timer interrupts of one CPU so far in a text like /proc/interrupts; -1 where it does not say. */
int64_t observer_read_timer_interrupts(FILE *interrupts, int cpu);

#endif
