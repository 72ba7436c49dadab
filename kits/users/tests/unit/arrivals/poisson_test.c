// SPDX-License-Identifier: GPL-3.0-or-later
/* poisson - of true Poisson processes one in twenty is rejected, of others (nearly) all;
 * Lilliefors' and Stephens' published values; ticks. */
#include "../../../../../tests/unit/unit.h"
#include "arrivals/gaps.h"
#include "arrivals/poisson.h"

/* Random numbers of the C library (erand48), not those that the tests of arrivals use themselves. */
static unsigned short seed[3];

static void seed_with(unsigned short s)
{
	seed[0] = 11;
	seed[1] = s;
	seed[2] = 2003;
}

static double uniform(void)
{
	return erand48(seed);
}

static double exponential(void)
{
	return -log(1 - uniform());
}

#define GAPS 500
static int64_t at[20001];

/* Gaps of mean 1 become arrivals 10 ms apart on average. */
static void arrivals(double (*gap)(void), size_t gaps)
{
	double t = 0;

	for (size_t i = 0; i <= gaps; i++) {
		at[i] = (int64_t)(t * 1e7);
		t += gap();
	}
}

static struct poisson_result judge_of(size_t gaps, int64_t tick, const struct gap_nulls *nulls)
{
	struct poisson_test_cfg cfg = { .tick_ns = tick, .seed = 5 };
	struct poisson_result p;

	poisson_spread_times(at, gaps + 1, tick, cfg.seed);
	poisson_test_all(at, gaps + 1, &cfg, nulls, &p);
	return p;
}

/* 3.5 % to 6.5 % of 2,000, and about as few of 1,000. */
TEST(one_in_twenty_poisson_processes_is_rejected)
{
	static const struct {
		int64_t tick; /* exact; a tenth of the mean gap; ten of them */
		int sets, least, most;
		bool gaps_told;
		size_t tested;
	} of[] = { { 1, 2000, 70, 130, true, 5 }, { 1000000, 1000, 28, 75, true, 5 }, { 100000000, 1000, 28, 75, false, 2 } };
	struct gap_nulls *nulls = nulls_simulate(GAPS);

	for (size_t t = 0; t < sizeof(of) / sizeof(*of); t++) {
		int rejected = 0;

		seed_with(t ? 2 : 1);
		for (int set = 0; set < of[t].sets; set++) {
			struct poisson_result p;

			arrivals(exponential, GAPS);
			for (size_t i = 0; i <= GAPS; i++)
				at[i] -= at[i] % of[t].tick;
			p = judge_of(GAPS, of[t].tick, nulls);
			assert_int_equal(p.gaps_told, of[t].gaps_told);
			assert_int_equal(p.tested, of[t].tested);
			assert_true(p.ties > 0 || !t);
			rejected += !p.poisson;
		}
		assert_in_range(rejected, of[t].least, of[t].most);
	}
	free(nulls);
}

/* --- what is none ---------------------------------------------------------------------------------------------- */

static double constant(void)
{
	return 1;
}
static double even(void)
{
	return 2 * uniform();
}
static double erlang_4(void)
{
	return (exponential() + exponential() + exponential() + exponential()) / 4;
}

/* Nine of ten are short: CoV^2 = 2 (.9 .2^2 + .1 8.2^2) - 1 */
static double hyperexponential(void)
{
	return exponential() * (uniform() < 0.9 ? 0.2 : 8.2);
}

/* Five at a time. */
static double batches(void)
{
	static int n;

	return ++n % 5 ? 0.001 : 5 * exponential();
}

/* CoV 1 by design: a constant share and a longer one. Gaps a (share 1 - w) and b (share w) with (1
 * - w) a + w b = 1, variance w (1 - w) (b - a)^2 = 1. */
static double two_points(void)
{
	return uniform() < 0.2 ? 3 : 0.5;
}

/* The quantiles of the exponential distribution over and over: CoV near 1, in the same order. */
static double over_and_over(void)
{
	static const int order[] = { 3, 17, 8, 0, 12, 19, 5, 10, 1, 14, 7, 16, 2, 18, 9, 4, 13, 6, 15, 11 };
	static size_t n;

	return -log(1 - (order[n++ % 20] + 0.5) / 20) / 0.9660;
}

/* Exponential gaps, CoV 1, of which each is like the one before. */
static double like_the_last(void)
{
	static double z;
	double normal = 0;

	for (int i = 0; i < 12; i++)
		normal += uniform();
	z = 0.6 * z + 0.8 * (normal - 6);
	return -log(fmax(0.5 * erfc(z / sqrt(2)), 1e-300));
}

