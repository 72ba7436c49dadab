/* SPDX-License-Identifier: GPL-3.0-or-later */
/* audio_counter - which processes wake the sound server: their wake-ups, averaged (Kim et al. 2014, section 4.3, Figure 3). Pure.
 *
 * The paper's hypervisor infers wake-ups from interrupts between CPUs and sees none within one CPU. The kernel
 * records each, so those within one CPU count here, too, and the source is kept per thread of the server instead of per CPU. */
#ifndef VAMP_AUDIO_COUNTER_H
#define VAMP_AUDIO_COUNTER_H

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

struct audio_counting {
	struct audio_counter process[AUDIO_PROCESSES];
	size_t n;
	struct {
		int tid, source;	/* process on whose behalf it woke last; 0: none */
	} thread[AUDIO_THREADS];
	size_t threads;
};

/* In the order of time. A wake-up by a thread of the server counts for the process that woke that thread. `server`: its pid. */
void audio_counting_wakeup(struct audio_counting *c, int server, const struct audio_wakeup *w);
/* Confidences first, then average = (average + wake-ups / confidence) / 2; without confidence they count in full. Processes of
 * which nothing is left are forgotten. */
void audio_counting_average(struct audio_counting *c, const int *tagged, size_t n);
/* The process with the highest average, of at least one wake-up; 0: none. */
int audio_counting_dominant(const struct audio_counting *c);

#endif
