/* SPDX-License-Identifier: GPL-3.0-or-later */
/* burst - burns CPU time in bursts as a plan says, and remembers what it really burned: the truth
 * that other tools are held against.
 *
 * A burst lasts until its length of the thread's own CPU time is used, by the kernel's account of
 * it (CLOCK_THREAD_CPUTIME_ID), however long that takes. That account is opened and closed within
 * start_ns..end_ns, so that where nothing else may run meanwhile the two differ by the cost of
 * reading clocks. Interrupts, and what a hypervisor takes unnoticed, count as used. While it runs
 * nothing is written or allocated. */
#ifndef THINPROBE_BURST_H
#define THINPROBE_BURST_H

#include "burst_plan.h"

#include <semaphore.h>
#include <stdatomic.h>

struct burst {
	int64_t due_ns, start_ns, end_ns;	/* CLOCK_MONOTONIC */
	int64_t asked_ns, cpu_ns;		/* of CPU time; less than asked in the one that a stop cut short */
};

/* What a run shares with who stops it, in memory that both see. */
struct burst_stop {
	atomic_bool *flag;
	sem_t *wake;				/* posted once for each player, after the flag was set */
};

/* Makes the next call of burst_play() punctual: touches `room` rows and runs through a burst of no length. */
void burst_warm_up(struct burst *rows, size_t room, const struct burst_stop *stop);

/* Plays the plan from `origin_ns` on, one row for each burst begun; *played counts those complete
 * in `rows` at any time. One that is due before its predecessor ends follows at once. */
void burst_play(const struct burst_plan *plan, int64_t origin_ns, struct burst *rows, atomic_size_t *played,
		const struct burst_stop *stop);

#endif
