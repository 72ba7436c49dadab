// SPDX-License-Identifier: GPL-3.0-or-later
/* interval - against SciPy 1.17 (the calls stand beside the values) and closed forms. */
#include <unistd.h>

#include "summarize/interval.h"
#include "../unit.h"

/* Student's t with 4 degrees of freedom has a closed form: F(t) = 1/2 + 3/8 u (1 - u^2 / 12), u = t / sqrt(1 + t^2 / 4) */
TEST(p_of_the_t_test)
{
	static const double five[] = { -1, 2, 3, 1, 0.5 }, alike[] = { 2, 2, 2 }, nothing[] = { 0, 0 };
	double mean = 1.1, sd = sqrt((2.1 * 2.1 + 0.9 * 0.9 + 1.9 * 1.9 + 0.1 * 0.1 + 0.6 * 0.6) / 4);
	double t = mean / (sd / sqrt(5)), u = t / sqrt(1 + t * t / 4);

	assert_near(interval_t_test(five, 5), 2 * (0.5 - 0.375 * u * (1 - u * u / 12)), 1e-9);
	assert_near(interval_t_test(alike, 3), 0, 0);
	assert_near(interval_t_test(nothing, 2), 1, 0);
	assert_true(isnan(interval_t_test(five, 1)));
}

/* st.t.interval(0.95, n - 1, loc=a.mean(), scale=st.sem(a)); GSL's quantile is good to eight digits */
TEST(t_is_scipys)
{
	static const double five[] = { 9.4, 9.9, 11.2, 10.1, 9.7 }, two[] = { 12, 18 };
	struct interval i;

	assert_true(interval_t_mean(five, 5, &i));
	assert_near(i.low, 9.20604565164412, 1e-7);
	assert_near(i.high, 10.913954358345878, 1e-7);
	assert_false(interval_t_mean(two, 2, &i));
}

/* np.exp of the same on np.log([20, 25, 80]) */
TEST(t_log_is_scipys)
{
	static const double three[] = { 20, 25, 80 };
	struct interval i;

	assert_true(interval_t_logs(three, 3, &i));
	assert_near(i.low, 5.38217558, 1e-6);
	assert_near(i.high, 217.31121145, 1e-5);
}

TEST(no_interval_from_too_little)
{
	static const double one[] = { 3 }, hole[] = { 3, NAN }, zero[] = { 3, 0 };
	struct interval i = { -1, -2 };

	assert_false(interval_t_mean(one, 1, &i));
	assert_false(interval_t_mean(one, 0, &i));
	assert_false(interval_t_mean(hole, 2, &i));
	assert_false(interval_t_logs(zero, 2, &i));
	assert_false(interval_share_ci(0, 0, &i));
	assert_false(interval_share_ci(2, 1, &i));
	assert_near(i.low, -1, 0);
	assert_near(i.high, -2, 0);
}

/* st.binomtest(k, n).proportion_ci(0.95, 'exact') inside; at the edges one-sided: 1 - 0.05 ** (1 / n) */
TEST(share_is_clopper_and_pearsons)
{
	static const struct {
		size_t hits, n;
		double low, high;
	} known[] = {
		{ 3, 100, 0.006229971538306227, 0.08517605297428028 },
		{ 50, 100, 0.39832112950330095, 0.6016788704966991 },
		{ 0, 285, 0, 0.01045629021842065 },
		{ 285, 285, 0.9895437097815794, 1 },
		{ 0, 3, 0, 0.6315968501359612 },
		{ 0, 1, 0, 0.95 },
		{ 1, 1, 0.05, 1 },
	};
	struct interval i;

	for (size_t k = 0; k < sizeof(known) / sizeof(*known); k++) {
		assert_true(interval_share_ci(known[k].hits, known[k].n, &i));
		assert_near(i.low, known[k].low, 1e-9);
		assert_near(i.high, known[k].high, 1e-9);
	}
	/* the rule of three */
	assert_true(interval_share_ci(0, 1000, &i));
	assert_near(i.high, 3.0 / 1000, 1e-5);
}

