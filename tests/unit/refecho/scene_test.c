// SPDX-License-Identifier: GPL-3.0-or-later
/* The window's picture: painted from the boxes alone, the patch is there; everything stays in its place. */
#include "refecho/scene.h"
#include "../unit.h"

#define BOXES (PATCH_ROWS * PATCH_COLUMNS)

static uint8_t grey[SCENE_HEIGHT][SCENE_WIDTH];

static int luminance(const void *pixels, int x, int y)
{
	(void)pixels;
	return grey[y][x];
}

static void paint(const struct pixel_area *box, int n, uint8_t value)
{
	for (int i = 0; i < n; i++) {
		assert_true(box[i].x >= 0 && box[i].y >= 0 && box[i].w > 0 && box[i].h > 0);
		assert_true(box[i].x + box[i].w <= SCENE_WIDTH && box[i].y + box[i].h <= SCENE_HEIGHT);
		for (int y = box[i].y; y < box[i].y + box[i].h; y++)
			memset(&grey[y][box[i].x], value, (size_t)box[i].w);
	}
}

static void start(struct echo_scene *s, int cell)
{
	scene_init(s, cell);
	memset(grey, 255, sizeof(grey));
	for (int r = 0; r < PATCH_ROWS; r++)
		for (int c = 0; c < PATCH_COLUMNS; c++)
			paint(&(struct pixel_area){ (2 + c) * cell, (2 + r) * cell, cell, cell }, 1,
			      s->cells.white[r][c] ? 255 : 0);
}

TEST(changes_alone_keep_the_patch_right)
{
	const struct patch_image image = { SCENE_WIDTH, SCENE_HEIGHT, luminance, NULL };
	struct pixel_area white[BOXES], black[BOXES];
	struct echo_scene s;
	int whites, blacks;

	for (int cell = SCENE_CELL_MIN; cell <= SCENE_CELL_MAX; cell++) {
		struct patch_place at = { 2 * cell, 2 * cell, cell };
		uint32_t got;

		start(&s, cell);
		for (uint32_t n = 1; n < 300; n++) {
			scene_set_number(&s, n * 7919, n % 10 == 0, white, &whites, black, &blacks);
			paint(white, whites, 255);
			paint(black, blacks, 0);
			assert_true(patch_read(&image, &at, &got));
			assert_int_equal(got, n * 7919);
		}
	}
}

/* Nothing is painted that does not change, nothing twice: painting says so by inverting. */
TEST(only_changed_cells_are_painted)
{
	struct pixel_area white[BOXES], black[BOXES];
	struct echo_scene s;
	int whites, blacks;

	start(&s, 8);
	scene_set_number(&s, 0, false, white, &whites, black, &blacks);
	assert_int_equal(whites + blacks, 0);
	scene_set_number(&s, 5, false, white, &whites, black, &blacks);
	for (int i = 0; i < whites; i++)
		for (int x = 0; x < white[i].w; x++)
			assert_int_equal(grey[white[i].y][white[i].x + x], 0);
	for (int i = 0; i < blacks; i++)
		for (int x = 0; x < black[i].w; x++)
			assert_int_equal(grey[black[i].y][black[i].x + x], 255);
	scene_set_number(&s, 5, true, white, &whites, black, &blacks);
	memset(grey, 128, sizeof(grey));
	paint(white, whites, 255);
	paint(black, blacks, 0);
	for (int y = 0; y < SCENE_HEIGHT; y++)
		for (int x = 0; x < SCENE_WIDTH; x++)
			assert_int_equal(grey[y][x] != 128, x >= 16 && x < 80 && y >= 24 && y < 64); /* below the marker */
}

TEST(numbers_beyond_24_bits_wrap)
{
	struct pixel_area white[BOXES], black[BOXES];
	struct echo_scene s;
	int whites, blacks;

	scene_init(&s, 8);
	scene_set_number(&s, 0x1000007, false, white, &whites, black, &blacks);
	assert_int_equal(s.number, 7);
}

TEST(the_line_is_begun_anew_when_full)
{
	bool cleared;
	struct echo_scene s;

	for (int cell = SCENE_CELL_MIN; cell <= SCENE_CELL_MAX; cell++) {
		struct pixel_area line, box;
		int n = 0;

		scene_init(&s, cell);
		line = scene_line_box(&s);
		/* outside the patch's quiet zone, inside the window */
		assert_true(line.y >= (2 + PATCH_ROWS + 1) * cell && line.y + line.h <= SCENE_HEIGHT);
		for (cleared = false; !cleared; n++) {
			box = scene_add_character(&s, 'a', &cleared);
			assert_true(box.x >= line.x && box.x + box.w <= line.x + line.w && box.y == line.y);
			assert_true(n < 100);
		}
		assert_int_equal(n - 1, line.w / SCENE_GLYPH_WIDTH);
		assert_int_equal(s.length, 1);
		assert_int_equal(box.x, line.x);
	}
	scene_init(&s, 8);
	scene_add_character(&s, '\r', &cleared);
	scene_add_character(&s, 200, &cleared);
	assert_memory_equal(s.line, "..", 2);
}

/* Not one glyph is like another, and only the space is empty. */
TEST(glyphs_differ)
{
	uint64_t dots[95] = { 0 };

	for (int c = 0; c < 95; c++) {
		for (int i = 0; i < 5 * 7; i++)
			dots[c] = dots[c] << 1 | scene_has_dot((unsigned char)(c + 0x20), i % 5, i / 5);
		assert_true((dots[c] == 0) == (c == 0));
		for (int other = 0; other < c; other++)
			assert_true(dots[c] != dots[other]);
	}
	assert_false(scene_has_dot('A', -1, 0) || scene_has_dot('A', 0, -1) || scene_has_dot('A', 5, 3) ||
		     scene_has_dot('A', 0, 7));
	assert_true(scene_has_dot(0x80, 2, 6) == scene_has_dot('.', 2, 6));
}
