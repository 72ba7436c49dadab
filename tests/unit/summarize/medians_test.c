// SPDX-License-Identifier: GPL-3.0-or-later
/* medians - the interval of a median, on numbers worked out by hand. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdbool.h>
#include <cmocka.h>

#include <math.h>

#include "summarize/estimate.h"

static bool interval(const double *value, size_t n, double *low, double *high)
{
	struct figure f = estimate_cell_figure(ESTIMATE_MEDIAN_CI, value, NULL, n, 2000, 1);

	*low = f.low;
	*high = f.high;
	return isfinite(f.low);
}

static void an_interval_needs_three_runs_and_holds_the_median(void **state)
{
	static const double alike[] = { 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7 };
	static const double doubled[] = { 100, 200, 400 };
	static const double wide[] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 1000 };
	double low = NAN, high = NAN;

	(void)state;
	assert_false(interval(wide, 2, &low, &high));
	assert_true(isnan(low));
	/* logarithms 0, ln 2, 2 ln 2: mean and spread are ln 2; Student's t of 97.5 % with 2 degrees of freedom is 4.3027 */
	assert_true(interval(doubled, 3, &low, &high));
	assert_true(fabs(low - 200 * exp(-4.3027 * log(2) / sqrt(3))) < 0.01);
	assert_true(fabs(high - 200 * exp(4.3027 * log(2) / sqrt(3))) < 0.1);
	assert_true(interval(alike, 12, &low, &high));
	assert_int_equal(lround(low), 7);
	assert_int_equal(lround(high), 7);
	/* The median of eleven, 6: order statistics 2 and 10 hold it with 98.8 %, 3 and 9 with 93.5 %
	 * (binomial): a bootstrap comes out near these, and hardly at the outlier. */
	assert_true(interval(wide, 11, &low, &high));
	assert_true(low >= 1.99 && low <= 4.01);
	assert_true(high >= 7.99 && high <= 10.01);
	/* below ten the t interval of the geometric mean, which an outlier draws away from the median, is widened to hold that */
	assert_true(interval((const double[]){ 1, 1, 1, 1, 1, 1000000 }, 6, &low, &high));
	assert_true(low <= 1 && high >= 1);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_interval_needs_three_runs_and_holds_the_median),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
