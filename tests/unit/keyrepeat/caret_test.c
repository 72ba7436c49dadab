// SPDX-License-Identifier: GPL-3.0-or-later
/* A terminal of 8 columns with cells of 6 x 13 pixels at (4, 2), painted by the test itself. */
#include "../unit.h"
#include "keyrepeat/caret.h"

#define WIDTH 64
#define HEIGHT 160
#define CELL_W 6
#define CELL_H 13
#define COLUMNS 8

static uint32_t before[WIDTH * HEIGHT], now[WIDTH * HEIGHT];
static struct caret_step s[12];
static struct shown_number shown[12];

static void fill(int cell, uint32_t ink)
{
	int x = 4 + cell % COLUMNS * CELL_W, y = 2 + cell / COLUMNS * CELL_H;

	for (int r = 0; r < CELL_H; r++)
		for (int c = 0; c < CELL_W; c++)
			now[(y + r) * WIDTH + x + c] = ink;
}

static void glyph(int cell) /* a letter leaves the edges of its cell as the paper is */
{
	int x = 4 + cell % COLUMNS * CELL_W, y = 2 + cell / COLUMNS * CELL_H;

	fill(cell, 0);
	for (int r = 4; r < 10; r++)
		now[(y + r) * WIDTH + x + 2] = 1;
}

static void start(int caret)
{
	memset(now, 0, sizeof(now));
	for (int i = 0; i < caret; i++)
		glyph(i);
	fill(caret, 1);
	memcpy(before, now, sizeof(now));
}

/* The change, as the watcher would see it. */
static struct caret_step seen_now(int64_t at_ns)
{
	struct caret_step step = { .at_ns = at_ns };

	assert_true(caret_find_change(before, now, WIDTH, 0, 0, WIDTH, HEIGHT, &step));
	memcpy(before, now, sizeof(now));
	return step;
}

/* Types up to `caret` and sees the change as the watcher would. */
static struct caret_step walk(int from, int caret, int64_t at_ns)
{
	for (int i = from; i < caret; i++)
		glyph(i);
	fill(caret, 1);
	return seen_now(at_ns);
}

TEST(one_key_each)
{
	start(0);
	for (int i = 0; i < 5; i++)
		s[i] = walk(i, i + 1, i + 1);
	assert_true(caret_count_shown(s, 5, 5, shown));
	for (uint32_t i = 0; i < 5; i++)
		assert_int_equal(shown[i].number, i + 1);
	assert_false(caret_count_shown(s, 5, 6, shown)); /* a key was lost */
	assert_false(caret_count_shown(s, 5, 4, shown));
}

TEST(one_key_alone_may_be_a_blink)
{
	start(0);
	s[0] = walk(0, 1, 1);
	assert_int_equal(caret_count_shown(s, 1, 1, shown), 0);
}

TEST(several_keys_in_one_update)
{
	start(0);
	s[0] = walk(0, 3, 1);
	s[1] = walk(3, 4, 2);
	s[2] = walk(4, 6, 3);
	assert_true(caret_count_shown(s, 3, 6, shown));
	assert_int_equal(shown[0].number, 3);
	assert_int_equal(shown[1].number, 4);
	assert_int_equal(shown[2].number, 6);
}

static struct caret_step status_line(int64_t at_ns, uint32_t ink) /* far below the text */
{
	fill(10 * COLUMNS, ink);
	return seen_now(at_ns);
}

TEST(another_line_is_drawn_apart)
{
	size_t n;

	start(0);
	s[0] = walk(0, 1, 1);
	s[1] = status_line(2, 1);
	s[2] = walk(1, 2, 3);
	s[3] = walk(2, 3, 4);
	s[4] = status_line(5, 2);
	n = caret_count_shown(s, 5, 3, shown);
	assert_int_equal(n, 3);
	assert_int_equal(shown[0].at_ns, 1);
	assert_int_equal(shown[1].at_ns, 3);
	assert_int_equal(shown[1].number, 2);
	assert_int_equal(shown[2].at_ns, 4);
	assert_false(caret_count_shown(s, 5, 4, shown)); /* it is no key */
	/* a line that keeps changing is not passed over: something else may be going on */
	start(0);
	for (int i = 0; i < 6; i++) {
		s[2 * i] = walk(i, i + 1, 2 * i + 1);
		s[2 * i + 1] = status_line(2 * i + 2, (uint32_t)i + 1);
	}
	assert_false(caret_count_shown(s, 12, 6, shown));
}

