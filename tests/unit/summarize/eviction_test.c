// SPDX-License-Identifier: GPL-3.0-or-later
/* Simulated caches against closed formulas and cases worked by hand; and each policy recognised from what it hits. */
#include <math.h>

#include "summarize/eviction.h"
#include "../unit.h"

static double hits(enum eviction policy, int64_t capacity, enum sequence_order order, int64_t frames, int64_t hot, int64_t count)
{
	struct eviction_trial t = { order, frames, hot, 20 * frames, count, 7 };

	return eviction_hit_ratio(policy, capacity, &t);
}

TEST(a_loop_that_fits_always_hits)
{
	for (int p = 0; p < EVICTIONS; p++)
		assert_near(hits((enum eviction)p, 65, SEQUENCE_LOOP, 65, 0, 650), 1, 0);
}

TEST(a_loop_of_one_more_defeats_lru_and_fifo_but_not_chance)
{
	assert_near(hits(EVICTION_LRU, 65, SEQUENCE_LOOP, 66, 0, 660), 0, 0);
	assert_near(hits(EVICTION_FIFO, 65, SEQUENCE_LOOP, 66, 0, 660), 0, 0);
	/* one frame is not there, and a miss puts another in its place, 1 to C showings further on, all as
	 * likely: one miss in (C + 1) / 2 */
	assert_near(hits(EVICTION_RANDOM, 65, SEQUENCE_LOOP, 66, 0, 200000), 1 - 2.0 / 66, 0.003);
	/* keeping the oldest: all but one place serve the same frames for ever */
	assert_near(hits(EVICTION_MRU, 65, SEQUENCE_LOOP, 130, 0, 130000), 64.0 / 129, 0.01);
}

TEST(random_replacement_in_a_longer_loop_is_as_the_formula_says)
{
	/* the roots below 1 of h = exp(-89 (1 - h) / 65) and of h = exp(-129 (1 - h) / 65) */
	assert_near(hits(EVICTION_RANDOM, 65, SEQUENCE_LOOP, 90, 0, 90000), 0.514149, 0.02);
	assert_near(hits(EVICTION_RANDOM, 65, SEQUENCE_LOOP, 130, 0, 130000), 0.207435, 0.02);
}

TEST(random_order_tells_the_size_whatever_the_policy)
{
	for (int p = 0; p < EVICTIONS; p++) {
		double h;

		if (p == EVICTION_MRU) /* it gives up what was shown last */
			continue;
		h = hits((enum eviction)p, 65, SEQUENCE_RANDOM, 130, 0, 100000);
		assert_near(h, 64.0 / 129, 0.01);
		assert_near(eviction_capacity(h, 130), 65, 1.3);
	}
	assert_near(eviction_capacity(64.0 / 129, 130), 65, 1e-9);
}

TEST(being_shown_keeps_a_frame_under_lru_only)
{
	/* 32 hot ones in turn, every second time, beside a loop of 130 that does not fit */
	assert_near(hits(EVICTION_LRU, 65, SEQUENCE_HOT, 162, 32, 16200), 0.5, 0);
	assert_in_range((int)(1000 * hits(EVICTION_FIFO, 65, SEQUENCE_HOT, 162, 32, 16200)), 200, 350);
}

TEST(each_policy_is_recognised_and_noise_is_not)
{
	static const struct eviction_trial trial[] = {
		{ SEQUENCE_LOOP, 82, 0, 164, 164, 3 },
		{ SEQUENCE_RANDOM, 130, 0, 260, 260, 4 },
		{ SEQUENCE_HOT, 162, 32, 260, 260, 5 },
	};

	for (int p = 0; p < EVICTIONS; p++) {
		double h[3];

		for (int t = 0; t < 3; t++) {
			struct eviction_trial other = trial[t]; /* as long as in a run, by other chances */

			other.seed += 100;
			h[t] = eviction_hit_ratio((enum eviction)p, 65, &other) + (t % 2 ? -0.03 : 0.03);
		}
		assert_int_equal(eviction_find_policy(65, 0, trial, h, 3), p);
	}
	/* a size that is not known well */
	assert_int_equal(eviction_find_policy(60, 0.15, trial, (const double[]){ 0, 0.5, 0.5 }, 3), EVICTION_LRU);
	assert_int_equal(eviction_find_policy(65, 0, trial, (const double[]){ 0.5, 0.9, 0.1 }, 3), EVICTIONS);
	assert_int_equal(eviction_find_policy(65, 0, trial, (const double[]){ NAN, NAN, NAN }, 3), EVICTIONS);
	/* the loop alone does not tell LRU from FIFO */
	assert_int_equal(eviction_find_policy(65, 0, trial, (const double[]){ 0, 0.5, NAN }, 3), EVICTIONS);
	assert_true(isnan(eviction_hit_ratio(EVICTION_LRU, 0, &trial[0])));
}
