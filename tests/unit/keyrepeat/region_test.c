// SPDX-License-Identifier: GPL-3.0-or-later
/* Pictures of a text field painted here: what keys change, what blinks by itself, and which rectangle is told apart. */
#include "../unit.h"
#include "keyrepeat/region.h"

#define WIDTH 640
#define HEIGHT 400
#define CELL_W 9
#define LINE_H 18
#define TEXT_X 60 /* where typing begins */
#define TEXT_Y 100

static uint32_t last[WIDTH * HEIGHT], now[WIDTH * HEIGHT];
static uint8_t bits[WIDTH * HEIGHT];
static struct pixel_area found;
static struct change_marks marks = { .w = WIDTH, .h = HEIGHT, .bits = bits };

static int setup(void **state)
{
	memset(last, 0, sizeof(last));
	memset(now, 0, sizeof(now));
	memset(bits, 0, sizeof(bits));
	return 0;
}

static void paint(int x, int y, int w, int h, uint32_t colour) /* each number another colour, far from the others */
{
	for (int r = y; r < y + h; r++)
		for (int c = x; c < x + w; c++)
			now[r * WIDTH + c] = colour * 0x9e3779u;
}

/* As one look at the screen: what is painted since the last one is marked. */
static bool look(uint8_t bit)
{
	bool changed = region_mark_changes(&marks, last, now, bit);

	memcpy(last, now, sizeof(now));
	return changed;
}

static void letter(int n) /* shorter than its line, as an "a" is */
{
	paint(TEXT_X + n * CELL_W + 1, TEXT_Y + 6, CELL_W - 3, 8, 1);
}

static void caret(int n, bool on) /* a bar of the line's height, before the n-th letter */
{
	paint(TEXT_X + n * CELL_W, TEXT_Y, 1, LINE_H, on ? 2 : 0);
}

static void blink(int n, uint8_t bit)
{
	for (int i = 0; i < 3; i++) {
		caret(n, i % 2);
		look(bit);
	}
	caret(n, true);
	look(bit);
}

static void type(void (*also)(int key))
{
	for (int i = 0; i < REGION_KEYS; i++) {
		caret(i, false);
		letter(i);
		caret(i + 1, true);
		if (also)
			also(i);
		look((uint8_t)REGION_KEY(i));
	}
}

static void is(struct pixel_area r, int x, int y, int w, int h)
{
	assert_int_equal(r.x, x);
	assert_int_equal(r.y, y);
	assert_int_equal(r.w, w);
	assert_int_equal(r.h, h);
}

TEST_WITH(setup, NULL, nothing_but_a_caret)
{
	/* no key shows, and the caret goes on blinking while they are typed */
	blink(0, REGION_BEFORE);
	for (int i = 0; i < REGION_KEYS; i++) {
		caret(0, i % 2);
		look((uint8_t)REGION_KEY(i));
	}
	blink(0, REGION_AFTER);
	assert_false(region_find_echoes(&marks, &found));
}

TEST_WITH(setup, NULL, no_change_at_all)
{
	assert_false(look(REGION_BEFORE));
	assert_false(region_find_echoes(&marks, &found));
}

TEST_WITH(setup, NULL, one_change_is_chance)
{
	paint(300, 300, 50, 10, 7); /* a mail has come */
	look(REGION_KEY(2));
	assert_false(region_find_echoes(&marks, &found));
}

/* A key, and BackSpace after it, of which `left` pixels stay. */
static void type_and_erase(int left)
{
	static uint32_t before[WIDTH * HEIGHT];

	memcpy(before, now, sizeof(now));
	caret(0, false);
	letter(0);
	caret(1, true);
	look((uint8_t)REGION_KEY(0));
	memcpy(now, before, sizeof(now));
	paint(TEXT_X + 1, TEXT_Y + 6, left, 1, 1);
	look((uint8_t)REGION_KEY(1));
	region_mark_changes(&marks, before, last, REGION_LEFT);
}

TEST_WITH(setup, NULL, a_letter_that_is_taken_back)
{
	blink(0, REGION_BEFORE);
	type_and_erase(0);
	blink(0, REGION_AFTER);
	marks.erased = true;
	assert_true(region_find_echoes(&marks, &found));
	marks.erased = false;
	is(found, TEXT_X, TEXT_Y, CELL_W + 1, LINE_H); /* text does not grow */
}

TEST_WITH(setup, NULL, a_letter_that_stays)
{
	blink(0, REGION_BEFORE);
	type_and_erase(1);
	assert_false(region_find_echoes(&marks, &found));
}

/* As an editor's icon, above and left of the letter, after the first key. */
TEST_WITH(setup, NULL, a_mark_of_a_changed_text_stays_and_is_no_letter)
{
	static uint32_t before[WIDTH * HEIGHT];

	marks.erased = true;
	memcpy(before, now, sizeof(now));
	for (int i = 0; i < 4; i++) {
		paint(TEXT_X, TEXT_Y, 2 * CELL_W, LINE_H, 0);
		if (i % 2 == 0)
			letter(0);
		paint(TEXT_X - 6, TEXT_Y - 14, 9, 9, 7);
		look((uint8_t)REGION_KEY(i));
		if (i == 1)
			region_mark_changes(&marks, before, last, REGION_LEFT);
	}
	assert_true(region_find_echoes(&marks, &found));
	marks.erased = false;
	assert_in_range(found.y, TEXT_Y, TEXT_Y + 6);
	assert_in_range(found.w, CELL_W - 3, CELL_W);
}

