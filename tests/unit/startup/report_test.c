// SPDX-License-Identifier: GPL-3.0-or-later
/* report: the overhead e against values computed by hand. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdbool.h>
#include <math.h>
#include <cmocka.h>

#include "../near.h"
#include "clock.h"
#include "startup/report.h"

#define MS NS_PER_MS

static void by_hand(void **state)
{
	(void)state;
	/* 10 s instead of 2: 8 s more, of which 2 s are requests: 6 of 8 */
	assert_near(memory_management_share_of_swap_ns(10000 * MS, 2000 * MS, 100 * MS, 2000 * MS), 0.75, 1e-12);
	assert_near(memory_management_share_of_swap_ns(3000 * MS, 2000 * MS, 10 * MS, 1000 * MS), 0, 1e-12);
	assert_near(memory_management_share_of_swap_ns(3000 * MS, 2000 * MS, 10 * MS, 0), 1, 1e-12);
	/* requests that overlap take more than what was added */
	assert_near(memory_management_share_of_swap_ns(3000 * MS, 2000 * MS, 10 * MS, 1500 * MS), -0.5, 1e-12);
}

static void only_beyond_three_spreads(void **state)
{
	(void)state;
	assert_true(isnan(memory_management_share_of_swap_ns(2300 * MS, 2000 * MS, 100 * MS, 50 * MS)));
	assert_near(memory_management_share_of_swap_ns(2301 * MS, 2000 * MS, 100 * MS, 301 * MS), 0, 1e-12);
	assert_true(isnan(memory_management_share_of_swap_ns(2000 * MS, 2000 * MS, 0, 0)));
	assert_true(isnan(memory_management_share_of_swap_ns(1000 * MS, 2000 * MS, 0, 0)));
}

static void not_without_t_io(void **state)
{
	(void)state;
	assert_true(isnan(memory_management_share_of_swap_ns(10000 * MS, 2000 * MS, 100 * MS, -1)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(by_hand),
		cmocka_unit_test(only_beyond_three_spreads),
		cmocka_unit_test(not_without_t_io),
	};

	return cmocka_run_group_tests_name("report", tests, NULL, NULL);
}