/* st.chi2.ppf(0.95, 2 * (k + 1)) / 2 */
TEST(rate_is_garwoods)
{
	assert_near(interval_poisson_high(0), 2.9957322735539895, 1e-9);
	assert_near(interval_poisson_high(1), 4.743864518390577, 1e-9);
	assert_near(interval_poisson_high(10), 16.962219235721903, 1e-9);
}

/* Replicates and jackknife values that are written down, so nothing is random: z0 = -0.13692622576,
 * a = -0.10730920383, ends by np.percentile(rep, 100 * st.norm.cdf(z0 + (z0 + z) / (1 - a * (z0 + z)))). */
TEST(bca_from_given_replicates)
{
	static const double without[] = { 10, 12, 9, 30, 11 };
	double replicate[101];
	struct interval i;

	for (int k = 0; k < 101; k++)
		replicate[k] = (double)(k * 37 % 101 * (k * 37 % 101)) / 100;
	assert_true(interval_finish_bca(20, replicate, 101, without, 5, false, &i));
	assert_near(i.low, 0.00223703990075934, 1e-6);
	assert_near(i.high, 84.16511618930251, 1e-6);
	/* z = 2.7764451052 sqrt(5 / 4), Student's t with four degrees of freedom */
	assert_true(interval_finish_bca(20, replicate, 101, without, 5, true, &i));
	assert_near(i.low, 1.6419392240285546e-07, 1e-9);
	assert_near(i.high, 96.57760839034866, 1e-5);
}

static double mean(const unsigned *weight, size_t runs, void *data)
{
	const double *value = data;
	double sum = 0, n = 0;

	for (size_t i = 0; i < runs; i++) {
		sum += weight[i] * value[i];
		n += weight[i];
	}
	return sum / n;
}

/* st.bootstrap((x,), np.mean, n_resamples=999999, method='BCa'): 3.5333 to 7.0917; the plain percentile bootstrap
 * would say 3.3333 to 6.4167, so that the correction is really there. */
TEST(bca_is_scipys_within_chance)
{
	static double skewed[] = { 3.1, 2.7, 4.9, 3.3, 8.2, 2.9, 3.6, 5.1, 2.5, 3.0, 12.4, 4.2 };
	struct interval i, again;

	for (uint64_t seed = 1; seed <= 3; seed++) {
		assert_true(interval_bootstrap(mean, skewed, 12, 50000, seed, false, &i));
		assert_near(i.low, 3.5333, 0.04);
		assert_near(i.high, 7.0917, 0.12);
	}
	assert_true(interval_bootstrap(mean, skewed, 12, 50000, 3, false, &again));
	assert_memory_equal(&i, &again, sizeof(i));
	assert_true(interval_bootstrap(mean, skewed, 12, 50000, 3, true, &i));
	/* of a mean: the same from ten runs on, Student's t below */
	assert_true(interval_mean_ci(skewed, 12, 50000, 3, &again));
	assert_memory_equal(&i, &again, sizeof(i));
	assert_true(interval_mean_ci(skewed, 9, 50000, 3, &i) && interval_t_mean(skewed, 9, &again));
	assert_memory_equal(&i, &again, sizeof(i));
}

TEST(bca_survives_what_does_not_vary)
{
	static double same[] = { 7, 7, 7, 7, 7, 7, 7, 7, 7, 7 };
	static double hole[] = { 7, 7, 7, 7, 7, 7, 7, 7, 7, NAN };
	struct interval i;

	assert_true(interval_bootstrap(mean, same, 10, 500, 1, false, &i));
	assert_near(i.low, 7, 1e-12);
	assert_near(i.high, 7, 1e-12);
	assert_false(interval_bootstrap(mean, hole, 10, 500, 1, false, &i));
	assert_false(interval_bootstrap(mean, same, 1, 500, 1, false, &i));
}