TEST(another_line_is_drawn_at_once)
{
	start(0);
	glyph(0);
	fill(1, 1);
	fill(10 * COLUMNS, 1);
	s[0].at_ns = s[1].at_ns = 1;
	assert_true(caret_find_change(before, now, WIDTH, 0, 0, WIDTH, HEIGHT, &s[0]));
	assert_int_equal(s[0].bottom, 2 + CELL_H - 1);
	assert_true(caret_find_change(before, now, WIDTH, 0, s[0].bottom + 1, WIDTH, HEIGHT - s[0].bottom - 1, &s[1]));
	assert_int_equal(s[1].top, 2 + 10 * CELL_H);
	assert_false(caret_find_change(before, now, WIDTH, 0, s[1].bottom + 1, WIDTH, HEIGHT - s[1].bottom - 1, &s[2]));
	memcpy(before, now, sizeof(now));
	s[2] = walk(1, 2, 2);
	s[3] = walk(2, 3, 3);
	assert_int_equal(caret_count_shown(s, 4, 3, shown), 3);
	assert_int_equal(shown[0].number, 1);
	assert_int_equal(shown[1].at_ns, 2);
}

TEST(over_the_end_of_the_line)
{
	start(5);
	s[0] = walk(5, 6, 1);
	s[1] = walk(6, 7, 2);
	s[2] = walk(7, 8, 3); /* the caret is the first cell of the second line */
	s[3] = walk(8, 9, 4);
	assert_true(caret_count_shown(s, 4, 4, shown));
	assert_int_equal(shown[2].number, 3);
	start(5);
	s[0] = walk(5, 6, 1);
	s[1] = walk(6, 10, 2); /* four keys in one update, two of them beyond the end */
	assert_true(caret_count_shown(s, 2, 5, shown));
	assert_int_equal(shown[1].number, 5);
	start(7);
	s[0] = walk(7, 8, 1); /* the first key is the last of its line */
	s[1] = walk(8, 9, 2);
	assert_true(caret_count_shown(s, 2, 2, shown));
	assert_int_equal(shown[0].number, 1);
}

TEST(a_blinking_caret_is_no_key)
{
	start(0);
	s[0] = walk(0, 1, 1);
	fill(1, 0);
	s[1] = seen_now(0);
	fill(1, 1);
	s[2] = seen_now(0);
	s[3] = walk(1, 2, 4);
	assert_true(caret_count_shown(s, 4, 2, shown));
	assert_int_equal(shown[1].number, 1);
	assert_int_equal(shown[2].number, 1);
}

/* First the letter where the caret was, then the caret. */
TEST(painted_in_two_goes)
{
	start(5);
	for (int i = 0; i < 4; i++) { /* the third goes to the next line */
		glyph(5 + i);
		s[2 * i] = seen_now(10 * i + 1);
		fill(6 + i, 1);
		s[2 * i + 1] = seen_now(10 * i + 2);
	}
	assert_int_equal(caret_count_shown(s, 8, 4, shown), 8);
	for (uint32_t i = 0; i < 4; i++) {
		assert_int_equal(shown[2 * i].number, i);
		assert_int_equal(shown[2 * i + 1].number, i + 1);
	}
	assert_false(caret_count_shown(s, 8, 5, shown));
	assert_false(caret_count_shown(s, 8, 8, shown));
}

/* One go for most keys, two where the line ends; or the blank first, and the letter with the caret. */
TEST(painted_in_two_goes_where_the_line_ends)
{
	start(5);
	s[0] = walk(5, 6, 1);
	s[1] = walk(6, 7, 2);
	glyph(7);
	s[2] = seen_now(3);
	fill(8, 1);
	s[3] = seen_now(4);
	s[4] = walk(8, 9, 5);
	assert_int_equal(caret_count_shown(s, 5, 4, shown), 5);
	assert_int_equal(shown[2].number, 2);
	assert_int_equal(shown[3].number, 3);
	start(5);
	s[0] = walk(5, 6, 1);
	s[1] = walk(6, 7, 2);
	fill(7, 0);
	s[2] = seen_now(3);
	glyph(7);
	fill(8, 1);
	s[3] = seen_now(4);
	s[4] = walk(8, 9, 5);
	assert_int_equal(caret_count_shown(s, 5, 4, shown), 5);
	assert_int_equal(shown[3].number, 3);
}

TEST(what_goes_with_the_first_key_is_passed_over)
{
	start(0);
	now[60 * WIDTH + 10] = 1; /* a pointer that hides */
	s[0] = seen_now(0);
	s[1] = walk(0, 1, 1);
	s[2] = walk(1, 2, 2);
	assert_int_equal(caret_count_shown(s, 3, 2, shown), 2);
	assert_int_equal(shown[1].number, 2);
}

TEST(something_else_is_refused)
{
	start(8);
	s[0] = walk(8, 9, 1);
	start(9);
	fill(2, 1); /* a clock in the line above */
	assert_true(caret_find_change(before, now, WIDTH, 0, 0, WIDTH, HEIGHT, &s[1]));
	s[1].at_ns = 2;
	assert_false(caret_count_shown(s, 2, 1, shown));
	assert_false(caret_count_shown(s, 0, 0, shown));
	memcpy(before, now, sizeof(now));
	assert_false(caret_find_change(before, now, WIDTH, 0, 0, WIDTH, HEIGHT, &s[2])); /* nothing changed */
}
