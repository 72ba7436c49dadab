/* SPDX-License-Identifier: GPL-3.0-or-later */
/* wakeups - a normal task on each CPU that is woken at random times, to measure its wake-up latency.
 *
 * Open loop: the due times are a Poisson process (exponential distances), independent of the wake-ups before; latency counts from
 * the due time. The tasks are SCHED_OTHER, outside the idle loop's group, with a timer slack of 1 ns. The latency includes the
 * timer's interrupt and the switch to the task. */
#pragma once

#include "cli.h"
#include "ring.h"

struct woken_threads;

/* Starts one thread per CPU, with `rate_per_s` wake-ups a second each. 0 or -errno. */
int wakeups_start(struct woken_threads **out, const struct cli_cpus *cpus, double rate_per_s, uint64_t seed);
/* The ring of the i-th CPU: spans from due time to wake-up, in ns. */
struct span_ring *wakeups_ring(struct woken_threads *w, int i);
/* Thread id of the task on the i-th CPU. */
int wakeups_tid(const struct woken_threads *w, int i);
/* Ends the threads; the rings can still be read. */
void wakeups_stop(struct woken_threads *w);
/* Due time of the wake-up for which the task on the i-th CPU was still sleeping; after wakeups_stop(). */
int64_t wakeups_due_ns(const struct woken_threads *w, int i);
void wakeups_free(struct woken_threads *w);

/* Makes the calling thread a normal task (SCHED_OTHER) pinned to this CPU, with a timer slack of 1 ns. 0 or -errno. */
int wakeups_pin_thread(int cpu);
/* Draws the next distance of a Poisson process, in ns. */
int64_t wakeups_draw_ns(uint64_t *random, double rate_per_s);
