// SPDX-License-Identifier: GPL-3.0-or-later
/* clock - sleeping until, reading offsets, and offsets in between. No test asserts how early a sleep ends, for the machine may be
 * busy. */
#include "clock.h"
#include "../unit.h"

#include <errno.h>
#include <signal.h>
#include <sys/time.h>
#include <time.h>

TEST(a_sleep_is_never_short)
{
	for (int i = 0; i < 20; i++) {
		int64_t due = clock_now() + i * 300 * NS_PER_US + 1;

		assert_int_equal(clock_sleep(due), 0);
		assert_true(clock_now() >= due);
	}
}

TEST(a_due_time_that_has_passed_does_not_sleep)
{
	int64_t before = clock_now();

	for (int i = 0; i < 100; i++) {
		assert_int_equal(clock_sleep(before - NS_PER_S), 0);
		assert_int_equal(clock_sleep(0), 0);
		assert_int_equal(clock_sleep(-5), 0);
	}
	assert_true(clock_now() - before < 10 * NS_PER_S);
}

static void note(int signal)
{
	(void)signal;
}

TEST(a_signal_ends_the_sleep)
{
	struct sigaction sa = { .sa_handler = note }, before;
	struct itimerval soon = { .it_value.tv_usec = 20000, .it_interval.tv_usec = 20000 }, off = { 0 };
	int64_t start = clock_now();

	sigaction(SIGALRM, &sa, &before);
	setitimer(ITIMER_REAL, &soon, NULL);
	assert_int_equal(clock_sleep(start + 3600 * NS_PER_S), -EINTR);
	setitimer(ITIMER_REAL, &off, NULL);
	sigaction(SIGALRM, &before, NULL);
	assert_true(clock_now() - start < 600 * NS_PER_S);
}

TEST(cpu_time_passes_only_while_working)
{
	int64_t cpu = clock_thread_cpu(), process = clock_process_cpu(), now;

	clock_sleep(clock_now() + 50 * NS_PER_MS);
	assert_true(clock_thread_cpu() - cpu < 40 * NS_PER_MS);
	cpu = clock_thread_cpu();
	now = clock_now();
	while (clock_thread_cpu() - cpu < 5 * NS_PER_MS)
		;
	assert_true(clock_now() - now >= 5 * NS_PER_MS - 10 * NS_PER_US);
	assert_true(clock_process_cpu() - process >= 5 * NS_PER_MS); /* of all threads, so of this one too */
}

TEST(the_offset_lies_within_its_error)
{
	for (int i = 0; i < 50; i++) {
		struct wall_reading o;
		struct timespec ts;
		int64_t before, after, wall;

		clock_read_wall(&o);
		assert_true(o.error_ns > 0);
		before = clock_now();
		clock_gettime(CLOCK_REALTIME, &ts);
		after = clock_now();
		assert_true(o.at_ns <= before);
		/* the wall clock may be slewed meanwhile, at most 500 ppm, for as long as this took */
		wall = (int64_t)ts.tv_sec * NS_PER_S + ts.tv_nsec;
		assert_true(wall - o.offset_ns >= before - o.error_ns - (after - o.at_ns) / 1000);
		assert_true(wall - o.offset_ns <= after + o.error_ns + (after - o.at_ns) / 1000);
	}
}

TEST(utc_is_utc)
{
	char text[24];
	struct tm tm = { 0 };
	time_t before = time(NULL), told;

	setenv("TZ", "Asia/Kathmandu", 1); /* must not matter */
	tzset();
	clock_utc_text(text, sizeof(text));
	unsetenv("TZ");
	tzset();
	assert_int_equal(strlen(text), 20);
	assert_ptr_equal(strptime(text, "%Y-%m-%dT%H:%M:%SZ", &tm), text + 20);
	told = timegm(&tm);
	assert_true(told >= before && told <= time(NULL));
}

/* --- readings by hand: where the wall clock was between and beyond them, and whether it was set --- */

#define S 1000000000LL
#define MS 1000000LL

TEST(offset_is_interpolated)
{
	/* 1000 ahead at 10 s, 1400 at 12 s, 1000 again at 20 s */
	static const struct wall_reading r[] = { { 10 * S, 1000, 5 }, { 12 * S, 1400, 5 }, { 20 * S, 1000, 5 } };

	assert_int_equal(wall_offset_ns(r, 3, 1 * S), 1000);
	assert_int_equal(wall_offset_ns(r, 3, 10 * S), 1000);
	assert_int_equal(wall_offset_ns(r, 3, 11 * S), 1200);
	assert_int_equal(wall_offset_ns(r, 3, 12 * S), 1400);
	assert_int_equal(wall_offset_ns(r, 3, 18 * S), 1100);
	assert_int_equal(wall_offset_ns(r, 3, 99 * S), 1000);
	assert_int_equal(wall_offset_ns(r, 1, 5 * S), 1000);
}

TEST(there_and_back_is_the_same_time)
{
	static const struct wall_reading r[] = { { 10 * S, 1700000000 * S, 0 },
						 { 11 * S, 1700000000 * S + 400 * 1000, 0 },
						 { 12 * S, 1700000000 * S + 100 * 1000, 0 } };

	for (int64_t t = 9 * S; t < 13 * S; t += 123456789) {
		int64_t back = wall_monotonic_ns(r, 3, t + wall_offset_ns(r, 3, t));

		assert_in_range(back - t + 2, 0, 4); /* rounded twice */
	}
}

TEST(a_step_is_told_from_drift)
{
	/* 0.5 ms a second, as fast as NTP slews, a reading every 0.1 s: over a second and a fifth that is 0.6 ms */
	struct wall_reading r[50] = { { 0 } };

	assert_int_equal(wall_largest_step(r, 0), 0);
	assert_int_equal(wall_largest_step(r, 1), 0);
	for (int i = 0; i < 50; i++)
		r[i] = (struct wall_reading){ i * S / 10, 7 * S + i * 50000, 0 };
	assert_int_equal(wall_largest_step(r, 50), 600000);
	/* set by 5 ms between two readings, forward and back */
	for (int i = 25; i < 50; i++)
		r[i].offset_ns += 5 * MS;
	assert_in_range(wall_largest_step(r, 50), 5 * MS, 6 * MS);
	for (int i = 25; i < 50; i++)
		r[i].offset_ns -= 10 * MS;
	assert_in_range(wall_largest_step(r, 50), 4 * MS, 5 * MS);
	/* readings a second apart, interpolated: the ramp between two of them */
	for (int i = 0; i < 50; i++)
		r[i].offset_ns = i < 20 ? 0 : i < 30 ? (i - 20) * MS / 5 : 2 * MS;
	assert_in_range(wall_largest_step(r, 50), 1900000, 2000000);
	/* 2 ms in four seconds without a reading is drift */
	r[0] = (struct wall_reading){ 0, 0, 0 };
	r[1] = (struct wall_reading){ 4 * S, 2 * MS, 0 };
	assert_int_equal(wall_largest_step(r, 2), MS / 2);
}
