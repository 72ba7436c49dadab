/* SPDX-License-Identifier: GPL-3.0-or-later */
/* audio_wakeups - which tasks woke the threads of the sound server: records of the kernel (sched_waking, on every CPU). */
#ifndef VAMP_AUDIO_WAKEUPS_H
#define VAMP_AUDIO_WAKEUPS_H

#include "audio_counter.h"

struct audio_wakeups;
/* 0, or -errno with a line in `why`: no right to trace, no such tracepoint. Forks once where tracefs is not mounted.
 * Outside of the initial pid namespace the filter names the server's threads by comm: the kernel's pids are not known there. */
int audio_wakeups_open(struct audio_wakeups **out, int server, char *why, size_t size);
/* The wake-ups since the last time, in the order of time, but for those by the processes in `ours` (n of them). */
void audio_wakeups_read(struct audio_wakeups *w, struct audio_counting *c, const int *ours, size_t n);
/* Looks again which threads the server has. */
void audio_wakeups_refresh(struct audio_wakeups *w);
void audio_wakeups_close(struct audio_wakeups *w);

#endif
