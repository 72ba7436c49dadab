// SPDX-License-Identifier: GPL-3.0-or-later
/* Snapshots against screens that are made here, pixel by pixel. */
#include "vncplay/common/match.h"
#include "vncplay/common/trace.h"
#include "../../../../../tests/unit/unit.h"

#include <limits.h>

#define W 80
#define H 60
#define GREY 0x808080u

static uint32_t pixels[W * H];
static struct screen screen = { W, H, pixels };
static struct match_cfg cfg = { .tolerance = 8, .share = 3 };

static void fill(uint32_t colour)
{
	for (int i = 0; i < W * H; i++)
		pixels[i] = colour;
}

/* Something with corners: a letter F of 5x7 pixels, twice as large. */
static void draw_f(int x, int y, uint32_t colour)
{
	static const char *const rows[] = { "#####", "#    ", "#    ", "###  ", "#    ", "#    ", "#    " };

	for (int j = 0; j < 14; j++)
		for (int i = 0; i < 10; i++)
			if (rows[j / 2][i / 2] == '#')
				pixels[(y + j) * W + x + i] = colour;
}

static void take(struct pixel_area b, uint32_t *out)
{
	for (int j = 0; j < b.h; j++)
		memcpy(out + j * b.w, pixels + (b.y + j) * W + b.x, (size_t)b.w * 4);
}

TEST(test_look)
{
	struct pixel_area b = { 10, 10, 10, 10 };
	struct pixel_area mask[] = { { 0, 10, 12, 3 } };
	struct match_cfg masked = { .tolerance = 8, .share = 0, .masks = mask, .n_masks = 1 };
	struct mismatch_count seen;
	uint32_t shot[100];

	fill(GREY);
	take(b, shot);
	seen = match_count_mismatches(&cfg, &screen, b, shot, 0, 0, INT_MAX);
	assert_int_equal(seen.of, 100);
	assert_int_equal(seen.mismatched, 0);
	pixels[10 * W + 10] = 0x888078; /* 8 up in red, 8 down in blue: within the tolerance */
	assert_int_equal(match_count_mismatches(&cfg, &screen, b, shot, 0, 0, INT_MAX).mismatched, 0);
	pixels[10 * W + 10] = 0x808089; /* 9 */
	pixels[10 * W + 11] = 0x778080;
	pixels[12 * W + 10] = 0x809080;
	seen = match_count_mismatches(&cfg, &screen, b, shot, 0, 0, INT_MAX);
	assert_int_equal(seen.mismatched, 3);
	assert_true(match_is_close(&cfg, seen)); /* 3 of 100 */
	pixels[19 * W + 19] = 0;
	seen = match_count_mismatches(&cfg, &screen, b, shot, 0, 0, INT_MAX);
	assert_int_equal(seen.mismatched, 4);
	assert_false(match_is_close(&cfg, seen));
	/* 2 columns of 3 rows do not count: the first three are in them */
	seen = match_count_mismatches(&masked, &screen, b, shot, 0, 0, INT_MAX);
	assert_int_equal(seen.of, 94);
	assert_int_equal(seen.mismatched, 1);
	for (int i = 0; i < 50; i++)
		shot[i] = TRACE_ANY;
	assert_int_equal(match_count_mismatches(&cfg, &screen, b, shot, 0, 0, INT_MAX).of, 50);
}

TEST(test_beyond_the_edge)
{
	struct pixel_area b = { W - 5, H - 5, 10, 10 };
	uint32_t shot[100] = { 0 };

	fill(0);
	assert_int_equal(match_count_mismatches(&cfg, &screen, b, shot, 0, 0, INT_MAX).mismatched, 75);
	assert_int_equal(match_count_mismatches(&cfg, &screen, b, shot, -5, -5, INT_MAX).mismatched, 0);
	assert_int_equal(match_count_mismatches(&cfg, &screen, b, shot, -W - 20, 0, INT_MAX).mismatched, 100);
}

TEST(test_found)
{
	struct pixel_area b = { 20, 20, 14, 18 };
	struct mismatch_count seen;
	uint32_t shot[14 * 18];
	int dx = 0, dy = 0;

	fill(GREY);
	draw_f(22, 22, 0);
	take(b, shot);
	fill(GREY);
	draw_f(22 + 17, 22 - 9, 0x040404);
	assert_int_equal(match_search(&cfg, &screen, b, shot, 30, &dx, &dy, &seen), MATCH_MOVED);
	assert_in_range(dx, 16, 18); /* the tolerance may take a neighbour for it */
	assert_in_range(dy + 100, 90, 92);
	assert_int_equal(match_search(&cfg, &screen, b, shot, 10, &dx, &dy, &seen), MATCH_NOWHERE);
	draw_f(50, 40, 0);
	assert_int_equal(match_search(&cfg, &screen, b, shot, 30, &dx, &dy, &seen), MATCH_AMBIGUOUS);
}

TEST(test_flat_is_not_looked_for)
{
	struct pixel_area b = { 20, 20, 11, 11 };
	struct mismatch_count seen;
	uint32_t shot[121];
	int dx, dy;

	fill(GREY);
	take(b, shot);
	assert_int_equal(match_search(&cfg, &screen, b, shot, 10, &dx, &dy, &seen), MATCH_FLAT);
	pixels[25 * W + 25] = 0; /* one dot is no texture */
	take(b, shot);
	assert_int_equal(match_search(&cfg, &screen, b, shot, 10, &dx, &dy, &seen), MATCH_FLAT);
	for (int x = 0; x < W; x++) /* nor is the edge of a window, along itself */
		for (int y = 20; y < 26; y++)
			pixels[y * W + x] = 0xffffff;
	take(b, shot);
	assert_int_equal(match_search(&cfg, &screen, b, shot, 10, &dx, &dy, &seen), MATCH_FLAT);
}
