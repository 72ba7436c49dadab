/* SPDX-License-Identifier: GPL-3.0-or-later */
/* clock - times are nanoseconds of CLOCK_MONOTONIC, in all programs, unless a name says otherwise. */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

#define NS_PER_US 1000LL
#define NS_PER_MS 1000000LL
#define NS_PER_S 1000000000LL
#define NS_PER_DAY (86400LL * NS_PER_S)

int64_t clock_now(void);

/* The same time for system calls. */
static inline struct timespec clock_timespec(int64_t ns)
{
	return (struct timespec){ .tv_sec = (time_t)(ns / NS_PER_S), .tv_nsec = (long)(ns % NS_PER_S) };
}

static inline int64_t clock_earlier(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

/* Sleeps until the absolute time `due_ns`. 0, or -EINTR after a signal (the caller checks its stop flag). */
int clock_sleep(int64_t due_ns);

/* CPU time used by this thread; by all threads of this process. */
int64_t clock_thread_cpu(void);
int64_t clock_process_cpu(void);
/* CPU time used by another process; -1: no such process. */
int64_t clock_pid_cpu(pid_t pid);

/* CLOCK_REALTIME minus CLOCK_MONOTONIC: at the time at_ns (CLOCK_MONOTONIC) the true offset is offset_ns +- error_ns. */
struct wall_reading {
	int64_t at_ns, offset_ns, error_ns;
};
void clock_read_wall(struct wall_reading *out);

/* The wall-clock time now as "2026-11-20T10:15:00Z"; `text` holds at least 24 bytes. */
void clock_utc_text(char *text, unsigned long size);

/* The offset of CLOCK_REALTIME (time of packets) from CLOCK_MONOTONIC (time of keys) during a run: read about once a second,
 * interpolated in between. Pure; readings ascend in at_ns.
 *
 * A change of the offset by more than this within a second means that the clock was set: interpolation across the step is
 * wrong by up to the step. (Slewing by NTP changes the offset by at most 0.5 ms a second.) */
#define WALL_STEP_NS NS_PER_MS

/* The offset in ns at `at_ns` (CLOCK_MONOTONIC): linear between readings, constant before the first and after the last. n > 0. */
int64_t wall_offset_ns(const struct wall_reading *reading, size_t n, int64_t at_ns);

/* Converts a time of CLOCK_REALTIME to CLOCK_MONOTONIC. n > 0. */
int64_t wall_monotonic_ns(const struct wall_reading *reading, size_t n, int64_t wall_ns);

/* The largest change of the offset within about a second, in ns (per second if readings are further apart); 0 for fewer than two
 * readings. */
int64_t wall_largest_step(const struct wall_reading *reading, size_t n);
