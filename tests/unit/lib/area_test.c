// SPDX-License-Identifier: GPL-3.0-or-later
#include "area.h"
#include "../unit.h"

static struct pixel_area dice(int most)
{
	return (struct pixel_area){ rand() % most - 4, rand() % most - 4, rand() % 7, rand() % 7 };
}

static int has(struct pixel_area b, int x, int y)
{
	return x >= b.x && x < b.x + b.w && y >= b.y && y < b.y + b.h;
}

TEST(test_areas_against_counted_pixels)
{
	srand(1);
	for (int i = 0; i < 3000; i++) {
		struct pixel_area a = dice(14), b = dice(14), cut = area_clip(a, 7, 5), both = a;
		int common = 0, least_x = 99, most_x = -99, least_y = 99, most_y = -99;

		area_include(&both, &b);
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
		assert_int_equal(area_meets(&a, &b), common > 0);
		if (most_x >= least_x) {
			assert_int_equal(both.x, least_x);
			assert_int_equal(both.y, least_y);
			assert_int_equal(both.w, most_x - least_x + 1);
			assert_int_equal(both.h, most_y - least_y + 1);
		} else {
			assert_true(!both.w || !both.h);
		}
	}
	assert_int_equal(area_clip((struct pixel_area){ 2000000000, 0, 2000000000, 1 }, 5, 5).w, 0);
	assert_int_equal(area_clip((struct pixel_area){ -2000000000, 0, 2000000003, 1 }, 5, 5).w, 3);
}
