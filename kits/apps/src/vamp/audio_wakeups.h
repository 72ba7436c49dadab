/* SPDX-License-Identifier: GPL-3.0-or-later */
/* audio_wakeups - counts which processes wake the sound server, from the kernel's records (sched_waking, on every CPU), and
 * averages the counts (Kim et al. 2014, section 4.3, Figure 3).
 *
 * The hypervisor of the paper infers wake-ups from interrupts between CPUs and cannot see those within one CPU. The kernel
 * records both. So the source of a wake-up is stored per thread of the server instead of per CPU. */
#pragma once

#include "input.h"
#include "why.h"

#define AUDIO_PROCESSES 256	/* maximum; further processes are not counted */
#define AUDIO_THREADS 64	/* maximum number of threads of the server */
#define AUDIO_CONFIDENCE 10	/* maximum confidence, as in the paper */

/* A wake-up of a thread of the server. Thread ids may be of any pid namespace, pids are of ours. */
struct audio_wakeup {
	int64_t time_ns;
	int waker_tid, waker_pid;	/* waker_pid 0: not visible in our pid namespace */
	int woken_tid;
	bool interrupt;			/* woken by an interrupt: the task that ran then is not the cause */
};

struct audio_wakeup_counts {
	struct audio_wakeup_counter process[AUDIO_PROCESSES];
	size_t n;
	struct {
		int tid, source;	/* `source`: the process on whose behalf the thread was last woken; 0: none */
	} thread[AUDIO_THREADS];
	size_t threads;
};

/* Adds a wake-up, in the order of time. A wake-up by a thread of the server counts for the process that woke that thread.
 * `server`: pid of the server. Pure. */
void audio_add_wakeup_to_counts(struct audio_wakeup_counts *c, int server, const struct audio_wakeup *w);
/* Updates all confidences (+1 for the `tagged` processes, -1 for others), then each average = (average + wake-ups / confidence) /
 * 2. With confidence 0 the wake-ups count in full. Processes whose average and confidence are 0 are removed. Pure. */
void audio_update_wakeup_averages(struct audio_wakeup_counts *c, const int *tagged, size_t n);
/* The process with the highest average, if that is at least one wake-up; 0: none. Pure. */
int audio_find_pid_waking_server_most(const struct audio_wakeup_counts *c);

struct audio_wakeup_tracer;
/* Starts to count. 0, or -errno with the reason in `why` (no permission to trace, no such tracepoint). Forks once if tracefs is
 * not mounted. Outside the initial pid namespace the filter matches the server's threads by name, since their pids in the
 * kernel's records are not known there. */
int audio_wakeup_tracer_open(struct audio_wakeup_tracer **out, int server, struct why *why);
/* Adds the wake-ups since the last call to `c`, except those by the `n` processes in `ours`. */
void audio_wakeup_tracer_count_new(struct audio_wakeup_tracer *w, struct audio_wakeup_counts *c, const int *ours, size_t n);
/* Updates the filter to the threads that the server has now. */
void audio_wakeup_tracer_update_filter(struct audio_wakeup_tracer *w);
void audio_wakeup_tracer_close(struct audio_wakeup_tracer *w);
