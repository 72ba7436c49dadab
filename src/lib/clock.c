// SPDX-License-Identifier: GPL-3.0-or-later
#include "clock.h"

#include <time.h>

static int64_t read_clock_ns(clockid_t id)
{
	struct timespec ts;

	clock_gettime(id, &ts);
	return (int64_t)ts.tv_sec * NS_PER_S + ts.tv_nsec;
}

int64_t clock_now(void)
{
	return read_clock_ns(CLOCK_MONOTONIC);
}

int64_t clock_thread_cpu(void)
{
	return read_clock_ns(CLOCK_THREAD_CPUTIME_ID);
}

int64_t clock_process_cpu(void)
{
	return read_clock_ns(CLOCK_PROCESS_CPUTIME_ID);
}

int64_t clock_pid_cpu(pid_t pid)
{
	clockid_t id;

	return clock_getcpuclockid(pid, &id) ? -1 : read_clock_ns(id);
}

int clock_sleep(int64_t due_ns)
{
	struct timespec ts = clock_timespec(due_ns);

	if (due_ns <= 0)
		return 0;
	return -clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &ts, NULL);
}

void clock_read_wall(struct wall_reading *out)
{
	/* of several tries the one with the smallest error is kept: an interrupt between the readings increases it */
	out->error_ns = INT64_MAX;
	for (int i = 0; i < 8; i++) {
		int64_t before = clock_now();
		int64_t wall = read_clock_ns(CLOCK_REALTIME);
		int64_t after = clock_now();

		if (after - before < out->error_ns) {
			out->at_ns = before + (after - before) / 2;
			out->offset_ns = wall - out->at_ns;
			out->error_ns = after - before;
		}
	}
	out->error_ns = out->error_ns / 2 + 1;
}

void clock_utc_text(char *text, unsigned long size)
{
	time_t now = time(NULL);
	struct tm tm;

	gmtime_r(&now, &tm);
	strftime(text, size, "%Y-%m-%dT%H:%M:%SZ", &tm);
}
