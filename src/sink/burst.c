// SPDX-License-Identifier: GPL-3.0-or-later
#include "burst.h"
#include "clock.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <time.h>

#define SPIN_TURNS 256 /* loop turns between readings of the clock: well below a microsecond */

static bool is_run_stopped(const struct burst_stop *stop)
{
	return atomic_load_explicit(stop->flag, memory_order_relaxed);
}

/* Sleeps as precisely as clock_nanosleep, but cannot miss a stop that comes just before the sleep. */
static void sleep_burst(int64_t due_ns, const struct burst_stop *stop)
{
	struct timespec ts = clock_timespec(due_ns);

	while (!is_run_stopped(stop) && sem_clockwait(stop->wake, CLOCK_MONOTONIC, &ts) && errno == EINTR)
		;
}

/* Reading the CPU time is a system call that locks the run queue: it is read only when, by the wall clock, the burst may be
 * over. */
static void burn_burst(struct burst_record *b, const struct burst_stop *stop)
{
	int64_t cpu_from, left;

	b->start_ns = clock_now();
	cpu_from = clock_thread_cpu();
	b->cpu_ns = 0;
	while ((left = b->asked_ns - b->cpu_ns) > 0 && !is_run_stopped(stop)) {
		int64_t until = clock_now() + left;

		while (clock_now() < until && !is_run_stopped(stop))
			for (int i = 0; i < SPIN_TURNS; i++)
				__asm__ volatile("" ::: "memory");
		b->cpu_ns = clock_thread_cpu() - cpu_from;
	}
	b->end_ns = clock_now();
}

void burst_warm_up(struct burst_record *rows, size_t room, const struct burst_stop *stop)
{
	struct burst_record nothing = { .asked_ns = 1 };

	memset(rows, 0, room * sizeof(*rows));
	sleep_burst(clock_now(), stop);
	burn_burst(&nothing, stop);
}

void burst_play(const struct burst_plan *plan, int64_t origin_ns, struct burst_record *rows, atomic_size_t *played,
		const struct burst_stop *stop)
{
	for (size_t i = 0; i < plan->n; i++) {
		struct burst_record *b = &rows[i];

		b->due_ns = origin_ns + plan->due[i].start_ns;
		b->asked_ns = plan->due[i].length_ns;
		sleep_burst(b->due_ns, stop);
		if (is_run_stopped(stop))
			return;
		burn_burst(b, stop);
		atomic_store_explicit(played, i + 1, memory_order_release);
	}
}
