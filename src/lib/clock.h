/* SPDX-License-Identifier: GPL-3.0-or-later */
/* clock - one clock for everything: CLOCK_MONOTONIC, as a whole number of nanoseconds.
 *
 * Every time in the suite is such a number unless its name says otherwise. */
#ifndef THINPROBE_CLOCK_H
#define THINPROBE_CLOCK_H

#include <stdint.h>
#include <sys/types.h>

#define NS_PER_US 1000LL
#define NS_PER_MS 1000000LL
#define NS_PER_S 1000000000LL
#define NS_PER_DAY (86400LL * NS_PER_S)

int64_t clock_now(void);

static inline int64_t clock_earlier(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

/* Sleeps until the absolute time `due_ns`; never shortens the sleep to catch up.
 * 0, or -EINTR when a signal came first (the caller looks at its stop flag). */
int clock_sleep_until(int64_t due_ns);

/* CPU time this thread, and all threads of this process, have used. */
int64_t clock_thread_cpu(void);
int64_t clock_process_cpu(void);
/* The same of another process; -1 when it is not there. */
int64_t clock_cpu_of(pid_t pid);

/* How far CLOCK_REALTIME is ahead of CLOCK_MONOTONIC, read between two readings of the latter.
 * The true offset lies within +-error_ns of offset_ns at the time `at_ns`. */
struct clock_offset {
	int64_t at_ns, offset_ns, error_ns;
};
void clock_read_offset(struct clock_offset *out);

/* The wall-clock time now as "2026-11-20T10:15:00Z"; `text` holds at least 24 bytes. */
void clock_utc(char *text, unsigned long size);

#endif