static void paint_field(bool typed)
{
	paint(TEXT_X, TEXT_Y, 2 * CELL_W, LINE_H, 0);
	if (typed)
		letter(0);
	caret(typed, true);
	paint(200, 10, 140, 12, typed ? 5 : 6);	 /* the window's title: "*Untitled" */
	paint(500, 380, 6, 10, typed ? 10 : 11); /* the column */
}

static void type_pairs_beside(bool blinks)
{
	marks.erased = true;
	paint_field(false);
	look(0);
	memset(bits, 0, sizeof(bits));
	if (blinks)
		blink(0, REGION_BEFORE);
	for (int i = 0; i < 4; i++) {
		paint_field(i % 2 == 0);
		look((uint8_t)REGION_KEY(i));
	}
	if (blinks)
		blink(0, REGION_AFTER);
	assert_true(region_find_echoes(&marks, &found));
	marks.erased = false;
}

TEST_WITH(setup, NULL, a_title_and_a_counter_that_follow_each_key_are_no_letter)
{
	for (int i = 0; i < 2; i++) {
		setup(NULL);
		type_pairs_beside(i);
		assert_int_equal(found.y, TEXT_Y);
		assert_in_range(found.w, CELL_W, 2 * CELL_W);
	}
}

/* A status line that shows the column, below, and a clock with seconds beside the text. */
static void column_counter(int key)
{
	paint(500, 380, 6, 10, (uint32_t)key + 10);
}

TEST_WITH(setup, NULL, other_things_that_change)
{
	for (int i = 0; i < 3; i++) {
		paint(600, TEXT_Y + 4, 30, 10, (uint32_t)i + 20);
		blink(0, REGION_BEFORE);
	}
	type(column_counter);
	for (int i = 0; i < 3; i++) {
		paint(600, TEXT_Y + 4, 30, 10, (uint32_t)i + 30);
		blink(REGION_KEYS, REGION_AFTER);
	}
	assert_true(region_find_echoes(&marks, &found));
	is(found, 0, TEXT_Y, 600, 380 - TEXT_Y);
}

TEST_WITH(setup, NULL, a_greeting_that_goes_bounds_nothing)
{
	paint(200, 200, 200, 40, 5);
	look(0);
	paint(200, 200, 200, 40, 0);
	look(REGION_BEFORE);
	type(NULL);
	assert_true(region_find_echoes(&marks, &found));
	is(found, 0, TEXT_Y, WIDTH, HEIGHT - TEXT_Y);
}

TEST_WITH(setup, NULL, what_is_above_is_left_out)
{
	for (int i = 0; i < 2; i++) {
		paint(20, 20, 300, 30, (uint32_t)i + 5);
		look(i ? REGION_AFTER : REGION_BEFORE);
	}
	type(NULL);
	assert_true(region_find_echoes(&marks, &found));
	is(found, 0, TEXT_Y, WIDTH, HEIGHT - TEXT_Y);
}

TEST_WITH(setup, NULL, a_film_hides_all)
{
	for (int i = 0; i < REGION_KEYS; i++) {
		paint(0, 0, WIDTH, HEIGHT, (uint32_t)i + 40);
		look(REGION_BEFORE);
		type(NULL);
	}
	assert_false(region_find_echoes(&marks, &found));
}

TEST(words)
{
	static const char *const wrong[] = { "",	   "auto",	     "10x10",		"10x10+5",	   "10x10+5+5 ",
					     " 10x10+5+5", "10x0+5+5",	     "0x10+5+5",	"10x10-5+5",	   "10x10+5+5+5",
					     "10X10+5+5",  "1000000x10+5+5", "600x300++10++20", "+600x+300+10+20", "+60x30+1+2",
					     "60x+30+1+2", "60x30++1+2",     "60x30+1++2" };
	struct pixel_area r = { 1, 2, 3, 4 };
	char text[REGION_TEXT];

	for (size_t i = 0; i < COUNT(wrong); i++)
		assert_int_not_equal(region_parse(wrong[i], &r), 0);
	is(r, 1, 2, 3, 4);
	assert_int_equal(region_parse("600x300+10+20", &r), 0);
	is(r, 10, 20, 600, 300);
	region_format(&r, text);
	assert_string_equal(text, "600x300+10+20");
}

TEST(overlaps)
{
	struct pixel_area a = { 10, 10, 100, 100 }, b = { 50, 0, 100, 30 }, apart = { 200, 10, 5, 5 }, r;

	is(area_intersect(&a, &b), 50, 10, 60, 20);
	is(area_intersect(&b, &a), 50, 10, 60, 20);
	r = area_intersect(&a, &apart);
	assert_true(area_is_empty(&r));
}
