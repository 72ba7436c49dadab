/* SPDX-License-Identifier: GPL-3.0-or-later */
/* audio_wakeups - which tasks woke the threads of the sound server: records of the kernel (sched_waking, on every CPU). */
#ifndef VAMP_AUDIO_WAKEUPS_H
#define VAMP_AUDIO_WAKEUPS_H

#include "input.h"

#define AUDIO_PROCESSES 256	/* further ones are not counted */
#define AUDIO_THREADS 64	/* of the server */
#define AUDIO_CONFIDENCE 10	/* at most: from the paper */

/* A thread of the server was woken. Threads by any numbers that tell them apart, processes by pid. */
struct audio_wakeup {
	int64_t time_ns;
	int waker_tid, waker_pid;	/* pid 0: not visible here */
	int woken_tid;
	bool interrupt;			/* by an interrupt: the task that ran then is not its cause */
};

struct audio_wakeup_counts {
	struct audio_counter process[AUDIO_PROCESSES];
	size_t n;
	struct {
		int tid, source;	/* process on whose behalf it woke last; 0: none */
	} thread[AUDIO_THREADS];
	size_t threads;
};

/* In the order of time. A wake-up by a thread of the server counts for the process that woke that thread. `server`: its pid. */
void audio_counting_add_wakeup(struct audio_wakeup_counts *c, int server, const struct audio_wakeup *w);
/* Confidences first, then average = (average + wake-ups / confidence) / 2; without confidence they count in full. Processes of
 * which nothing is left are forgotten. */
void audio_counting_average(struct audio_wakeup_counts *c, const int *tagged, size_t n);
/* The process with the highest average, of at least one wake-up; 0: none. */
int audio_counting_dominant(const struct audio_wakeup_counts *c);

struct audio_wakeups;
/* 0, or -errno with a line in `why`: no right to trace, no such tracepoint. Forks once where tracefs is not mounted.
 * Outside of the initial pid namespace the filter names the server's threads by comm: the kernel's pids are not known there. */
int audio_wakeups_open(struct audio_wakeups **out, int server, char *why, size_t size);
/* The wake-ups since the last time, in the order of time, but for those by the processes in `ours` (n of them). */
void audio_wakeups_read(struct audio_wakeups *w, struct audio_wakeup_counts *c, const int *ours, size_t n);
/* Looks again which threads the server has. */
void audio_wakeups_refresh(struct audio_wakeups *w);
void audio_wakeups_close(struct audio_wakeups *w);

#endif
