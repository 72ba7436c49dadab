/* SPDX-License-Identifier: GPL-3.0-or-later */
/* delays - sums up what the kernel's delay accounting says of the processes of an application, and what of it cannot be true.
 *
 * A thread cannot have waited longer than it has been there, so a process not longer than the time since its start times
 * its threads. Values beyond (the kernel now and then gives once or twice the uptime) are discarded and counted. Pure. */
#ifndef STARTUP_DELAYS_H
#define STARTUP_DELAYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum delays_kind { DELAY_BLKIO, DELAY_SWAPIN, DELAY_THRASHING, DELAY_FREEPAGES, DELAY_KINDS };

struct delay_reading {
	uint64_t ns[DELAY_KINDS];
};

/* What is known of one process. */
struct delay_process {
	pid_t pid;
	int64_t began;		/* its start, in the kernel's ticks: a pid may come again */
	int threads;		/* the most that were seen */
	struct delay_reading last;	/* of each kind the last that can be true */
};

struct delays {
	struct delay_process *process;	/* owned */
	size_t n;
	int64_t readings, discarded;	/* values, DELAY_KINDS to a reading */
};

/* Can a value be true of that many threads, `elapsed_ns` after the first of them began? */
bool delays_plausible(uint64_t ns, int64_t elapsed_ns, int threads);
/* Takes the readings of one process, the sum over its threads, which only grow. False when one was discarded (then the caller
 * may ask thread by thread), or there is no memory for it. */
bool delays_add(struct delays *d, pid_t pid, int64_t began, int threads, int64_t elapsed_ns, const struct delay_reading *reading);
/* Sums over all processes seen, those that have ended with their last reading. */
void delays_sum(const struct delays *d, struct delay_reading *out);
void delays_free(struct delays *d);

#endif
