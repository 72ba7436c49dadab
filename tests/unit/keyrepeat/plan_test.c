// SPDX-License-Identifier: GPL-3.0-or-later
/* Due times: closed formulas, and the moments of the distributions. */
#include "../unit.h"
#include "keyrepeat/plan.h"
#include "clock.h"

#include <errno.h>
#include <math.h>

#define N 20000
static int64_t at[N], again[N];

TEST(periodic_is_exact)
{
	assert_int_equal(plan_compute_due_times(SCHEDULE_PERIODIC, 20, 1, at, N), 0);
	for (int64_t i = 0; i < N; i++)
		assert_int_equal(at[i], i * 50 * NS_PER_MS);
	/* a rate that does not divide a second must not drift: key 3000 at 30/s is due after 100 s exactly */
	assert_int_equal(plan_compute_due_times(SCHEDULE_PERIODIC, 30, 1, at, N), 0);
	assert_int_equal(at[1], 33333333);
	assert_int_equal(at[3000], 100 * NS_PER_S);
}

TEST(jitter_is_uniform_up_to_a_third)
{
	double sum = 0, squares = 0;
	int64_t low = INT64_MAX, high = 0;

	assert_int_equal(plan_compute_due_times(SCHEDULE_JITTERED, 20, 7, at, N), 0);
	for (int64_t i = 0; i < N; i++) {
		int64_t u = at[i] - i * 50 * NS_PER_MS;

		assert_true(i == 0 || at[i] > at[i - 1]);
		low = u < low ? u : low;
		high = u > high ? u : high;
		sum += (double)u / 1e6;
		squares += (double)u / 1e6 * (double)u / 1e6;
	}
	/* U(0, 50/3 ms): mean 8.333, sd 4.811; five standard errors of the mean are 0.17 */
	assert_in_range(low, 0, 10 * NS_PER_US);
	assert_in_range(high, 16650000, 16666667);
	assert_true(fabs(sum / N - 8.3333) < 0.17);
	assert_true(fabs(sqrt(squares / N - sum / N * sum / N) - 4.811) < 0.1);
}

TEST(poisson_has_exponential_gaps)
{
	double sum = 0, squares = 0;
	size_t longer = 0;

	assert_int_equal(plan_compute_due_times(SCHEDULE_POISSON, 20, 3, at, N), 0);
	for (size_t i = 0; i < N; i++) {
		double gap = (double)(at[i] - (i ? at[i - 1] : 0)) / 1e6;

		assert_true(gap >= 0);
		sum += gap;
		squares += gap * gap;
		longer += gap > 50;
	}
	/* mean 50, coefficient of variation 1, P(gap > mean) = 1/e; limits at about five standard errors */
	assert_true(fabs(sum / N - 50) < 1.8);
	assert_true(fabs(sqrt(squares / N - sum / N * sum / N) / (sum / N) - 1) < 0.05);
	assert_true(fabs((double)longer / N - 0.36788) < 0.017);
}

TEST(blocks_count_from_their_own_start)
{
	bool moved = false;

	assert_int_equal(plan_compute_due_times(SCHEDULE_BLOCKS, 20, 1, at, 65), 0);
	for (size_t b = 0; b < 65; b += SCHEDULE_BLOCK) {
		assert_in_range(at[b], 0, 50 * NS_PER_MS);
		moved = moved || llabs(at[b] - at[0]) > NS_PER_MS;
		for (size_t i = b + 1; i < 65 && i < b + SCHEDULE_BLOCK; i++)
			assert_true(llabs(at[i] - at[i - 1] - 50 * NS_PER_MS) <= 1);
	}
	assert_true(moved);
}

TEST(seed_decides)
{
	size_t same = 0;

	plan_compute_due_times(SCHEDULE_JITTERED, 20, 42, at, N);
	plan_compute_due_times(SCHEDULE_JITTERED, 20, 42, again, N);
	assert_memory_equal(at, again, sizeof(at));
	plan_compute_due_times(SCHEDULE_JITTERED, 20, 43, again, N);
	for (size_t i = 0; i < N; i++)
		same += at[i] == again[i];
	assert_true(same < 10);
}

TEST(too_late_is_refused)
{
	assert_int_equal(plan_compute_due_times(SCHEDULE_PERIODIC, 1e-9, 1, at, N), -ERANGE);
}

TEST(erasing_ends_with_backspace)
{
	struct key_plan_cfg cfg = {
		.key = "a", .erase = true, .rate_per_s = 5, .time_ns = NS_PER_S, .schedule = SCHEDULE_PERIODIC
	};
	struct key_plan plan;
	struct why why;

	assert_int_equal(plan_make(&cfg, &plan, &why), 0);
	assert_int_equal(plan.n, 6);
	for (size_t i = 0; i < plan.n; i++)
		assert_int_equal(plan.act[i].keysym, i % 2 ? 0xff08 : 'a');
	assert_int_equal(plan.offset_ns[5], NS_PER_S);
	script_free(&plan.script);
}

#define MS NS_PER_MS
#define CHOOSE(period, ...) \
	plan_choose_period_ns((int64_t[]){ __VA_ARGS__ }, sizeof((int64_t[]){ __VA_ARGS__ }) / sizeof(int64_t), period)

TEST(answers_faster_than_the_period_keep_it)
{
	assert_int_equal(plan_choose_period_ns(NULL, 0, 50), 50);
	assert_int_equal(CHOOSE(51 * MS, 30 * MS, 30 * MS, 30 * MS, 30 * MS, 30 * MS), 51 * MS);
	assert_int_equal(CHOOSE(75 * MS, 51 * MS, 51 * MS, 51 * MS, 51 * MS, 51 * MS), 102 * MS);
	assert_int_equal(
		CHOOSE(50 * NS_PER_MS, 200 * NS_PER_MS, 201 * NS_PER_MS, 200 * NS_PER_MS, 199 * NS_PER_MS, 200 * NS_PER_MS),
		400 * NS_PER_MS);
}

TEST(a_hiccup_does_not_slow_the_keys)
{
	assert_int_equal(CHOOSE(50 * MS, 10 * MS, 900 * MS, 9 * MS, 8 * MS, 10 * MS), 50 * MS);
	assert_int_equal(CHOOSE(50 * MS, 10 * MS, 60 * MS, 9 * MS, 8 * MS, 70 * MS, 10 * MS, 10 * MS, 10 * MS, 10 * MS), 50 * MS);
	assert_int_equal(CHOOSE(50 * MS, 10 * MS, 60 * MS, 70 * MS, 80 * MS, 10 * MS), 140 * MS);
}

TEST(due_times_are_stretched)
{
	assert_int_equal(plan_stretch_offset_ns(1234567, 50 * NS_PER_MS, 50 * NS_PER_MS), 1234567);
	assert_int_equal(plan_stretch_offset_ns(75 * NS_PER_MS, 50 * NS_PER_MS, 400 * NS_PER_MS), 600 * NS_PER_MS);
}
