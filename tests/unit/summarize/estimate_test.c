// SPDX-License-Identifier: GPL-3.0-or-later
/* estimate - each estimator against a closed formula. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>

#include "../near.h"
#include "summarize/estimate.h"

#define T2 4.302652730	/* Student's t, 97.5 %, two degrees of freedom */

static struct figure figure_of(enum estimator e, const double *v, size_t n)
{
	struct figure f = estimate_cell_figure(e, v, NULL, n, 500, 1);
	return f;
}

static void test_means(void **state)
{
	const double v[] = { 99, NAN, 101, 100 }, near_zero[] = { 0, 1, 2 };
	struct figure f = figure_of(ESTIMATE_MEAN_CI, v, 4);

	(void)state;
	assert_near(f.value, 100, 1e-9);
	assert_near(f.low, 100 - T2 / sqrt(3), 1e-6);
	assert_near(f.high, 100 + T2 / sqrt(3), 1e-6);
	assert_true(isnan(figure_of(ESTIMATE_MEAN, v, 4).low));
	assert_true(isnan(f.both[0]));
	f = figure_of(ESTIMATE_MEAN_CI, v, 3);	/* two values say more than their interval */
	assert_true(isnan(f.low));
	assert_near(f.both[0], 99, 0);
	assert_near(f.both[1], 101, 0);
	assert_near(figure_of(ESTIMATE_MEAN_CI, near_zero, 3).low, 0, 0);
	assert_near(figure_of(ESTIMATE_CHANGE_CI, near_zero, 3).low, 1 - T2 / sqrt(3), 1e-6);
	assert_true(isnan(figure_of(ESTIMATE_MEAN_CI, v, 1).high));
}

/* On logarithms the interval is that of the geometric mean: 20 22 24.2, ln(1.1) apart. */
static void test_skewed_mean(void **state)
{
	const double v[] = { 20, 22, 24.2 }, wide[] = { 1, 1, 1000 };
	struct figure f = figure_of(ESTIMATE_LOGMEAN_CI, v, 3);
	double factor = exp(T2 * log(1.1) / sqrt(3));

	(void)state;
	assert_near(f.value, 66.2 / 3, 1e-9);
	assert_near(f.low, 22 / factor, 1e-5);
	assert_near(f.high, 22 * factor, 1e-5);
	f = figure_of(ESTIMATE_LOGMEAN_CI, wide, 3);
	assert_true(f.low <= f.value && f.high >= f.value);
}

/* On logits: 90, 50 and 10 % are ln 9, 0 and -ln 9. No end leaves 0 to 100 %. */
static void test_shares(void **state)
{
	const double v[] = { 90, 50, 10 }, busy[] = { 99.8, 100, 99.6 }, scores[] = { 0.9, 0.5, 0.1 }, all[] = { 100, 100, 100 };
	struct figure f = figure_of(ESTIMATE_PERCENT_CI, v, 3);

	(void)state;
	assert_near(f.value, 50, 1e-9);
	assert_near(f.low, 100 / (1 + exp(T2 * log(9) / sqrt(3))), 1e-6);
	assert_near(f.high, 100 - f.low, 1e-6);
	assert_near(figure_of(ESTIMATE_UNIT_CI, scores, 3).low, f.low / 100, 1e-9);
	f = figure_of(ESTIMATE_PERCENT_CI, busy, 3);
	assert_true(f.low > 90 && f.low < f.value && f.high > f.value && f.high < 100);
	assert_true(isnan(figure_of(ESTIMATE_PERCENT_CI, all, 3).low));
}

static void test_medians(void **state)
{
	const double v[] = { 8, 2, 4 }, four[] = { 4, 1, 3, 2 };
	struct figure f = figure_of(ESTIMATE_MEDIAN_CI, v, 3);

	(void)state;
	/* logarithms of base 2: 1, 2 and 3, whose standard error is 1/sqrt(3) */
	assert_near(f.value, 4, 1e-9);
	assert_near(f.low, pow(2, 2 - T2 / sqrt(3)), 1e-5);
	assert_near(f.high, pow(2, 2 + T2 / sqrt(3)), 1e-5);
	assert_near(figure_of(ESTIMATE_MEDIAN, four, 4).value, 2.5, 1e-9);
	assert_true(isnan(figure_of(ESTIMATE_MEDIAN_CI, four, 2).low));
}

static void test_plain(void **state)
{
	const double v[] = { 3, 0, NAN, 5, 1 }, p[] = { 0.02, 0.5 }, bands[] = { 0.5, 0.5 };

	(void)state;
	assert_near(figure_of(ESTIMATE_SUM, v, 5).value, 9, 0);
	assert_near(figure_of(ESTIMATE_MAX, v, 5).value, 5, 0);
	assert_near(figure_of(ESTIMATE_MIN, v, 5).value, 0, 0);
	assert_near(figure_of(ESTIMATE_FIRST, v, 5).value, 3, 0);
	assert_near(figure_of(ESTIMATE_LAST, v, 5).value, 1, 0);
	assert_near(figure_of(ESTIMATE_COUNT, v, 5).value, 4, 0);
	assert_near(figure_of(ESTIMATE_UNKNOWN, v, 5).value, 1, 0);
	assert_near(figure_of(ESTIMATE_TRUE, v, 5).value, 3, 0);
	assert_near(figure_of(ESTIMATE_FALSE, v, 5).value, 1, 0);
	assert_near(figure_of(ESTIMATE_CHANCE, p, 2).value, 0.04, 1e-12);
	assert_near(figure_of(ESTIMATE_CHANCE, p + 1, 1).value, 0.5, 1e-12);
	assert_near(figure_of(ESTIMATE_BAND, bands, 2).value, 1 / sqrt(8), 1e-12);	/* 4 and 4 together */
}

static void test_share(void **state)
{
	const double lost[] = { 0, NAN, 0 }, of[] = { 60, 7, 40 };
	struct figure f;

	(void)state;
	f = estimate_cell_figure(ESTIMATE_SHARE_CI, lost, of, 3, 500, 1);
	assert_near(f.value, 0, 0);
	assert_near(f.low, 0, 0);
	assert_near(f.high, 100 * (1 - pow(0.05, 0.01)), 1e-6);	/* none of 100, one-sided */
}

static void test_nothing(void **state)
{
	const double v[] = { NAN };

	(void)state;
	for (enum estimator e = ESTIMATE_MEAN; e < ESTIMATORS; e++) {
		struct figure f;

		f = estimate_cell_figure(e, v, v, 0, 500, 1);
		if (e >= ESTIMATE_COUNT && e <= ESTIMATE_FALSE)
			assert_near(f.value, 0, 0);
		else
			assert_true(isnan(f.value));
		assert_true(isnan(f.low) && isnan(f.high) && !f.above);
	}
	for (size_t i = 0; i <= ESTIMATORS; i++)
		assert_true(!!estimate_names[i] == (i < ESTIMATORS));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_means), cmocka_unit_test(test_skewed_mean), cmocka_unit_test(test_shares), cmocka_unit_test(test_medians),
		cmocka_unit_test(test_plain), cmocka_unit_test(test_share), cmocka_unit_test(test_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
