// SPDX-License-Identifier: GPL-3.0-or-later
/* decide - the factor against SciPy's (the noncentral t density integrated over the prior, divided by the central one); the rates
 * of wrong and right verdicts on simulated sequences with a look after every start. */
#include "../near.h"
#include "judge/decide.h"
#include "random.h"
#include "../unit.h"

TEST(the_factor_is_that_of_the_integral)
{
	/* scipy.integrate.quad(lambda d: nct.pdf(t, n - 1, d * sqrt(n)) * norm.pdf(d, 0, 4)) / t.pdf(t, n - 1), its logarithm */
	static const struct {
		size_t n;
		double t, log_factor;
	} known[] = { { 3, 2, -0.357999717970 },
		      { 5, 4, 1.705864949204 },
		      { 8, -6, 4.674881961207 },
		      { 12, 5.1, 4.575349617612 },
		      { 30, 1, -2.580485667277 } };

	for (size_t i = 0; i < COUNT(known); i++)
		assert_near(decide_log_factor(known[i].n, known[i].t), known[i].log_factor, 1e-9);
}

TEST(the_interval_ends_where_the_factor_reaches_the_level)
{
	for (size_t n = 5; n < 100; n += 7) {
		double half = decide_half_width(n, 2, 0.05);

		assert_near(decide_log_factor(n, half / 2 * sqrt((double)n)), log(20), 1e-9);
		assert_true(decide_half_width(n + 7, 2, 0.05) < half);
	}
	assert_true(isinf(decide_half_width(1, 2, 0.05)));
	assert_true(isinf(decide_half_width(2, 2, 0.05)));
	assert_int_equal(decide_values_needed(1, 0.05, 1e-6), DECIDE_NEVER);
	assert_true(decide_half_width(decide_values_needed(1, 0.05, 0.5), 1, 0.05) <= 0.5);
	assert_true(decide_half_width(decide_values_needed(1, 0.05, 0.5) - 1, 1, 0.05) > 0.5);
}

static double draw_normal(uint64_t *rng)
{
	return sqrt(-2 * log(1 - random_fraction(rng))) * cos(2 * M_PI * random_fraction(rng));
}

/* Looks after each of 40 starts of two figures, until both are decided. Returns the first one's last word. */
static enum decision sequence(uint64_t *rng, double shift, double effect)
{
	struct decide_figure f[2] = { { .effect = effect }, { .effect = effect } };

	for (int i = 0; i < 40 && (!f[0].word || !f[1].word); i++) {
		decide_add(&f[0], shift + draw_normal(rng));
		decide_add(&f[1], shift + draw_normal(rng));
		decide_all(f, 2, 0.05);
	}
	return f[0].word;
}

TEST(looks_at_every_start_do_not_raise_the_false_alarms)
{
	uint64_t rng = 7;
	int wrong = 0, found = 0, runs = 1000;

	for (int i = 0; i < runs; i++) {
		enum decision word = sequence(&rng, 0, 1.5);

		wrong += word == DECIDE_LOWER || word == DECIDE_HIGHER;
		found += sequence(&rng, -2, 1.5) == DECIDE_LOWER;
	}
	assert_true(wrong <= 25 + 3 * 5); /* 5 % of two figures together, 2.5 % of one; and three standard deviations */
	assert_true(found >= 950);
}

TEST(a_difference_smaller_than_the_effect_is_none_of_that_size)
{
	struct decide_figure f = { .effect = 1 }, equal = { .effect = 1 };

	for (int i = 0; i < 30; i++)
		decide_add(&f, 0.1 + (i % 2 ? 0.01 : -0.01));
	decide_all(&f, 1, 0.05);
	assert_true(f.low > 0);
	assert_int_equal(f.word, DECIDE_SAME);
	for (int i = 0; i < DECIDE_SAME_STARTS; i++) {
		assert_int_equal(equal.word, DECIDE_OPEN);
		decide_add(&equal, 0);
		decide_all(&equal, 1, 0.05);
	}
	assert_int_equal(equal.word, DECIDE_SAME);
}

TEST(several_figures_share_the_rate_by_holms_method)
{
	/* one far from 0, one near the level: the second is told only because the first one is */
	struct decide_figure f[2] = { { .effect = 0.1 }, { .effect = 0.1 } };
	double alpha;

	for (int i = 0; i < 10; i++) {
		decide_add(&f[0], 50 + (i % 2 ? 1 : -1));
		decide_add(&f[1], 1.5 + (i % 2 ? 1 : -1));
	}
	decide_all(f, 2, 0.05);
	alpha = f[1].p * 1.5; /* more than p, less than twice p */
	decide_all(f, 2, alpha);
	assert_int_equal(f[1].word, DECIDE_HIGHER);
	assert_true(f[1].low > 0);
	f[0] = (struct decide_figure){ .effect = 0.1 };
	decide_all(f, 2, alpha);
	assert_int_equal(f[1].word, DECIDE_OPEN);
	assert_true(f[1].more >= 1);
}
