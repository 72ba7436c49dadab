// SPDX-License-Identifier: GPL-3.0-or-later
/* bins - parts spread over time by hand. */
#include "idleprofile/logs.h"
#include "../unit.h"

#define MOST 64
static struct row {
	int64_t start, length, lost, tick;
} row[MOST];
static int n;

static void keep(void *arg, int64_t start, int64_t length, int64_t lost, int64_t tick)
{
	(void)arg;
	assert_true(n < MOST);
	row[n++] = (struct row){ start, length, lost, tick };
}

static struct timeline_bins begin(int64_t start, int64_t length)
{
	struct timeline_bins b;

	n = 0;
	bins_init(&b, start, length, keep, NULL);
	return b;
}

static void is_row(int i, int64_t start, int64_t length, int64_t lost, int64_t tick)
{
	assert_true(i < n);
	assert_int_equal(row[i].start, start);
	assert_int_equal(row[i].length, length);
	assert_int_equal(row[i].lost, lost);
	assert_int_equal(row[i].tick, tick);
}

TEST(a_part_is_spread_over_the_bins_it_touches)
{
	struct timeline_bins b = begin(1000, 100);

	bins_add_gap(&b, 1010, 1030, 20, false);
	bins_add_gap(&b, 1090, 1350, 260, false);
	bins_add_gap(&b, 1350, 1360, 10, true);
	bins_finish(&b, 1450);
	assert_int_equal(n, 5);
	is_row(0, 1000, 100, 30, 0);
	is_row(1, 1100, 100, 100, 0);
	is_row(2, 1200, 100, 100, 0);
	is_row(3, 1300, 100, 50, 10);
	is_row(4, 1400, 50, 0, 0);
}

TEST(bins_without_a_part_are_there_too)
{
	struct timeline_bins b = begin(0, 10);

	bins_flush(&b, 35);
	assert_int_equal(n, 3);
	bins_add_gap(&b, 57, 60, 3, false);
	assert_int_equal(n, 5);
	bins_finish(&b, 60);
	assert_int_equal(n, 6);
	is_row(5, 50, 10, 3, 0);
}

TEST(a_part_without_a_gap_takes_no_bin_beyond_its_length)
{
	/* where a product in floating point rounds: one nanosecond beyond the 20 ms of a bin */
	struct timeline_bins b = begin(0, 20000000);

	bins_add_gap(&b, 3625292, 499957505, 496332213, false);
	bins_finish(&b, 500000000);
	assert_int_equal(n, 25);
	is_row(0, 0, 20000000, 16374708, 0);
	for (int i = 1; i < 24; i++)
		is_row(i, i * INT64_C(20000000), 20000000, 20000000, 0);
	is_row(24, 480000000, 20000000, 19957505, 0);
}

TEST(a_part_that_lost_less_than_it_spans_keeps_its_sum)
{
	struct timeline_bins b = begin(0, 100);
	int64_t sum = 0;

	bins_add_gap(&b, 33, 733, 101, false);
	bins_finish(&b, 800);
	assert_int_equal(n, 8);
	for (int i = 0; i < n; i++) {
		assert_true(row[i].lost >= 0 && row[i].lost <= 16);
		sum += row[i].lost;
	}
	assert_int_equal(sum, 101);
}

TEST(a_part_that_ends_with_its_bin_stays_in_it)
{
	struct timeline_bins b = begin(0, 100);

	bins_add_gap(&b, 50, 100, 50, false);
	bins_add_gap(&b, 100, 200, 100, false);
	bins_finish(&b, 200);
	assert_int_equal(n, 2);
	is_row(0, 0, 100, 50, 0);
	is_row(1, 100, 100, 100, 0);
}

TEST(time_that_was_not_watched_is_in_no_bin)
{
	struct timeline_bins b = begin(0, 100);

	bins_add_gap(&b, 110, 120, 10, false);
	bins_skip(&b, 130, 140);
	bins_add_gap(&b, 150, 160, 10, false);
	bins_skip(&b, 250, 420);
	bins_skip(&b, 420, 500);
	bins_add_gap(&b, 500, 610, 110, false);
	bins_finish(&b, 650);
	assert_int_equal(n, 6);
	is_row(0, 0, 100, 0, 0);
	is_row(1, 100, 30, 10, 0);
	is_row(2, 140, 60, 10, 0);
	is_row(3, 200, 50, 0, 0);
	is_row(4, 500, 100, 100, 0);
	is_row(5, 600, 50, 10, 0);
}
