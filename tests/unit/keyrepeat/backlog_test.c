// SPDX-License-Identifier: GPL-3.0-or-later
/* Trains of keys against servers of known capacity: which must be called overloaded, and which must not. */
#include "../unit.h"
#include "keyrepeat/backlog.h"

#include <math.h>

#define MS 1000000LL
enum { MAX = 1200 };

static int64_t due[MAX], answer[MAX];
static uint32_t seed;

/* 0 .. n - 1 */
static int64_t chance(int64_t n)
{
	seed = seed * 1664525 + 1013904223;
	return (int64_t)(seed >> 8) % n;
}

static void type(size_t n)
{
	for (size_t i = 0; i < n; i++)
		due[i] = (1000 + 50 * (int64_t)i) * MS;
}

/* One redraw a key, one after the other, each of cost to cost + spread ms. */
static void per_key(size_t n, int64_t cost_us, int64_t spread_us)
{
	int64_t free_at = 0;

	type(n);
	for (size_t i = 0; i < n; i++) {
		free_at = (free_at > due[i] ? free_at : due[i]) + (cost_us + chance(spread_us + 1)) * 1000;
		answer[i] = free_at;
	}
}

/* A redraw answers all keys that had come when it began. */
static void per_redraw(size_t n, int64_t cost_us, int64_t spread_us)
{
	int64_t begin = 0;
	size_t i = 0;

	type(n);
	while (i < n) {
		int64_t end;
		size_t first = i;

		begin = begin > due[i] ? begin : due[i];
		end = begin + (cost_us + chance(spread_us + 1)) * 1000;
		while (i < n && (i == first || due[i] <= begin))
			answer[i++] = end;
		begin = end;
	}
}

static struct backlog_growth judge(size_t n)
{
	struct backlog_growth b;

	backlog_judge(due, answer, n, &b);
	return b;
}

TEST(fast_server_is_not_overloaded)
{
	struct backlog_growth b;

	per_key(100, 9000, 2000);
	b = judge(100);
	assert_false(b.overloaded);
	assert_true(fabs(b.per_s) < 0.01);
}

TEST(cost_over_the_period_grows_without_end)
{
	struct backlog_growth b;

	/* 60 ms a key: answers 16.67 of 20 keys a second */
	per_key(100, 60000, 0);
	b = judge(100);
	assert_true(b.overloaded);
	assert_true(fabs(b.per_s - 3.333) < 0.2);
	per_key(1200, 60000, 0);
	b = judge(1200);
	assert_true(b.overloaded);
	assert_true(fabs(b.per_s - 3.333) < 0.05);
	/* 100 to 160 ms a key, as with ten sinks: 7.69 a second */
	per_key(100, 100000, 60000);
	b = judge(100);
	assert_true(b.overloaded);
	assert_true(fabs(b.per_s - 12.3) < 1);
	/* just over: 52 ms; only a longer train can tell */
	per_key(1200, 52000, 0);
	b = judge(1200);
	assert_true(b.overloaded);
	assert_true(fabs(b.per_s - 0.769) < 0.05);
}

TEST(sawtooth_is_not_growth)
{
	for (int round = 0; round < 3000; round++) {
		size_t n = round % 3 ? 100 : 1200;

		/* redraws of 60 to 1000 ms, jittering by up to half of that */
		int64_t cost = 60000 + chance(940000);

		per_redraw(n, cost, cost / 2);
		assert_false(judge(n).overloaded);
	}
}

TEST(waiting_for_three_is_not_growth)
{
	type(100);
	for (size_t i = 0; i < 100; i++)
		answer[i] = i - i % 3 + 2 < 100 ? due[i - i % 3 + 2] + 9 * MS : INT64_MAX;
	assert_false(judge(100).overloaded);
}

TEST(passing_stall_is_not_growth)
{
	/* one stop of a second, wherever it falls; at the very end it is still rising, but short */
	for (int64_t stop = 0; stop < 49; stop++) {
		per_key(1200, 9000, 1000);
		for (size_t i = 0; i < 1200; i++)
			if (answer[i] >= (1000 + 1000 * stop) * MS && answer[i] < (2000 + 1000 * stop) * MS)
				answer[i] = (2000 + 1000 * stop) * MS;
		assert_false(judge(1200).overloaded);
	}
}

TEST(steady_queue_is_not_growth)
{
	/* 700 ms behind all the time, as over a slow link */
	type(200);
	for (size_t i = 0; i < 200; i++)
		answer[i] = due[i] + 700 * MS + chance(30) * MS;
	assert_false(judge(200).overloaded);
}

TEST(display_that_died_grows)
{
	per_key(200, 9000, 0);
	for (size_t i = 60; i < 200; i++)
		answer[i] = INT64_MAX;
	assert_true(judge(200).overloaded);
	assert_true(fabs(judge(200).per_s - 20) < 0.01);
}

TEST(few_keys_tell_nothing)
{
	per_key(31, 200000, 0);
	assert_false(judge(31).overloaded);
	assert_true(judge(31).per_s > 10);
	assert_true(!isnan(judge(7).per_s)); /* four keys in the last half */
	assert_true(isnan(judge(6).per_s));
	assert_true(isnan(judge(0).per_s));
}
