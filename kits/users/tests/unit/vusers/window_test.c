// SPDX-License-Identifier: GPL-3.0-or-later
/* window - what is under way over time, and the gaps between sends, against sums made by hand. */
#include <math.h>

#include "vusers/window.h"
#include "../../../../../tests/unit/unit.h"

TEST(only_what_lies_within_it_counts)
{
	struct measuring_window w;

	window_init(&w, 0, 100, 200);
	assert_false(window_contains(&w, 99));
	assert_true(window_contains(&w, 100));
	assert_true(window_contains(&w, 199));
	assert_false(window_contains(&w, 200));
	/* two before the window, one of which ends in it; a third within; and one that goes after its end */
	window_note_sent(&w, 10);
	window_note_sent(&w, 50);
	assert_int_equal(w.asked_most, 0);
	window_note_end(&w, 120);
	window_note_sent(&w, 150);
	assert_int_equal(w.asked_most, 2);
	window_note_end(&w, 260);
	window_note_sent(&w, 270);
	/* 2 x 20 + 1 x 30 + 2 x 50 */
	assert_true(fabs(w.asked_ns - 170) < 1e-9);
	assert_int_equal(w.asked, 2);
	assert_int_equal(w.gaps, 0); /* of those sent within it there is one only */
}

TEST(gaps_have_their_mean_and_spread)
{
	static const int64_t at[] = { 1000, 1010, 1040, 1100, 1200 }; /* gaps 10, 30, 60, 100 */
	struct measuring_window w;

	window_init(&w, 0, 1000, INT64_MAX);
	for (size_t i = 0; i < sizeof(at) / sizeof(*at); i++)
		window_note_sent(&w, at[i]);
	window_end_now(&w, 1300);
	assert_int_equal(w.gaps, 4);
	assert_true(fabs(w.gap_mean - 50) < 1e-9);
	assert_true(fabs(w.gap_square - (1600 + 400 + 100 + 2500)) < 1e-9);
	assert_int_equal(w.end_ns, 1300);
	assert_true(fabs(window_seconds(&w) - 300e-9) < 1e-15);
	window_end_now(&w, 1400); /* once only */
	assert_int_equal(w.end_ns, 1300);
}

TEST(one_that_never_began_has_no_length)
{
	struct measuring_window w;

	window_init(&w, 0, 500, 900);
	window_note_sent(&w, 100);
	window_end_now(&w, 200);
	assert_true(window_seconds(&w) <= 0);
	assert_true(w.asked_ns <= 0);
}
