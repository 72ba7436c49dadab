/* SPDX-License-Identifier: GPL-3.0-or-later */
/* wakeups - a normal task on each CPU that is woken at random times, to measure its wake-up latency.
 *
 * Open loop: the due times are a Poisson process (exponential distances), independent of the wake-ups before; latency counts from
 * the due time. The tasks are SCHED_OTHER, outside the idle loop's group, with a timer slack of 1 ns. The latency includes the
 * timer's interrupt and the switch to the task. */
#pragma once

#include "cli.h"
#include "ring.h"

#include <pthread.h>

struct woken_thread {
	const _Atomic uint32_t *stop;
	int cpu, err;
	_Atomic int tid;
	int64_t due; /* due time of the wake-up for which the task sleeps, or slept when it was ended */
	double rate;
	uint64_t random;
	pthread_t thread;
	struct span_ring ring; /* spans from due time to wake-up, in ns */
};

struct woken_threads {
	_Atomic uint32_t stop; /* 1: end; a futex */
	int n;		       /* number of threads started, one a CPU */
	struct woken_thread *waker;
};

/* Starts one thread per CPU, with `rate_per_s` wake-ups a second each. 0 or -errno. */
int wakeups_start(struct woken_threads **out, const struct cli_cpus *cpus, double rate_per_s, uint64_t seed);
/* Ends the threads; the rings can still be read. */
void wakeups_stop(struct woken_threads *w);
void wakeups_free(struct woken_threads *w);

/* Makes the calling thread a normal task (SCHED_OTHER) pinned to this CPU, with a timer slack of 1 ns. 0 or -errno. */
int wakeups_pin_thread(int cpu);
/* Draws the next distance of a Poisson process, in ns. */
int64_t wakeups_draw_ns(uint64_t *random, double rate_per_s);
