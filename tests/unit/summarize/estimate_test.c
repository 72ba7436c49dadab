// SPDX-License-Identifier: GPL-3.0-or-later
/* estimate - each estimator against a closed formula. */
#include <math.h>

#include "summarize/estimate.h"
#include "../unit.h"

#define T2 4.302652730 /* Student's t, 97.5 %, two degrees of freedom */

static struct figure figure_of(enum estimator e, const double *v, size_t n)
{
	return estimate_cell_figure(e, v, NULL, n, 500, 1);
}

TEST(test_means)
{
	const double v[] = { 99, NAN, 101, 100 }, near_zero[] = { 0, 1, 2 };
	struct figure f = figure_of(ESTIMATE_MEAN_CI, v, 4);

	assert_near(f.value, 100, 1e-9);
	assert_near(f.low, 100 - T2 / sqrt(3), 1e-6);
	assert_near(f.high, 100 + T2 / sqrt(3), 1e-6);
	assert_true(isnan(figure_of(ESTIMATE_MEAN, v, 4).low));
	assert_true(isnan(f.both[0]));
	f = figure_of(ESTIMATE_MEAN_CI, v, 3); /* two values say more than their interval */
	assert_true(isnan(f.low));
	assert_near(f.both[0], 99, 0);
	assert_near(f.both[1], 101, 0);
	assert_near(figure_of(ESTIMATE_MEAN_CI, near_zero, 3).low, 0, 0);
	assert_near(figure_of(ESTIMATE_CHANGE_CI, near_zero, 3).low, 1 - T2 / sqrt(3), 1e-6);
	assert_true(isnan(figure_of(ESTIMATE_MEAN_CI, v, 1).high));
}

/* On logarithms the interval is that of the geometric mean: 20 22 24.2, ln(1.1) apart. */
TEST(test_skewed_mean)
{
	const double v[] = { 20, 22, 24.2 }, wide[] = { 1, 1, 1000 };
	struct figure f = figure_of(ESTIMATE_LOGMEAN_CI, v, 3);
	double factor = exp(T2 * log(1.1) / sqrt(3));

	assert_near(f.value, 66.2 / 3, 1e-9);
	assert_near(f.low, 22 / factor, 1e-5);
	assert_near(f.high, 22 * factor, 1e-5);
	f = figure_of(ESTIMATE_LOGMEAN_CI, wide, 3);
	assert_true(f.low <= f.value && f.high >= f.value);
}

/* 1, 10 and 100 are ln 10 apart: their geometric mean is 10, whatever their mean is. */
TEST(test_geometric_mean)
{
	const double v[] = { 100, 1, 10 }, none[] = { 1, 0, 10 };
	struct figure f = figure_of(ESTIMATE_GEOMEAN_CI, v, 3);
	double factor = exp(T2 * log(10) / sqrt(3));

	assert_near(f.value, 10, 1e-9);
	assert_near(f.low * factor, 10, 1e-5);
	assert_near(f.high, 10 * factor, 1e-3);
	f = figure_of(ESTIMATE_GEOMEAN_CI, v, 2);
	assert_near(f.value, 10, 1e-9);
	assert_true(isnan(f.low));
	assert_true(isnan(figure_of(ESTIMATE_GEOMEAN_CI, none, 3).value));
}

/* On logits: 90, 50 and 10 % are ln 9, 0 and -ln 9. No end leaves 0 to 100 %. */
TEST(test_shares)
{
	const double v[] = { 90, 50, 10 }, busy[] = { 99.8, 100, 99.6 }, scores[] = { 0.9, 0.5, 0.1 }, all[] = { 100, 100, 100 };
	struct figure f = figure_of(ESTIMATE_PERCENT_CI, v, 3);

	assert_near(f.value, 50, 1e-9);
	assert_near(f.low, 100 / (1 + exp(T2 * log(9) / sqrt(3))), 1e-6);
	assert_near(f.high, 100 - f.low, 1e-6);
	assert_near(figure_of(ESTIMATE_UNIT_CI, scores, 3).low, f.low / 100, 1e-9);
	f = figure_of(ESTIMATE_PERCENT_CI, busy, 3);
	assert_true(f.low > 90 && f.low < f.value && f.high > f.value && f.high < 100);
	assert_true(isnan(figure_of(ESTIMATE_PERCENT_CI, all, 3).low));
}

TEST(test_medians)
{
	const double v[] = { 8, 2, 4 }, four[] = { 4, 1, 3, 2 };
	struct figure f = figure_of(ESTIMATE_MEDIAN_CI, v, 3);

	/* logarithms of base 2: 1, 2 and 3, whose standard error is 1/sqrt(3) */
	assert_near(f.value, 4, 1e-9);
	assert_near(f.low, pow(2, 2 - T2 / sqrt(3)), 1e-5);
	assert_near(f.high, pow(2, 2 + T2 / sqrt(3)), 1e-5);
	assert_near(figure_of(ESTIMATE_MEDIAN, four, 4).value, 2.5, 1e-9);
	assert_true(isnan(figure_of(ESTIMATE_MEDIAN_CI, four, 2).low));
}