/* A textbook's: x 1 to 5, y 2 4 5 4 5. Slope 0.6, residual sum of squares 2.4, so its standard
 * error is sqrt(2.4 / 3 / 10); t(3) 3.18245. */
TEST(of_a_slope)
{
	static const double x[] = { 1, 2, 3, 4, 5 }, y[] = { 2, 4, 5, 4, 5 }, same[] = { 2, 2, 2, 2, 2 };
	struct interval i = { -7, -7 };

	assert_true(interval_slope_ci(x, y, 5, &i));
	assert_true(fabs(i.low - (0.6 - 3.182446 * sqrt(0.08))) < 1e-5);
	assert_true(fabs(i.high - (0.6 + 3.182446 * sqrt(0.08))) < 1e-5);
	i = (struct interval){ -7, -7 };
	assert_false(interval_slope_ci(x, y, 2, &i));
	assert_false(interval_slope_ci(same, y, 5, &i));
	assert_false(interval_slope_ci((const double[]){ 1, 2, NAN }, y, 3, &i));
	assert_true(i.low < -6 && i.high < -6);
}

/* The same points, twice: 2.2 + 0.6 x reaches 4 at 3, the mean of x, and 3.4 at 2. t(8) is 2.306004; the variance of a point is
 * 4.8 / 8, of the line 0.6 / 10 + 0.6 d^2 / 20 at the distance d from 3. At an end the line is t(8) errors off the level. */
TEST(of_where_a_line_reaches_a_level)
{
	static const double x[] = { 1, 2, 3, 4, 5, 1, 2, 3, 4, 5 }, y[] = { 2, 4, 5, 4, 5, 2, 4, 5, 4, 5 };
	static const double line[] = { 3, 5, 7, 9 };
	struct figure f = interval_line_reach(x, y, 10, 4), g = interval_line_reach(x, line, 4, 6), l;

	assert_near(f.value, 3, 1e-9);
	for (int i = 0; i < 2; i++) {
		double d = (i ? f.high : f.low) - 3;

		assert_near(0.6 * fabs(d), 2.306004 * sqrt(0.6 / 10 + 0.03 * d * d), 1e-5);
	}
	assert_true(f.low < 3 && f.high > 3);
	l = interval_line_reach(x, y, 10, 3.4);
	assert_near(l.value, 2, 1e-9);
	assert_near(0.6 * fabs(l.low - 2), 2.306004 * sqrt(0.6 / 10 + 0.03 * pow(l.low - 3, 2)), 1e-5);
	assert_true(2 - l.low > l.high - 2); /* farther away from the points the line is known less well */
	assert_near(g.value, 2.5, 1e-9);
	assert_near(g.low, 2.5, 1e-6);
	assert_near(g.high, 2.5, 1e-6);
}

TEST(no_place_where_a_line_reaches_a_level)
{
	static const double x[] = { 1, 2, 3, 4, 5 }, y[] = { 2, 4, 5, 4, 5 }, down[] = { 5, 4, 3, 2, 1 };

	assert_true(isnan(interval_line_reach(x, y, 5, 4).value)); /* the slope's interval holds 0 */
	assert_true(isnan(interval_line_reach(x, down, 5, 3).value));
	assert_true(isnan(interval_line_reach(x, y, 2, 3).value));
}

/* Anscombe's first set (1973): slope 0.5001, intercept 3.0001. */
TEST(a_published_line)
{
	const double x[] = { 10, 8, 13, 9, 11, 14, 6, 4, 12, 7, 5 };
	const double y[] = { 8.04, 6.95, 7.58, 8.81, 8.33, 9.96, 7.24, 4.26, 10.84, 4.82, 5.68 };
	double start = 0;

	assert_near(interval_slope(x, y, 11, &start), 0.5001, 5e-5);
	assert_near(start, 3.0001, 5e-5);
}

TEST(no_line)
{
	const double x[] = { 4, 4 }, y[] = { 1, 2 };
	double start = 0;

	assert_true(isnan(interval_slope(x, y, 2, &start)));
	assert_true(isnan(start));
	assert_true(isnan(interval_slope(x, y, 0, &start)));
}

