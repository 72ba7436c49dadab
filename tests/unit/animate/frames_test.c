// SPDX-License-Identifier: GPL-3.0-or-later
/* Frames, slots and counting: a frame's number read back by the patch's reader, sizes of its
 * information by hand, times by arithmetic. */
#include "../unit.h"
#include "animate/frame.h"
#include "animate/frames.h"
#include "clock.h"

static int grey(const void *pixels, int x, int y)
{
	uint32_t p = ((const uint32_t *)pixels)[y * 100 + x];

	return (int)((p >> 16 & 0xff) + (p >> 8 & 0xff) + (p & 0xff)) / 3;
}

TEST(a_frame_shows_its_number_and_is_itself_again)
{
	static uint32_t first[100 * 100], again[100 * 100], other[100 * 100];

	for (int content = FRAME_NOISE; content <= FRAME_FLAT; content++) {
		struct frame_cfg p = { 100, 100, (enum frame_content)content, 5 };
		struct patch_image view = { 100, 100, grey, first };
		struct patch_place at = { FRAME_CELL, FRAME_CELL, FRAME_CELL };
		uint32_t number = 0;

		frame_draw(&p, 77, first);
		frame_draw(&p, 77, again);
		frame_draw(&p, 78, other);
		assert_true(patch_read(&view, &at, &number));
		assert_int_equal(number, 77);
		assert_true(patch_find(&view, 3, 8, &at, &number));
		assert_int_equal(number, 77);
		assert_int_equal(at.x, FRAME_CELL);
		assert_int_equal(at.y, FRAME_CELL);
		assert_memory_equal(first, again, sizeof(first));
		assert_memory_not_equal(first, other, sizeof(first));
		p.seed = 6;
		frame_draw(&p, 77, other);
		assert_memory_not_equal(first, other, sizeof(first));
	}
}

TEST(the_chance_in_a_frame_is_counted)
{
	static uint32_t rgb[120 * 100];
	struct frame_cfg p = { 100, 100, FRAME_NOISE, 1 };

	/* all pixels but those under the mark of 40 x 32: 8,720 of 3 bytes */
	assert_int_equal(frame_draw(&p, 1, rgb), 8720 * 24);
	p.content = FRAME_FLAT;
	assert_int_equal(frame_draw(&p, 1, rgb), 8);
	/* 120 x 100, squares of 10: 60 noisy and 60 of one colour. The mark hides 3 x 4 squares and the
	 * upper fifth of a row of four: of the first three rows of squares, 12, half are noisy; of the
	 * fourth, two noisy ones lose 20 pixels each. */
	p = (struct frame_cfg){ 120, 100, FRAME_MIXED, 1 };
	assert_int_equal(frame_draw(&p, 1, rgb), 8 * (54 * 100 - 2 * 20 + 54));
}

TEST(noise_differs_everywhere_and_squares_are_flat_in_turn)
{
	static uint32_t a[100 * 100], b[100 * 100];
	struct frame_cfg p = { 100, 100, FRAME_NOISE, 1 };
	int alike = 0;

	frame_draw(&p, 0, a);
	frame_draw(&p, 1, b);
	for (int y = 32; y < 100; y++)
		for (int x = 0; x < 100; x++)
			alike += a[y * 100 + x] == b[y * 100 + x];
	assert_in_range(alike, 0, 5); /* 6,800 pixels of 2^24 colours */
	p.content = FRAME_MIXED;
	frame_draw(&p, 0, a);
	for (int y = 50; y < 60; y++)
		for (int x = 60; x < 70; x++)
			assert_int_equal(a[y * 100 + x], a[50 * 100 + 60]);
	assert_memory_not_equal(&a[50 * 100 + 50], &a[51 * 100 + 50], 10 * sizeof(*a));
}

TEST(slots_do_not_drift)
{
	struct frame_slots s = { .start_ns = 1000, .rate_per_s = 30 };

	assert_int_equal(frame_due_ns(&s, 0), 1000);
	assert_int_equal(frame_due_ns(&s, 1), 1000 + 33333333);
	assert_int_equal(frame_due_ns(&s, 2), 1000 + 66666667);
	assert_int_equal(frame_due_ns(&s, 30 * 3600 * 24), 1000 + NS_PER_DAY);
	s.next = 5;
	assert_false(frame_slot_is_over(&s, frame_due_ns(&s, 6) - 1));
	assert_true(frame_slot_is_over(&s, frame_due_ns(&s, 6)));
}

TEST(frames_left_out_of_a_loop_are_missed)
{
	static const uint32_t numbers[] = { 3, 3, 4, 0, 2, 2, 1, 9, 1, 2 };
	struct frame_tally s;
	int64_t now = 0;

	frame_tally_start(&s, 5);
	for (size_t i = 0; i < COUNT(numbers); i++)
		frame_tally_add(&s, numbers[i], now += 10);
	/* 3, 4, 0, (1), 2, (3, 4, 0), 1, 2; and 9, which is another's */
	assert_int_equal(s.frames, 6);
	assert_int_equal(s.distinct, 5);
	assert_int_equal(s.missed, 4);
	assert_int_equal(s.foreign, 1);
	assert_int_equal(s.first_ns, 10);
	assert_int_equal(s.last_ns, 100);
	assert_int_equal(s.gap.n, 5);
	frame_tally_free(&s);
	frame_tally_start(&s, 0);
	assert_true(frame_tally_add(&s, PATCH_NUMBER_MAX, 1));
	assert_true(frame_tally_add(&s, 5, 2));
	assert_int_equal(s.missed, 0);
	frame_tally_free(&s);
}
