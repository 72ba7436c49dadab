// SPDX-License-Identifier: GPL-3.0-or-later
/* part - shares of a part that a profile's edge cuts; worked out on paper. (How a part is split stands in who_test.c.) */
#include "idleprofile/busy.h"
#include "../unit.h"

static struct culprit_share share(const char *name, int64_t ns, int64_t start, int64_t end)
{
	struct culprit_share s = { .kind = CULPRIT_TASK, .pid = 1, .ns = ns, .start_ns = start, .end_ns = end };

	strncpy(s.name, name, sizeof(s.name) - 1);
	return s;
}

/* One task from 1,000 to 5,000, of which the profile saw the last quarter. */
TEST(what_was_before_the_profile_is_not_charged)
{
	struct culprit_share s[] = { share("hog", 4000, 1000, 5000) };

	assert_int_equal(shares_clip(s, 1, 4000, 5000), 1);
	assert_int_equal(s[0].ns, 1000);
	assert_int_equal(s[0].start_ns, 4000);
	assert_int_equal(s[0].end_ns, 5000);
}

TEST(who_ran_outside_only_is_gone)
{
	struct culprit_share s[] = { share("late", 600, 400, 1000), share("early", 400, 0, 400) };

	assert_int_equal(shares_clip(s, 2, 0, 300), 1);
	assert_string_equal(s[0].name, "early");
	assert_int_equal(s[0].ns, 300);
}

/* 800 of [0, 1000) and, within it, 200 of [100, 300): of [0, 500) these are 400 and 200, which fit as 333 + 1 and 166. */
TEST(shares_sum_to_what_is_left)
{
	struct culprit_share s[] = { share("outer", 800, 0, 1000), share("inner", 200, 100, 300) };

	assert_int_equal(shares_clip(s, 2, 0, 500), 2);
	assert_int_equal(s[0].ns, 334);
	assert_int_equal(s[1].ns, 166);
}

/* The task ran from 500 on, the way to it from 0: cut before it came, the time is still its own. */
TEST(a_way_in_alone_belongs_to_who_came)
{
	struct culprit_share s[] = { share("task", 1000, 500, 1000), share("gone", 0, 600, 600) };

	assert_int_equal(shares_clip(s, 2, 0, 300), 1);
	assert_string_equal(s[0].name, "task");
	assert_int_equal(s[0].ns, 300);
	assert_int_equal(shares_clip(s, 0, 0, 300), 0);
}
