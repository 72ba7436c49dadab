/* SPDX-License-Identifier: GPL-3.0-or-later */
/* observer_effect - the effect of the idle loop on other tasks, measured before the run on one CPU, with the loop and without it
 * in turn.
 *
 * Three figures: the wake-up latency of a normal task (from a random due time), its throughput (turns of a fixed loop per second
 * of wall clock), and the CPU's timer interrupts per second while no other task of ours runs (line LOC of /proc/interrupts, if
 * there is one): an idle CPU stops its tick, one with an idle loop keeps it. */
#pragma once

#include "sample.h"
#include "spin.h"

struct observer_effect {
	struct sample alone, beside; /* wake-up latencies in ns, without the loop and with it; owned */
	double throughput_percent;   /* throughput with the loop, in percent of that without; NAN: not measured, or disturbed */
	double throughput_low_percent, throughput_high_percent; /* lowest and highest round */
	double others_percent; /* share of the CPU's time that went to tasks other than this program and the loop */
	bool disturbed;	       /* others_percent over OBSERVER_DISTURBED_PERCENT: the figures do not show the loop's effect */
	double ticks_alone_per_s, ticks_beside_per_s; /* timer interrupts, without the loop and with it; NAN: not known */
};

#define OBSERVER_DISTURBED_PERCENT 3.0
/* One round: turns per second without the loop and with it; wall-clock time of the round, and how much of it other tasks had. */
struct observer_round {
	double turns[2];
	int64_t wall_ns, others_ns;
};
/* Computes throughput and disturbance from the rounds. Pure. */
void observer_evaluate(struct observer_effect *o, const struct observer_round *round, int n);

/* Takes about `time_ns`; the loops must have been calibrated, and are paused afterwards. 0 or an error of
 * spin_send_order(). */
int observer_measure(struct observer_effect *o, struct idle_loops *s, int cpu, int64_t time_ns, uint64_t seed);
void observer_free(struct observer_effect *o);
/* Number of timer interrupts of one CPU so far, from a text like /proc/interrupts; -1: not in the text. */
int64_t observer_parse_ticks(FILE *interrupts, int cpu);
