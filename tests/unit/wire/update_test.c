// SPDX-License-Identifier: GPL-3.0-or-later
/* message and update - lines of time with figures worked out by hand. */
#include <math.h>

#include "clock.h"
#include "wire/stream.h"
#include "wire/update.h"
#include "../unit.h"

#define MS NS_PER_MS
enum { INPUT, DISPLAY };

static uint32_t messages(struct message_state *m, int direction, int64_t ms, uint32_t ends, bool open)
{
	struct stream_data part = { .bytes = 10, .ends = ends, .open = open };
	bool fresh;

	return message_count_begun(m, direction, ms * MS, &part, &fresh);
}

TEST(several_ends_at_once)
{
	struct message_state m;

	message_reset(&m);
	assert_int_equal(messages(&m, DISPLAY, 0, 3, false), 3);
	assert_int_equal(messages(&m, DISPLAY, 1, 2, true), 3);
	assert_int_equal(messages(&m, DISPLAY, 2, 2, true), 2); /* the first of them was open */
	assert_int_equal(messages(&m, DISPLAY, 3, 1, false), 0);
}

TEST(a_long_message_links_by_its_end)
{
	struct update_series u;
	uint64_t number;

	update_start(&u, 10 * MS, 50 * MS, NULL);
	number = update_add_message(&u, 0);
	update_extend(&u, number, 15 * MS);
	update_extend(&u, number, 30 * MS);
	assert_int_equal(update_add_message(&u, 39 * MS), number);     /* 9 after its end */
	assert_int_equal(update_add_message(&u, 49 * MS), number + 1); /* exactly 10 after */
	update_extend(&u, number, 55 * MS);			       /* an older update's message does not stretch this one */
	assert_int_equal(update_add_message(&u, 60 * MS), number + 2);
}

TEST(gaps_are_kept_in_bounded_memory)
{
	static const uint64_t most[] = { UPDATE_GAPS_MAX, UPDATE_GAPS_WATCH };

	for (int k = 0; k < 2; k++) {
		struct sample kept = { 0 };
		struct update_series u;
		int64_t below = 0;

		update_start(&u, 1, 50 * MS, &kept);
		u.keep_most = most[k];
		/* gaps of 1, 2, ... 1000 us in turn: one in ten is up to 100 us, in what was kept as well */
		for (int64_t i = 0, now = 0; i < 2 * (int64_t)UPDATE_GAPS_MAX + 1; i++, now += (i % 1000 + 1) * NS_PER_US)
			update_add_message(&u, now);
		assert_int_equal(u.gaps.n, 2 * UPDATE_GAPS_MAX);
		assert_int_equal(kept.n, most[k]);
		for (size_t i = 0; i < kept.n; i++)
			below += kept.value[i] <= 100 * NS_PER_US;
		assert_true(fabs((double)below / (double)kept.n - 0.1) < 2.9 / sqrt((double)kept.n)); /* nine standard errors */
		sample_free(&kept);
	}
}

TEST(one_update_has_no_gaps)
{
	struct update_series u;

	update_start(&u, 10 * MS, 50 * MS, NULL);
	update_add_message(&u, 5);
	assert_int_equal(u.gaps.n, 0);
	assert_true(isnan(gaps_variance(&u.gaps)));
	update_add_message(&u, 0); /* captures may step back in time: it joins */
	assert_int_equal(u.count, 1);
}

/* The first comes 30 ms late, and before the fourth is a gap of 100 ms; all others are 50 ms long. */
TEST(gaps_of_the_warm_up_are_left_out)
{
	struct sample kept = { 0 };
	struct update_series u;

	for (uint64_t warmup = 0; warmup <= 11; warmup++) {
		update_start(&u, 10 * MS, 50 * MS, &kept);
		u.warmup = warmup;
		kept.n = 0;
		for (int i = 0; i < 10; i++)
			update_add_message(&u, i * 50 * MS + (i == 0) * 30 * MS + (i > 2) * 50 * MS);
		assert_int_equal(u.count, 10);
		/* of nine gaps, 20, 50, 100, 50, ..., those that end with one of the first are left out */
		assert_int_equal(u.gaps.n, warmup < 2 ? 9 : warmup < 10 ? 10 - warmup : 0);
		assert_int_equal(kept.n, u.gaps.n);
		assert_int_equal(u.gaps.stalls, warmup < 4);
		assert_near(u.gaps.mean,
			    warmup < 2	  ? 470.0 / 9 * MS
			    : warmup == 2 ? 450.0 / 8 * MS
			    : warmup == 3 ? 400.0 / 7 * MS
			    : warmup < 10 ? 50.0 * MS
					  : 0,
			    1);
	}
	sample_free(&kept);
}

TEST(a_clock_set_back_begins_an_update_without_a_gap)
{
	struct update_series u;

	update_start(&u, 10 * MS, 50 * MS, NULL);
	update_add_message(&u, 1000 * MS);
	update_add_message(&u, 1060 * MS); /* 60 */
	update_add_message(&u, 1051 * MS); /* 9 before its first packet: packets that swapped places */
	assert_int_equal(u.count, 2);
	update_add_message(&u, 100 * MS);
	update_add_message(&u, 105 * MS);
	update_add_message(&u, 170 * MS); /* 70 */
	assert_int_equal(u.count, 4);
	assert_int_equal(u.gaps.n, 2);
	assert_near(u.gaps.mean, 65 * MS, 1);
	assert_int_equal(u.gaps.max, 70 * MS);
}

/* An update each 50 ms; of another connection three messages come to light later, the first two of one update. */
TEST(what_comes_to_light_late_makes_no_gap)
{
	struct update_series u;

	update_start(&u, 10 * MS, 50 * MS, NULL);
	for (int i = 0; i <= 100; i++)
		update_add_message(&u, i * 50 * MS);
	for (int i = 0; i < 3; i++)
		assert_int_equal(update_add_late(&u, (int64_t[]){ 60, 69, 300 }[i] * MS), 101);
	update_add_late(&u, 5050 * MS); /* of now */
	assert_int_equal(update_count_all(&u), 104);
	assert_int_equal(u.gaps.n, 101);
	assert_near(u.gaps.mean, 50 * MS, 1);
	assert_int_equal(u.gaps.max, 50 * MS);
}
