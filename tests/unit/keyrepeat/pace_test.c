// SPDX-License-Identifier: GPL-3.0-or-later
#include "../case.h"
#include "keyrepeat/pace.h"

#define MS 1000000LL
#define CHOOSE(period, ...) \
	pace_choose_period_ns((int64_t[]){ __VA_ARGS__ }, sizeof((int64_t[]){ __VA_ARGS__ }) / sizeof(int64_t), period)

static void answers_faster_than_the_period_keep_it(void **state)
{
	assert_int_equal(pace_choose_period_ns(NULL, 0, 50), 50);
	assert_int_equal(CHOOSE(51, 34, 34, 34, 34, 34), 51);
	assert_int_equal(CHOOSE(51, 35, 35, 35, 35, 35), 70);
	assert_int_equal(CHOOSE(50 * MS, 200 * MS, 201 * MS, 200 * MS, 199 * MS, 200 * MS), 400 * MS);
}

static void a_hiccup_does_not_slow_the_keys(void **state)
{
	assert_int_equal(CHOOSE(50, 10, 900, 9, 8, 10), 50);
	assert_int_equal(CHOOSE(50, 10, 900, 9, 8, 800, 10, 10, 10, 10, 10), 50);
	assert_int_equal(CHOOSE(50, 10, 900, 9, 8, 800, 700, 10, 10, 10, 10), 1400);
}

static void due_times_are_stretched(void **state)
{
	assert_int_equal(pace_stretch_offset_ns(1234567, 50 * MS, 50 * MS), 1234567);
	assert_int_equal(pace_stretch_offset_ns(75 * MS, 50 * MS, 400 * MS), 600 * MS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(answers_faster_than_the_period_keep_it), cmocka_unit_test(a_hiccup_does_not_slow_the_keys),
		cmocka_unit_test(due_times_are_stretched),
	};

	return cmocka_run_group_tests_name("pace", tests, NULL, NULL);
}
