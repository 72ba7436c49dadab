/* SPDX-License-Identifier: GPL-3.0-or-later */
/* wakeups - a normal task on each CPU that is woken at random times: how long it really waits.
 *
 * Open loop: the times are a Poisson process (exponential gaps) laid out beforehand, whatever became of the wake-up
 * before; a wait counts from when it was due. The tasks are SCHED_OTHER and outside the idle loop's group, with a
 * timer slack of 1 ns. A wait holds the timer's interrupt and the switch to the task. */
#ifndef THINPROBE_WAKEUPS_H
#define THINPROBE_WAKEUPS_H

#include "cli.h"
#include "ring.h"

struct wakeups;

/* One thread per CPU, `rate_per_s` wake-ups a second each. 0 or -errno. */
int wakeups_start(struct wakeups **out, const struct cli_cpus *cpus, double rate_per_s, uint64_t seed);
/* Spans (due, woke) of the i-th CPU, in ns. */
struct span_ring *wakeups_ring(struct wakeups *w, int i);
/* Thread id on the i-th CPU. */
int wakeups_tid(const struct wakeups *w, int i);
/* Ends the threads; the rings are still there. */
void wakeups_stop(struct wakeups *w);
/* When the next wake-up of the i-th CPU would have been due; after wakeups_stop. */
int64_t wakeups_pending_due_ns(const struct wakeups *w, int i);
void wakeups_free(struct wakeups *w);

/* Makes the calling thread a normal task on this CPU, punctual for a sleep. 0 or -errno. */
int wakeups_make_thread_normal(int cpu);
/* The next gap of a Poisson process, in ns. */
int64_t wakeups_random_gap_ns(uint64_t *random, double rate_per_s);

#endif
