/* SPDX-License-Identifier: GPL-3.0-or-later */
/* delays - sums up the kernel's delay accounting over the processes of an application, without impossible values. Pure.
 *
 * A thread cannot have waited longer than it exists, so a process not longer than the time since its start times its number of
 * threads. Higher values (some kernels now and then return once or twice the uptime) are discarded and counted. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum delays_kind { DELAY_BLKIO, DELAY_SWAPIN, DELAY_THRASHING, DELAY_FREEPAGES, DELAY_KINDS };

struct delay_reading {
	uint64_t ns[DELAY_KINDS]; /* time waited since the start of the process or thread */
};

struct process_delays {
	pid_t pid;
	int64_t began;		   /* start in clock ticks after the boot: tells processes with the same pid apart */
	int threads;		   /* the most threads seen */
	struct delay_reading last; /* the latest plausible value of each kind */
};

struct all_delays {
	struct process_delays *process; /* n processes, owned */
	size_t n;
	int64_t readings, discarded; /* values read and values discarded; a delay_reading counts as DELAY_KINDS values */
};

/* True if so many threads can have waited `ns` together, elapsed_ns after the first of them began. */
bool delays_plausible(uint64_t ns, int64_t elapsed_ns, int threads);
/* Records the delays of one process, summed over its threads. False: a value was discarded (the caller may then read thread by
 * thread), or out of memory. */
bool delays_add_reading(struct all_delays *d, pid_t pid, int64_t began, int threads, int64_t elapsed_ns,
			const struct delay_reading *reading);
/* Sums over all processes; an ended process counts with its last reading. */
void delays_sum(const struct all_delays *d, struct delay_reading *out);
void delays_free(struct all_delays *d);
