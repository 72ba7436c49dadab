// SPDX-License-Identifier: GPL-3.0-or-later
/* nearest - slips of the keyboard are near, other words are not. */
#include "nearest.h"
#include "../unit.h"

TEST(slips_are_near_and_other_words_far)
{
	static const struct {
		const char *word, *name;
		size_t distance;
	} rows[] = {
		{ "time", "time", 0 },		 { "tme", "time", 1 },	       { "tiem", "time", 1 }, { "times", "time", 1 },
		{ "tima", "time", 1 },		 { "tmie-out", "timeout", 2 }, { "seed", "need", 1 }, { "abc", "a", NEAREST_FAR },
		{ "load", "late", NEAREST_FAR }, { "x", "y", NEAREST_FAR },    { "xy", "yx", 1 },     { "q", "qu", NEAREST_FAR },
		{ "", "a", NEAREST_FAR },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		assert_int_equal(nearest_distance(rows[i].word, strlen(rows[i].word), rows[i].name), rows[i].distance);
	}
	assert_int_equal(nearest_distance("time=3s", 4, "time"), 0);
}
