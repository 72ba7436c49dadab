// SPDX-License-Identifier: GPL-3.0-or-later
/* decide - the money of bets against what a few lines of Python compute from the formula. (Rates of wrong and right verdicts:
 * tests/scenes/ab.tsv.) */
#include "judge/decide.h"
#include "../unit.h"

static void add_all(struct decide_figure *f, const double *value, size_t n)
{
	for (size_t i = 0; i < n; i++)
		decide_add(f, (int64_t)i + 1, value[i]);
}

TEST(the_money_is_that_of_the_formula)
{
	static const double value[] = { 0.12, 0.05, 0.21, -0.02, 0.09 };
	static const struct {
		double mean;
		int side;
		double log_money;
	} known[] = { { 0, 1, 2.003050195516 },
		      { 0, -1, -7.031537560028 },
		      { 0.1, 1, -1.819205528744 },
		      { -0.1, 1, 2.875986271221 },
		      { 0.3, -1, 3.028759504045 } };
	struct decide_figure f = { .effect = 0.1 };

	add_all(&f, value, COUNT(value));
	assert_int_equal(f.pairs, 2);
	for (size_t i = 0; i < COUNT(known); i++)
		assert_near(decide_log_money(&f, known[i].mean, known[i].side), known[i].log_money, 1e-9);
	decide_free(&f);
}

/* Values 2 and 3 lie between 0.05 and 0.11, and 0.15 and 0.21. */
TEST(of_a_range_the_end_counts_that_is_worst_for_the_bet)
{
	static const double low[] = { 0.12, 0.05, 0.15, -0.02, 0.09 }, high[] = { 0.12, 0.11, 0.21, -0.02, 0.09 };
	static const struct {
		double mean;
		int side;
		double log_money;
	} known[] = { { 0, 1, 1.876477288741 },
		      { 0, -1, -7.208548336753 },
		      { 0.1, 1, -3.135831393922 },
		      { -0.1, 1, 3.054267709557 },
		      { 0.3, -1, 3.050899011007 } };
	struct decide_figure f = { .effect = 0.1 };

	for (size_t i = 0; i < COUNT(low); i++)
		decide_add_range(&f, (int64_t)i + 1, low[i], high[i]);
	for (size_t i = 0; i < COUNT(known); i++)
		assert_near(decide_log_money(&f, known[i].mean, known[i].side), known[i].log_money, 1e-9);
	assert_near(f.mean, 0.09, 1e-12);
	assert_near(f.wide, 0.012, 1e-12);
	decide_free(&f);
}

/* Each value is at the same distance from 0 on either side with the same chance: whatever the distances, nobody gains. */
TEST(of_a_symmetric_law_the_money_stays_one_on_average)
{
	static const double distance[] = { 3, 0.1, 7, 7, 0.02, 1, 30, 2 };
	double sum = 0;

	for (unsigned int signs = 0; signs < 1u << COUNT(distance); signs++) {
		struct decide_figure f = { .effect = 1 };

		for (size_t i = 0; i < COUNT(distance); i++)
			decide_add(&f, 2 * (int64_t)i + 1, signs >> i & 1 ? distance[i] : -distance[i]);
		sum += exp(decide_log_money(&f, 0, 1));
		decide_free(&f);
	}
	assert_near(sum / (1u << COUNT(distance)), 1, 1e-12);
}

TEST(the_interval_ends_where_the_money_reaches_the_level)
{
	static const double value[] = { 2.1, 1.9, 2.2, 1.7, 2, 2.1, 2.3, 1.8, 2.2 };
	struct decide_figure f = { .effect = 1 };

	add_all(&f, value, 4);
	decide_all(&f, 1, 0.05);
	assert_true(isinf(decide_reach(&f, -1)));
	add_all(&f, value + 4, 5);
	decide_all(&f, 1, 0.05);
	assert_int_equal(f.word, DECIDE_HIGHER);
	assert_near(decide_log_money(&f, f.mean - decide_reach(&f, -1), 1), log(40), 1e-6);
	assert_near(decide_log_money(&f, f.mean + decide_reach(&f, 1), -1), log(40), 1e-6);
	decide_free(&f);
}

TEST(what_more_starts_would_decide)
{
	struct decide_figure f = { .effect = 1 };

	for (int64_t start = 1; start <= 3; start++)
		decide_add(&f, start, start == 2 ? 1.2 : 0.9);
	decide_all(&f, 1, 0.05);
	assert_int_equal(f.word, DECIDE_OPEN);
	assert_int_equal(decide_more(&f), 3);
	assert_int_equal(decide_starts_needed(1, 1e-6, 1, 0.05), 6); /* 1.95^6 3/4 > 2 / 0.05 */
	assert_true(decide_starts_needed(1, 1, 1, 0.05) > decide_starts_needed(1, 0.5, 1, 0.05));
	assert_int_equal(decide_starts_needed(1, 1000, 1, 0.05), DECIDE_NEVER);
	decide_free(&f);
}

TEST(two_runs_without_any_spread_say_nothing)
{
	struct decide_figure f = { .effect = 0.1 };

	decide_set_runs(&f, (size_t[]){ 3, 3 }, (double[]){ 16.7, 33.3 }, (double[]){ 0, 0 });
	decide_all(&f, 1, 0.05);
	assert_int_equal(f.word, DECIDE_OPEN);
	assert_true(isinf(decide_reach(&f, 1)));
}

TEST(several_figures_share_the_rate_by_holms_method)
{
	/* one far from 0, one near the level: the second is told only because the first one is */
	struct decide_figure f[2] = { { .effect = 0.3 }, { .effect = 0.3 } };
	double alpha;

	for (int i = 0; i < 10; i++) {
		decide_add(&f[0], i + 1, 5 + (i % 2 ? 0.1 : -0.1));
		decide_add(&f[1], i + 1, i % 4 == 3 ? -0.1 : 0.3);
	}
	decide_all(f, 2, 0.05);
	alpha = f[1].p * 1.5; /* more than p, less than twice p */
	decide_all(f, 2, alpha);
	assert_int_equal(f[1].word, DECIDE_HIGHER);
	decide_free(&f[0]);
	decide_all(f, 2, alpha);
	assert_int_equal(f[1].word, DECIDE_OPEN);
	decide_free(&f[1]);
}
