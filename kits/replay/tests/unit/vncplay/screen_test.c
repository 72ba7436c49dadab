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
