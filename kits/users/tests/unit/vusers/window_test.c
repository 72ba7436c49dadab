// SPDX-License-Identifier: GPL-3.0-or-later
/* window - requests under way, against sums by hand. */
#include "vusers/window.h"
#include "../../../../../tests/unit/unit.h"

#define MS 1000000LL

/* Two requests, sent at 100 and 200 ms; the first ends at 300 ms, which is told at 450 ms, after a third was sent at 400 ms. The
 * window is 0 to 1000 ms: under way for 200 + 600 + 400 ms. */
TEST(an_end_that_is_told_late_counts_until_it_was)
{
	for (int late = 0; late < 2; late++) {
		struct measuring_window w;

		window_init(&w, 0, 0, 1000 * MS);
		window_note_sent(&w, 100 * MS);
		window_note_sent(&w, 200 * MS);
		if (!late)
			window_note_end(&w, 300 * MS);
		window_note_sent(&w, 400 * MS);
		if (late)
			window_note_end(&w, 300 * MS);
		window_note_end(&w, 800 * MS);
		window_note_end(&w, 800 * MS);
		assert_near(w.asked_ns, 1200 * MS, 1);
		assert_int_equal(w.asked, 0);
	}
}

/* The same, measured from 350 ms on (450 + 400 ms), until 350 ms (200 + 150 ms), and until 250 ms (150 + 50 ms). */
TEST(what_is_told_late_is_cut_at_the_ends_of_the_window)
{
	static const struct {
		int64_t from_ns, end_ns;
		double asked_ns;
	} row[] = { { 350 * MS, 1000 * MS, 850 * MS }, { 0, 350 * MS, 350 * MS }, { 0, 250 * MS, 200 * MS } };

	for (size_t i = 0; i < sizeof(row) / sizeof(*row); i++) {
		struct measuring_window w;

		window_init(&w, 0, row[i].from_ns, row[i].end_ns);
		window_note_sent(&w, 100 * MS);
		window_note_sent(&w, 200 * MS);
		window_note_sent(&w, 400 * MS);
		window_note_end(&w, 300 * MS);
		window_note_end(&w, 800 * MS);
		window_note_end(&w, 800 * MS);
		assert_near(w.asked_ns, row[i].asked_ns, 1);
	}
}
