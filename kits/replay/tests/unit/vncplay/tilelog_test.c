// SPDX-License-Identifier: GPL-3.0-or-later
/* tilelog - a screen painted by hand, and which of its tiles are said to have changed. */

#include "vncplay/common/tilelog.h"
#include "../../../../../tests/unit/unit.h"

#define W 40 /* two whole tiles and half of one */
#define H 20

static uint32_t pixels[W * H];
static const struct screen screen = { W, H, pixels };
static struct tilelog t;

static int begin(void **state)
{
	(void)state;
	memset(pixels, 0, sizeof(pixels));
	tilelog_free(&t);
	tilelog_resize(&t, W, H);
	return 0;
}

static int end(void **state)
{
	(void)state;
	tilelog_free(&t);
	return 0;
}

static void paint(int x, int y, int w, int h, uint32_t colour)
{
	for (int j = y; j < y + h; j++)
		for (int i = x; i < x + w; i++)
			pixels[j * W + i] = colour;
	tilelog_mark_dirty(&t, (struct pixel_area){ x, y, w, h });
}

TEST_WITH(begin, end, only_what_differs_is_a_change)
{
	tilelog_compare(&t, &screen, 1000); /* black as it was */
	assert_int_equal(t.n, 0);
	paint(15, 0, 2, 1, 0x123456); /* over the border of two tiles */
	tilelog_compare(&t, &screen, 5000);
	assert_int_equal(t.n_updates, 1);
	assert_int_equal(t.update[0].ms, 5);
	assert_int_equal(t.n, 2);
	assert_int_equal(t.changed[0], 0);
	assert_int_equal(t.changed[1], 1);
	paint(15, 0, 2, 1, 0x123456);
	tilelog_compare(&t, &screen, 6000);
	assert_int_equal(t.n, 2);
	paint(W - 1, H - 1, 1, 1, 1); /* the last pixel: a tile of 8 x 4 */
	tilelog_compare(&t, &screen, 7000);
	assert_int_equal(t.n, 3);
	assert_int_equal(t.changed[2], TILE_COLUMNS + 2);
	assert_int_equal(t.update[1].first, 2);
}

TEST_WITH(begin, end, what_comes_and_goes_within_one_look_is_no_change)
{
	paint(0, 0, 4, 4, 7);
	paint(0, 0, 4, 4, 0);
	tilelog_compare(&t, &screen, 3000);
	assert_int_equal(t.n, 0);
}

TEST_WITH(begin, end, the_difference_tells_what_changed_whatever_else_is_there)
{
	uint64_t before, with, other, other_with;

	before = tilelog_hash(pixels, W, 16, 16);
	paint(3, 3, 5, 5, 0xabcdef);
	with = tilelog_hash(pixels, W, 16, 16);
	memset(pixels, 0, sizeof(pixels));
	paint(9, 9, 6, 2, 0x777777);
	other = tilelog_hash(pixels, W, 16, 16);
	paint(3, 3, 5, 5, 0xabcdef);
	other_with = tilelog_hash(pixels, W, 16, 16);
	assert_true(with != before && other != before && with != other && other_with != other);
	assert_true(with - before == other_with - other);
}

TEST_WITH(begin, end, places_and_colours_matter)
{
	uint64_t seen[16 * 16 * 2];
	size_t n = 0;

	for (int i = 0; i < 256; i++) {
		for (uint32_t colour = 1; colour <= 0xffffff; colour += 0xfffffe) {
			memset(pixels, 0, sizeof(pixels));
			pixels[i / 16 * W + i % 16] = colour;
			seen[n] = tilelog_hash(pixels, W, 16, 16);
			for (size_t k = 0; k < n; k++)
				assert_true(seen[k] != seen[n]);
			n++;
		}
	}
}

TEST_WITH(begin, end, a_restless_tile_stops_being_listed_and_comes_back)
{
	uint32_t ms = 0;
	size_t n;

	for (int i = 0; i < 3000; i++) { /* 100 s at 30 a second */
		paint(0, 0, 1, 1, (uint32_t)i + 1);
		tilelog_compare(&t, &screen, (ms += 33) * INT64_C(1000));
	}
	assert_in_range(t.n, TILELOG_BURST, 2 * TILELOG_BURST);
	assert_true(t.unlisted > 500);
	assert_int_equal(t.tile[0].restless, 1);
	n = t.n;
	paint(0, 0, 1, 1, 1);
	tilelog_compare(&t, &screen, (ms += 60000) * INT64_C(1000)); /* a minute of rest */
	paint(0, 0, 1, 1, 2);
	tilelog_compare(&t, &screen, (ms += 1000) * INT64_C(1000));
	assert_int_equal(t.n, n + 2);
}

TEST_WITH(begin, end, a_screen_that_grows_keeps_its_tiles)
{
	static uint32_t larger[80 * 40];
	const struct screen grown = { 80, 40, larger };

	paint(0, 0, 16, 16, 5);
	tilelog_compare(&t, &screen, 1000);
	for (int y = 0; y < 16; y++)
		for (int x = 0; x < 16; x++)
			larger[y * 80 + x] = 5;
	tilelog_resize(&t, 80, 40);
	tilelog_compare(&t, &grown, 2000);
	assert_int_equal(t.n, 1);
	assert_int_equal(t.columns, 5);
	assert_int_equal(t.rows, 3);
}
