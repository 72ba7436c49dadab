/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cpu_ticks - how each CPU spent its time, from a /proc/stat, in clock ticks. */
#ifndef VAMP_CPU_TICKS_H
#define VAMP_CPU_TICKS_H

#include <stdint.h>
#include <stdio.h>

struct cpu_ticks {
	int64_t idle, stolen, all;	/* idle: also waiting for a disk; all 0: not online */
};
/* Of CPUs 0 to room - 1. Returns the highest number that is online, and one. */
int cpu_ticks_read(FILE *stat, struct cpu_ticks *cpu, int room);

#endif
