// SPDX-License-Identifier: GPL-3.0-or-later
/* means - lines through points, by hand. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "../near.h"
#include "summarize/interval.h"

static void test_a_line_is_found(void **state)
{
	const double x[] = { 1, 2, 5, 10 }, y[] = { 10, 13, 22, 37 };
	double start = 0;

	(void)state;
	assert_near(interval_least_squares_slope(x, y, 4, &start), 3, 1e-12);
	assert_near(start, 7, 1e-12);
	assert_near(interval_least_squares_slope(x, y, 4, NULL), 3, 1e-12);
}

/* Anscombe's first set (1973): slope 0.5001, intercept 3.0001. */
static void test_a_published_set(void **state)
{
	const double x[] = { 10, 8, 13, 9, 11, 14, 6, 4, 12, 7, 5 };
	const double y[] = { 8.04, 6.95, 7.58, 8.81, 8.33, 9.96, 7.24, 4.26, 10.84, 4.82, 5.68 };
	double start = 0;

	(void)state;
	assert_near(interval_least_squares_slope(x, y, 11, &start), 0.5001, 5e-5);
	assert_near(start, 3.0001, 5e-5);
}

static void test_no_line(void **state)
{
	const double x[] = { 4, 4 }, y[] = { 1, 2 };
	double start = 0;

	(void)state;
	assert_true(isnan(interval_least_squares_slope(x, y, 2, &start)));
	assert_true(isnan(start));
	assert_true(isnan(interval_least_squares_slope(x, y, 0, &start)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_line_is_found), cmocka_unit_test(test_a_published_set), cmocka_unit_test(test_no_line),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