TEST(test_plain)
{
	const double v[] = { 3, 0, NAN, 5, 1 }, p[] = { 0.02, 0.5 }, bands[] = { 0.5, 0.5 };

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
	assert_near(figure_of(ESTIMATE_BAND, bands, 2).value, 1 / sqrt(8), 1e-12); /* 4 and 4 together */
}

TEST(test_share)
{
	const double lost[] = { 0, NAN, 0 }, of[] = { 60, 7, 40 };
	struct figure f;

	f = estimate_cell_figure(ESTIMATE_SHARE_CI, lost, of, 3, 500, 1);
	assert_near(f.value, 0, 0);
	assert_near(f.low, 0, 0);
	assert_near(f.high, 100 * (1 - pow(0.05, 0.01)), 1e-6); /* none of 100, one-sided */
}

TEST(test_nothing)
{
	const double v[] = { NAN };

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

TEST(an_interval_of_a_median_holds_it)
{
	static const double alike[] = { 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7 };
	static const double wide[] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 1000 };
	struct figure f = figure_of(ESTIMATE_MEDIAN_CI, alike, 12);

	assert_near(f.low, 7, 0.5);
	assert_near(f.high, 7, 0.5);
	/* The median of eleven, 6: order statistics 2 and 10 hold it with 98.8 %, 3 and 9 with 93.5 % (binomial). */
	f = figure_of(ESTIMATE_MEDIAN_CI, wide, 11);
	assert_true(f.low > 2 && f.low < 3 && f.high > 9 && f.high < 10);
	/* of six, the first and the last with 96.9 %; of five with 93.8 % */
	f = figure_of(ESTIMATE_MEDIAN_CI, (const double[]){ 1, 1, 1, 1, 1, 1000000 }, 6);
	assert_true(f.low <= 1 && f.high >= 1);
	f = figure_of(ESTIMATE_MEDIAN_CI, wide, 5);
	assert_true(f.low == 1 && f.high == 5);
}

/* --- pools ----------------------------------------------------------------------------------------------------- */

/* Values of `runs` runs: in run r from 1 + r * shift on, in the order of `step` (1: ascending). */
static struct figure quantile_of(size_t runs, size_t each, int shift, size_t step, double q, bool *apart)
{
	struct latency_pool pool = { 0 };
	struct figure f;

	for (size_t r = 0; r < runs; r++)
		for (size_t i = 0; i < each; i++)
			pool_add_latency(&pool, 1 + (int64_t)(i * step % each) + (int64_t)r * shift, r);
	pool_sort(&pool);
	f = pool_quantile(&pool, q, 1, POOL_KEYS, apart);
	pool_free(&pool);
	return f;
}

/* np.percentile(list(range(1, 201)) * 5, 95) is 190.05. Of 1,000 values 50 lie beyond, by the binomial distribution 36 to 64
 * of them in 95 %: of the value at rank 950 +- 14, a fifth. */
TEST(a_tail_has_the_order_statistics_of_all_values)
{
	bool apart;
	struct figure f = quantile_of(5, 200, 0, 37, 0.95, &apart);

	assert_false(apart);
	assert_near(f.value, 190.05, 1e-9);
	assert_near(f.low, 190 - 14 / 5., 1);
	assert_near(f.high, 190 + 14 / 5., 1);
}

TEST(values_beyond_in_one_run_are_few)
{
	bool apart;

	assert_true(isnan(quantile_of(3, 200, 0, 1, 0.95, &apart).low)); /* three stalls of ten keys */
	assert_near(quantile_of(3, 200, 0, 1, 0.95, &apart).value, 190.05, 1e-9);
}

TEST(runs_apart_are_what_is_independent)
{
	bool apart;
	struct figure f = quantile_of(3, 200, 100, 37, 0.9, &apart);
	/* own values 180.1, 280.1, 380.1: 4.3027 standard errors of their logarithms; and the tail, z = 1.2816 deviations off, has
	 * the interval of their variance (chi-squared with 2 degrees of freedom: -2 log(1 - p)) */
	double sd = 0.375529, t = 4.302653 * sd / sqrt(3), d = log(f.value / quantile_of(3, 200, 100, 37, 0.5, &apart).value);
	double spread = 1.2815516 * 1.2815516 * sd * sd;

	assert_true(apart);
	assert_near(log(f.high / f.value), hypot(t, sqrt(d * d + spread * (-1 / log(1 - 0.025) - 1)) - d), 1e-3);
	assert_near(log(f.value / f.low), hypot(t, d - sqrt(fmax(0, d * d - spread * (1 + 1 / log(0.025))))), 1e-3);
	assert_true(isnan(quantile_of(3, 200, 1000, 37, 0.9, &apart).low)); /* up to more than a hundred times as long */
	assert_true(isnan(quantile_of(3, 50, 1000, 37, 0.9, &apart).low));  /* too few keys in a run alone, and in all */
}
