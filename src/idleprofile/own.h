/* SPDX-License-Identifier: GPL-3.0-or-later */
/* own - what the idle loop does to others, measured before the run on one CPU: with the loop and without, in turn.
 *
 * A normal task's wake-up (wait from a random due time on), its throughput (turns of a fixed loop per second of wall
 * clock), and the CPU's timer interrupts per second while nothing else of ours runs (the line LOC of /proc/interrupts,
 * where there is one): an idle CPU stops its tick, a spinning one keeps it. */
#ifndef THINPROBE_OWN_H
#define THINPROBE_OWN_H

#include "sample.h"
#include "spin.h"

#include <stdio.h>

struct own {
	struct sample alone, beside;		/* waits, ns; owned */
	double throughput_percent;		/* beside, of alone; NAN: not measured, or disturbed */
	double throughput_low_percent, throughput_high_percent;	/* of the rounds */
	double others_percent;			/* of that CPU's time, what others than we and the loop had meanwhile */
	bool disturbed;				/* that is more than OWN_DISTURBED_PERCENT: waits and throughput say nothing of the loop */
	double ticks_alone_per_s, ticks_beside_per_s;	/* NAN: not known */
};

#define OWN_DISTURBED_PERCENT 3.0
/* One round: turns a second alone and beside; of how much time, which part others had. */
struct own_round {
	double turns[2];
	int64_t wall_ns, others_ns;
};
/* Pure: what the rounds say of throughput, and whether they were disturbed. */
void own_judge(struct own *o, const struct own_round *round, int n);

/* Takes about `time_ns`; the loops must have been calibrated, and are paused afterwards. 0 or an error of spin_order. */
int own_measure(struct own *o, struct spin *s, int cpu, int64_t time_ns, uint64_t seed);
void own_free(struct own *o);
/* Timer interrupts of one CPU so far in a text like /proc/interrupts; -1 where it does not say. */
int64_t own_read_ticks(FILE *interrupts, int cpu);

#endif
