/* SPDX-License-Identifier: GPL-3.0-or-later */
/* burst - uses CPU time in planned bursts and records the CPU time really used: a reference against which profilers are checked.
 *
 * A burst lasts until the thread has used the planned CPU time (CLOCK_THREAD_CPUTIME_ID), however long that takes. The CPU clock is
 * read within start_ns..end_ns, so that on an idle CPU both differ only by the cost of reading clocks. Interrupts and time stolen
 * unnoticed by a hypervisor count as used. Nothing is written or allocated while bursts run. */
#pragma once

#include "burst_plan.h"

#include <semaphore.h>
#include <stdatomic.h>

struct burst_record {
	int64_t due_ns, start_ns, end_ns; /* CLOCK_MONOTONIC */
	int64_t asked_ns, cpu_ns;	  /* CPU time planned and used; less only in a burst that a stop cut short */
};

/* How a run is stopped; in memory shared with the stopping process. */
struct burst_stop {
	atomic_bool *flag;
	sem_t *wake; /* posted once for each process after the flag was set */
};

/* Prepares burst_play(): touches the memory of `room` rows and runs a burst of 1 ns. */
void burst_warm_up(struct burst_record *rows, size_t room, const struct burst_stop *stop);

/* Runs the bursts of the plan, whose time 0 is origin_ns. *played: number of complete rows, at any time. A burst that is due before
 * the one before it has ended follows at once. */
void burst_play(const struct burst_plan *plan, int64_t origin_ns, struct burst_record *rows, atomic_size_t *played,
		const struct burst_stop *stop);