/* Whole ranks by the binomial distribution: of nine values 2 and 8 hold the median with 96.1 %, 3 and 7 with 82.0 %. */
TEST(ranks_of_a_median)
{
	static const double nine[] = { 1, 2, 3, 4, 5, 6, 7, 8, 9 };
	static const double pairs[] = { 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8, 9, 9 };
	struct interval i, p;

	assert_true(interval_quantile_ci(nine, 9, 9, 0.5, &i));
	assert_true(i.low > 2 && i.low < 3);
	assert_near(i.low + i.high, 10, 1e-9);
	assert_true(interval_quantile_ci(pairs, 18, 9, 0.5, &p));
	assert_near(p.low, i.low, 0.6);
	assert_false(interval_quantile_ci(nine, 9, 4, 0.5, &i)); /* all of four lie on one side with 12.5 % */
	assert_false(interval_quantile_ci(nine, 9, 9, 0.7, &i)); /* all of nine lie below with 4 % */
}

/* By arithmetic from t(4) = 2.776445, z = 1.644854 and chi-squared with 4 degrees of freedom: 11.143287 and 0.484419. */
TEST(the_tail_of_runs_that_scatter_is_known_less_well_upward)
{
	struct interval i;

	interval_spread_tail(0.95, 5, 0.5, 2, &i);
	assert_near(i.low, -0.505099, 1e-6);
	assert_near(i.high, 0.844267, 1e-6);
	interval_spread_tail(0.95, 5, 0.5, 0.4, &i); /* no nearer than the median */
	assert_near(i.low, -hypot(0.5, 0.4), 1e-6);
	interval_spread_tail(0.05, 5, 0.5, -2, &i); /* the tail below is the mirror image */
	assert_near(i.low, -0.844267, 1e-6);
	assert_near(i.high, 0.505099, 1e-6);
	interval_spread_tail(0.5, 5, 0.5, 0, &i);
	assert_near(i.low, -0.5, 1e-9);
	assert_near(i.high, 0.5, 1e-9);
}

/* One round trip up to 80 ms and two at 150 are no line; a straight one that scatters as much is. */
TEST(points_that_lie_on_no_line)
{
	const double x[] = { 0, 0, 40, 40, 80, 80, 150, 150 };

	assert_true(interval_line_bends(x, (const double[]){ 12, 13, 52, 53, 92, 93, 312, 313 }, 8, 0));
	assert_false(interval_line_bends(x, (const double[]){ 12, 13, 52, 53, 92, 93, 162, 163 }, 8, 0));
	assert_false(interval_line_bends(x, (const double[]){ 12, 13, 52, 53, 92, 93, 167, 168 }, 8, 0)); /* less than a tenth */
	assert_false(interval_line_bends(x, (const double[]){ 12, 130, 52, 170, 92, 210, 162, 480 }, 8, 0));
	assert_false(interval_line_bends((const double[]){ 0, 40, 150 }, (const double[]){ 0, 40, 300 }, 3, 0)); /* one of each */
	assert_false(interval_line_bends(x, (const double[]){ 9, 9.1, 8, 8.1, 9, 9.1, 9, 9.1 }, 8, 1));
}

TEST(verdicts_need_five_pairs)
{
	static const struct {
		double p, ratio, low, high;
		const char *word;
	} cases[] = { { NAN, 3, 2.9, 3.1, "too few runs" },
		      { 0.001, 3, 2.9, 3.1, "worse" },
		      { 0.001, 0.5, 0.4, 0.6, "better" },
		      { 0.2, 1.1, 0.9, 1.3, "no difference shown" },
		      { 0.2, 1.1, 0.6, 1.9, "too noisy" } };

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct figure f = figure_estimate(cases[i].ratio, cases[i].low, cases[i].high);

		assert_string_equal(interval_ratio_word(&f, cases[i].p), cases[i].word);
	}
}