/* Of the last three, the coefficient of variation alone would let most pass; neighbours that are alike make it vary more. */
TEST(others_are_rejected)
{
	static const struct {
		const char *name;
		double (*gap)(void);
		int cov_passes;
	} of[] = {
		{ "constant", constant, 0 },
		{ "uniform", even, 0 },
		{ "Erlang-4", erlang_4, 0 },
		{ "hyperexponential", hyperexponential, 0 },
		{ "batches", batches, 0 },
		{ "two points", two_points, 42 },
		{ "over and over", over_and_over, 42 },
		{ "like the last", like_the_last, 30 },
	};
	struct gap_nulls *nulls = nulls_simulate(GAPS);

	for (size_t i = 0; i < sizeof(of) / sizeof(*of); i++) {
		int rejected = 0, passed = 0;

		seed_with((unsigned short)(10 + i));
		for (int set = 0; set < 50; set++) {
			struct poisson_result p;

			arrivals(of[i].gap, GAPS);
			p = judge_of(GAPS, 1, nulls);
			rejected += !p.poisson;
			passed += p.p[POISSON_COV] > 0.05;
		}
		if (rejected < 50 || passed < of[i].cov_passes)
			fail_msg("%s: %d of 50 rejected, %d pass by their CoV", of[i].name, rejected, passed);
	}
	free(nulls);
}

TEST(the_period_of_a_beat_is_found)
{
	struct gap_nulls *nulls = nulls_simulate(2000);
	struct poisson_result p;

	seed_with(50);
	/* a beat each 100 ms with jitter, among as many at random */
	for (size_t i = 0; i <= 2000; i++)
		at[i] = (int64_t)(i % 2 ? 1e8 * (double)(i / 2) + 2e6 * uniform() : 1e11 * uniform());
	p = judge_of(2000, 1, nulls);
	assert_true(p.rejected[POISSON_PEAK]);
	assert_near(p.peak_period_s, 0.1, 1e-3);
	free(nulls);
}

/* --- superposition --------------------------------------------------------------------------------------------- */

/* So many users whose think times are uniform from 0 to 12.5 s, in the steady state: the first
 * one's rest has density (1 - t / 12.5) 2 / 12.5. */
static size_t superpose(int users, size_t most)
{
	size_t n = 0;

	for (int u = 0; u < users; u++) {
		double end = 6.25 * (double)most / users;

		for (double t = 12.5 * (1 - sqrt(1 - uniform())); t < end && n < sizeof(at) / sizeof(*at); t += 12.5 * uniform())
			at[n++] = (int64_t)(t * 1e9);
	}
	return n - 1;
}

/* The judge wants a table for n gaps: sets of nearly as many arrivals are cut to it. */
static int superposed_rejected(int users, size_t gaps, int sets)
{
	struct gap_nulls *nulls = nulls_simulate(gaps);
	int rejected = 0;

	for (int set = 0; set < sets; set++) {
		size_t n = superpose(users, gaps + gaps / 4 + 40);

		assert_true(n >= gaps);
		poisson_spread_times(at, n + 1, 1, 1);
		rejected += !judge_of(gaps, 1, nulls).poisson;
	}
	free(nulls);
	return rejected;
}

TEST(many_uniform_users_are_nearly_a_poisson_process_and_one_is_none)
{
	int of_50, of_200, of_1;

	seed_with(60);
	of_50 = superposed_rejected(50, 1000, 100);
	of_200 = superposed_rejected(200, 4000, 100);
	of_1 = superposed_rejected(1, 200, 100);
	print_message("rejected of 100: 50 users %d, 200 users %d, one user %d\n", of_50, of_200, of_1);
	assert_true(of_50 <= 15);
	assert_true(of_200 <= 15);
	assert_int_equal(of_1, 100);
}

/* --- single figures -------------------------------------------------------------------------------------------- */

/* Stephens 1974, table 1A of the exponential distribution with an unknown mean; Lilliefors 1969: of
 * n = 20, 0.234 at 5 %, and for large n 1.06 / sqrt(n). */
TEST(critical_values_are_the_published_ones)
{
	static const double table[3][3] = { { 0.990, 0.10, 0.018 }, { 1.094, 0.05, 0.010 }, { 1.308, 0.01, 0.004 } };
	struct gap_nulls *twenty = nulls_simulate(20), *many = nulls_simulate(1000);

	/* (D - 0.2/n)(sqrt(n) + 0.26 + 0.5/sqrt(n)) is what the table is of */
	for (int i = 0; i < 3; i++)
		assert_near(nulls_ks_p(many, table[i][0] / (sqrt(1000) + 0.26 + 0.5 / sqrt(1000)) + 0.2 / 1000), table[i][1],
			    table[i][2]);
	assert_near(nulls_ks_p(twenty, 0.234), 0.05, 0.012);
	assert_near(nulls_ks_p(many, 1.06 / sqrt(1000)), 0.05, 0.012);
	free(twenty);
	free(many);
}

