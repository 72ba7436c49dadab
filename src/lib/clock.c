// SPDX-License-Identifier: GPL-3.0-or-later
#include "clock.h"

#include <stdbool.h>
#include <stdlib.h>
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

/* The length of "about a second": readings are taken once a second, or a little later. */
#define WINDOW_NS (1200 * NS_PER_MS)

/* Number of readings at or before a time of CLOCK_MONOTONIC or (wall) CLOCK_REALTIME. */
static size_t count_readings(const struct wall_reading *r, size_t n, int64_t at_ns, bool wall)
{
	size_t low = 0, high = n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (r[middle].at_ns + (wall ? r[middle].offset_ns : 0) <= at_ns)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static int64_t interpolate_offset(const struct wall_reading *a, const struct wall_reading *b, double share)
{
	return a->offset_ns + (int64_t)((double)(b->offset_ns - a->offset_ns) * share);
}

int64_t wall_offset_ns(const struct wall_reading *r, size_t n, int64_t at_ns)
{
	size_t i = count_readings(r, n, at_ns, false);

	if (!i || i == n)
		return r[i ? n - 1 : 0].offset_ns;
	return interpolate_offset(&r[i - 1], &r[i], (double)(at_ns - r[i - 1].at_ns) / (double)(r[i].at_ns - r[i - 1].at_ns));
}

int64_t wall_monotonic_ns(const struct wall_reading *r, size_t n, int64_t wall_ns)
{
	size_t i = count_readings(r, n, wall_ns, true);
	int64_t from, to;

	if (!i || i == n)
		return wall_ns - r[i ? n - 1 : 0].offset_ns;
	from = r[i - 1].at_ns + r[i - 1].offset_ns;
	to = r[i].at_ns + r[i].offset_ns;
	return wall_ns - interpolate_offset(&r[i - 1], &r[i], (double)(wall_ns - from) / (double)(to - from));
}

int64_t wall_largest_step(const struct wall_reading *r, size_t n)
{
	int64_t most = 0;
	size_t j = 0;

	for (size_t i = 1; i < n; i++) {
		int64_t apart, step;

		while (j + 1 < i && r[i].at_ns - r[j].at_ns > WINDOW_NS)
			j++;
		apart = r[i].at_ns - r[j].at_ns;
		step = llabs(r[i].offset_ns - r[j].offset_ns);
		if (apart > WINDOW_NS)
			step = (int64_t)((double)step * NS_PER_S / (double)apart);
		if (step > most)
			most = step;
	}
	return most;
}
