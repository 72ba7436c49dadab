// SPDX-License-Identifier: GPL-3.0-or-later
/* stamp - the line through two anchors, and the counter against the kernel's clock over a sleep. */
#include "idleprofile/stamp.h"
#include "../unit.h"

static struct stamp_map of(const struct stamp_pair *a, int n)
{
	struct stamp_map m = { .anchors = 0 };

	for (int i = 0; i < n; i++)
		stamp_map_add(&m, &a[i]);
	return m;
}

TEST(time_is_a_straight_line_between_two_anchors)
{
	/* 2.5 counts a ns */
	const struct stamp_pair a[] = { { 1000000, 5000, 0 }, { 1000000 + 250000000, 5000 + 100000000, 0 } };
	struct stamp_map m = of(a, 2);

	assert_int_equal(stamp_map_ns(&m, 1000000), 5000);
	assert_int_equal(stamp_map_ns(&m, 1000000 + 125000000), 5000 + 50000000);
	assert_int_equal(stamp_map_ns(&m, 1000000 + 500000000), 5000 + 200000000);
	assert_int_equal(stamp_map_ns(&m, 1000000 - 250), 5000 - 100);
	assert_int_equal(stamp_map_span_ns(&m, 2500), 1000);
	assert_int_equal(stamp_map_span_ns(&m, 0), 0);
}

TEST(a_clock_that_is_slewed_is_followed)
{
	/* 1 count a ns, then the kernel's clock runs 500 ppm fast */
	const struct stamp_pair a[] = { { 0, 0, 0 }, { 1000000000, 1000000000, 0 }, { 2000000000, 2000500000, 0 } };
	struct stamp_map m = of(a, 3);

	assert_int_equal(stamp_map_ns(&m, 2000000000), 2000500000);
	assert_int_equal(stamp_map_ns(&m, 1500000000), 1500250000);
	assert_int_equal(stamp_map_span_ns(&m, 1000000), 1000500);
}

/* The error of an anchor must not become the slope's: of two that are close the first of the pair stays. */
TEST(anchors_too_close_make_no_slope_of_their_own)
{
	const struct stamp_pair a[] = {
		{ 0, 0, 0 },
		{ 1000000000, 1000000000, 0 },
		{ 1000001000, 1000001100, 0 },
		{ 1000002000, 1000002000, 0 },
	};
	struct stamp_map m = of(a, 4);

	assert_int_equal(stamp_map_span_ns(&m, 1000000000), 1000000000);
	assert_int_equal(stamp_map_ns(&m, 1000002000), 1000002000);
}

/* 2 counts a ns; the clock stands for 10 s, in which the counter runs on. */
TEST(over_a_suspend_the_slope_stays)
{
	struct stamp_pair a[] = { { 0, 0, 0 }, { 400000000, 200000000, 0 }, { 800000000, 400000000, 0 }, { 0 }, { 0 } };
	struct stamp_map m;

	a[3] = (struct stamp_pair){ 1200000000 + 20 * NS_PER_S, 600000000, 0 };
	a[4] = (struct stamp_pair){ 1600000000 + 20 * NS_PER_S, 800000000, 0 };
	assert_false(of(a, 3).jumped);
	m = of(a, 4);
	assert_true(m.jumped);
	assert_int_equal(stamp_map_span_ns(&m, 2000000), 1000000);
	m = of(a, 5);
	assert_false(m.jumped);
	assert_int_equal(stamp_map_span_ns(&m, 2000000), 1000000);
	assert_int_equal(stamp_map_ns(&m, a[4].stamp - 2000), 800000000 - 1000);
}

TEST(without_a_counter_a_stamp_is_the_clock)
{
	struct stamp_pair a;
	int64_t before = clock_now(), stamp = stamp_read(false), after = clock_now();

	assert_true(before <= stamp && stamp <= after);
	stamp_read_pair(false, &a);
	assert_int_equal(a.stamp, a.ns);
}

TEST(the_counter_agrees_with_the_clock)
{
	struct stamp_map m = { .anchors = 0 };
	struct stamp_pair a;
	const char *why;

	if (!stamp_tsc_is_usable(&why)) {
		print_message("# %s\n", why);
		skip();
	}
	for (int i = 0; i < 3; i++) {
		stamp_read_pair(true, &a);
		stamp_map_add(&m, &a);
		clock_sleep(clock_now() + 100 * NS_PER_MS);
	}
	for (int i = 0; i < 1000; i++) {
		int64_t before = clock_now(), ns = stamp_map_ns(&m, stamp_read_tsc()), after = clock_now();

		/* 100 ms beyond the last anchor: 10 us are 100 ppm, ten times what the errors of the anchors explain */
		assert_true(ns > before - 10000);
		assert_true(ns < after + 10000);
	}
}