/* By hand: gaps 1 2 3: mean 2, sd 1; lag one: (-1 x 0 + 0 x 1) / 2 = 0. Of 1 1 4 4: mean 2.5,
 * products 2.25 - 2.25 + 2.25, squares 9. */
TEST(figures_by_hand)
{
	double a[] = { 1, 2, 3 }, b[] = { 1, 1, 4, 4 }, c[] = { log(2) };
	struct gaps_statistics f;

	gaps_compute_statistics(a, 3, &f);
	assert_near(f.cov, 0.5, 1e-15);
	assert_near(f.lag1, 0, 1e-15);
	gaps_compute_statistics(b, 4, &f);
	assert_near(f.sd, sqrt(3), 1e-15);
	assert_near(f.lag1, 0.25, 1e-15);
	assert_near(gaps_ks_distance(c, 1, 1), 0.5, 1e-15); /* half of the exponential gaps are shorter than log 2 */
}

/* Constant gaps: no variance, so no dispersion; all directions alike at one cycle a gap, so that power is all n. */
TEST(constant_arrivals_by_hand)
{
	struct gap_nulls *nulls = nulls_simulate(400);
	struct poisson_result p;

	arrivals(constant, 400);
	p = judge_of(400, 1, nulls);
	assert_near(p.cov, 0, 1e-12);
	assert_near(p.mean_s, 0.01, 1e-12);
	assert_near(p.dispersion, 0, 0.03); /* the first arrival is in no interval */
	assert_near(p.peak, 399, 60);	    /* binned: sin(pi/4)/(pi/4) squared at the worst */
	assert_near(p.peak_period_s, 0.01, 1e-6);
	free(nulls);
}

TEST(holm_stops_at_the_first_that_is_not_small_enough)
{
	struct poisson_result p = { .n = 100,
				    .cov = 1.5,
				    .gaps_told = true,
				    .verdict = true,
				    .tested = 5,
				    .rejected = { true, false, true, false, false } };
	char words[400];

	poisson_format_verdict(&p, words, sizeof(words));
	assert_string_equal(
		words,
		"not a Poisson process, too bursty: CoV 1.500 outside 1 +- 0.196, rejected by cov, dispersion at 5 % (Holm)");
	p = (struct poisson_result){ .n = 100, .cov = 1.1, .gaps_told = true, .verdict = true, .poisson = true, .tested = 5 };
	poisson_format_verdict(&p, words, sizeof(words));
	assert_string_equal(words, "as a Poisson process: CoV 1.100 within 1 +- 0.196, none of 5 tests rejects at 5 % (Holm)");
}

/* Of 300 in 100 ticks chance leaves 100 exp(-3) ticks empty: 300 - 100 + 5 are not the first in theirs. */
TEST(ties_by_chance_are_no_hint)
{
	struct poisson_result p = { .n = 300, .ties = 210, .ties_expected = 205, .span_s = 100, .mean_s = 1.0 / 3, .longest_s = 2 };
	char text[300];

	assert_false(poisson_format_hint(&p, text, sizeof(text)));
	p.ties = 295;
	assert_true(poisson_format_hint(&p, text, sizeof(text)));
	assert_non_null(strstr(text, "295 of 301 arrivals bear the time of the one before, of which chance makes 205"));
	p.ties = 210;
	p.longest_s = 30;
	assert_true(poisson_format_hint(&p, text, sizeof(text)));
	assert_non_null(strstr(text, "one gap of 30 s is 30 % of all the time"));
	p.n = 20;
	assert_false(poisson_format_hint(&p, text, sizeof(text)));
	seed_with(71);
	for (size_t i = 0; i <= 300; i++)
		at[i] = (int64_t)(1e11 * uniform()) / 1000000000 * 1000000000;
	at[0] = 0; /* 100 ticks of 1 s */
	at[300] = 99999999999;
	p = judge_of(300, 1000000000, NULL);
	assert_near(p.ties_expected, 300 - 100 * (1 - exp(-3)), 1);
	assert_true(p.ties >= 195 && p.ties <= 215);
}

TEST(few_get_no_verdict)
{
	struct poisson_result p;
	char words[400];

	seed_with(70);
	arrivals(exponential, 20);
	p = judge_of(20, 1, NULL);
	assert_false(p.verdict);
	assert_true(isnan(p.p_joint));
	assert_true(isfinite(p.cov));
	poisson_format_verdict(&p, words, sizeof(words));
	assert_non_null(strstr(words, "no verdict"));
	for (size_t i = 0; i <= 200; i++)
		at[i] = 0; /* all at once */
	p = judge_of(200, 1, NULL);
	assert_false(p.verdict); /* and not because they were too few */
	poisson_format_verdict(&p, words, sizeof(words));
	assert_null(strstr(words, "are needed"));
	assert_false(p.poisson);
}
