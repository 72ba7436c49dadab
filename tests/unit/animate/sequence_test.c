// SPDX-License-Identifier: GPL-3.0-or-later
/* The orders in which frames are shown: their definitions, and a random order against what chance gives. */
#include "animate/sequence.h"
#include "../unit.h"

TEST(a_loop_comes_round)
{
	struct frame_sequence s;

	frame_sequence_start(&s, SEQUENCE_LOOP, 3, 0, 1);
	for (int64_t i = 0; i < 10; i++)
		assert_int_equal(frame_sequence_next(&s), i % 3);
	frame_sequence_start(&s, SEQUENCE_FRESH, 0, 0, 1);
	for (int64_t i = 0; i < 10; i++)
		assert_int_equal(frame_sequence_next(&s), i);
}

TEST(hot_ones_come_every_second_time)
{
	static const int64_t want[] = { 0, 2, 1, 3, 0, 4, 1, 2, 0, 3, 1, 4 };
	struct frame_sequence s;

	frame_sequence_start(&s, SEQUENCE_HOT, 5, 2, 1);
	for (size_t i = 0; i < sizeof(want) / sizeof(*want); i++)
		assert_int_equal(frame_sequence_next(&s), want[i]);
}

TEST(chance_shows_all_others_alike_and_none_twice_running)
{
	enum { N = 7, DRAWS = 70000 };
	int64_t count[N] = { 0 }, last = -1;
	struct frame_sequence s, again;

	frame_sequence_start(&s, SEQUENCE_RANDOM, N, 0, 42);
	frame_sequence_start(&again, SEQUENCE_RANDOM, N, 0, 42);
	for (int i = 0; i < DRAWS; i++) {
		int64_t frame = frame_sequence_next(&s);

		assert_int_equal(frame, frame_sequence_next(&again)); /* the same seed, the same order */
		assert_in_range(frame, 0, N - 1);
		assert_int_not_equal(frame, last);
		count[frame]++;
		last = frame;
	}
	/* 10,000 each; five standard deviations of the binomial count are 463 */
	for (int i = 0; i < N; i++)
		assert_in_range(count[i], DRAWS / N - 463, DRAWS / N + 463);
}
