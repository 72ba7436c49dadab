// SPDX-License-Identifier: GPL-3.0-or-later
#include "vncplay/common/screen.h"
#include "../../../../../tests/unit/unit.h"

#include <errno.h>

TEST(test_what_was_shown_is_kept)
{
	struct screen s = { 0 };

	assert_int_equal(screen_resize(&s, 3, 2), 0);
	for (int i = 0; i < 6; i++) {
		assert_int_equal(s.pixels[i], 0);
		s.pixels[i] = (uint32_t)i + 1;
	}
	assert_int_equal(screen_resize(&s, 2, 3), 0);
	for (int i = 0; i < 6; i++)
		assert_int_equal(s.pixels[i], ((const uint32_t[]){ 1, 2, 4, 5, 0, 0 })[i]);
	assert_int_equal(screen_resize(&s, 2, 3), 0);
	assert_int_equal(s.pixels[3], 5);
	screen_free(&s);
	assert_null(s.pixels);
}

TEST(test_sizes_that_are_refused)
{
	static const int sizes[][2] = {
		{ 0, 1 }, { 1, 0 }, { -1, 1 }, { 16385, 1 }, { 1, 16385 }, { 16384, 4097 }, { 65535, 65535 }
	};
	struct screen s = { 0 };

	assert_int_equal(screen_resize(&s, 4, 4), 0);
	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++)
		assert_int_equal(screen_resize(&s, sizes[i][0], sizes[i][1]), -EINVAL);
	assert_int_equal(s.width, 4);
	assert_int_equal(screen_resize(&s, 16384, 4096), 0);
	screen_free(&s);
}

static struct box dice(int most)
{
	return (struct box){ rand() % most - 4, rand() % most - 4, rand() % 7, rand() % 7 };
}

static int has(struct box b, int x, int y)
{
	return x >= b.x && x < b.x + b.w && y >= b.y && y < b.y + b.h;
}

/* Against counting pixels. */
TEST(test_boxes)
{
	srand(1);
	for (int i = 0; i < 3000; i++) {
		struct box a = dice(14), b = dice(14), cut = box_clip(a, 7, 5), both = box_join(a, b);
		int common = 0, least_x = 99, most_x = -99, least_y = 99, most_y = -99;

		for (int y = -5; y < 20; y++)
			for (int x = -5; x < 20; x++) {
				common += has(a, x, y) && has(b, x, y);
				assert_int_equal(has(cut, x, y), has(a, x, y) && x >= 0 && x < 7 && y >= 0 && y < 5);
				if (has(a, x, y) || has(b, x, y)) {
					least_x = x < least_x ? x : least_x;
					most_x = x > most_x ? x : most_x;
					least_y = y < least_y ? y : least_y;
					most_y = y > most_y ? y : most_y;
				}
			}
		assert_int_equal(box_meets(a, b), common > 0);
		if (most_x >= least_x) {
			assert_int_equal(both.x, least_x);
			assert_int_equal(both.y, least_y);
			assert_int_equal(both.w, most_x - least_x + 1);
			assert_int_equal(both.h, most_y - least_y + 1);
		} else {
			assert_true(!both.w || !both.h);
		}
	}
	assert_int_equal(box_clip((struct box){ 2000000000, 0, 2000000000, 1 }, 5, 5).w, 0);
	assert_int_equal(box_clip((struct box){ -2000000000, 0, 2000000003, 1 }, 5, 5).w, 3);
}
