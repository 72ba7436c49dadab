// SPDX-License-Identifier: GPL-3.0-or-later
/* lengths - against sums done by hand and closed formulas. */
#include <math.h>

#include "idleprofile/events.h"
#include "../unit.h"

#define US 1000LL
#define MS 1000000LL

static int wait_of(int64_t ns)
{
	for (int i = 0; i < WAIT_BOUNDS; i++)
		if (wait_bounds_ns[i] == ns)
			return i;
	fail_msg("no such wait");
	return -1;
}

TEST(edges_are_ten_a_decade_and_hold_their_own_value)
{
	assert_int_equal(lengths_edge_ns(0), 1 * US);
	assert_int_equal(lengths_edge_ns(10), 10 * US);
	assert_int_equal(lengths_edge_ns(3), 1995); /* 10^0.3 = 1.99526 */
	assert_int_equal(lengths_edge_ns(80), 100000 * MS);
	for (int i = 0; i < LENGTH_BINS - 1; i++) {
		struct event_lengths l = { 0 };

		lengths_add(&l, lengths_edge_ns(i));
		assert_int_equal(l.bin_events[i], 1);
		lengths_add(&l, lengths_edge_ns(i) + 1);
		assert_int_equal(l.bin_events[i], 1);
		assert_int_equal(l.bin_events[i + 1], 1);
	}
}

TEST(short_and_very_long_events_are_in_the_first_and_last_bin)
{
	struct event_lengths l = { 0 };

	lengths_add(&l, 1);
	lengths_add(&l, 3600 * 1000 * MS);
	assert_int_equal(l.bin_events[0], 1);
	assert_int_equal(l.bin_events[LENGTH_BINS - 1], 1);
	assert_int_equal(l.bin_ns[LENGTH_BINS - 1], 3600 * 1000 * MS);
}

TEST(sums_are_kept_by_length)
{
	struct event_lengths l = { 0 };
	int64_t sum = 0, upto_1ms = 0;

	for (int64_t i = 1; i <= 100; i++)
		lengths_add(&l, i * 20 * US); /* 20 us ... 2 ms */
	for (int i = 0; i < LENGTH_BINS; i++) {
		sum += l.bin_ns[i];
		if (i <= 30) /* 1 us * 10^3 */
			upto_1ms = sum;
	}
	assert_int_equal(sum, 20 * US * 5050);
	assert_int_equal(upto_1ms, 20 * US * 1275); /* the first fifty */
}

/* Fixed length L at rate r: P(wait > x) = r (L - x). */
TEST(the_bound_of_equal_events_is_a_straight_line)
{
	struct event_lengths l = { 0 };

	for (int i = 0; i < 500; i++)
		lengths_add(&l, 10 * MS);
	assert_near(lengths_wait_bound(&l, wait_of(1 * MS), 10000 * MS), 0.45, 1e-12);
	assert_near(lengths_wait_bound(&l, wait_of(5 * MS), 10000 * MS), 0.25, 1e-12);
	assert_near(lengths_wait_bound(&l, wait_of(10 * MS), 10000 * MS), 0, 1e-12);
	assert_near(lengths_wait_bound(&l, wait_of(20 * MS), 10000 * MS), 0, 1e-12);
}

/* Exponential lengths of mean m at load u: P(wait > x) = u exp(-x/m). Lengths at the midpoints of equal probabilities. */
TEST(the_bound_of_exponential_events_is_exponential)
{
	struct event_lengths l = { 0 };
	const int n = 100000;
	const double mean = 2.0 * (double)MS;

	for (int i = 0; i < n; i++)
		lengths_add(&l, llround(-mean * log1p(-(i + 0.5) / n)));
	for (int i = 0; i < WAIT_BOUNDS; i++) {
		double x = (double)wait_bounds_ns[i];

		if (x > 10.0 * (double)MS)
			break;
		assert_near(lengths_wait_bound(&l, i, llround(mean * n / 0.3)), 0.3 * exp(-x / mean), 1e-4);
	}
}

TEST(no_time_no_bound)
{
	struct event_lengths l = { 0 };

	assert_true(isnan(lengths_wait_bound(&l, 0, 0)));
}
