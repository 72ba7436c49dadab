// SPDX-License-Identifier: GPL-3.0-or-later
/* claims - against scipy.stats (t.ppf, beta.ppf, norm.ppf, binom.cdf), or by hand. (Differences: tests/cli/page.bats.) */
#include "judge/claims.h"
#include "../unit.h"

static struct claim judge(const char *kind, int64_t share, struct claim_figure a, struct claim_figure b)
{
	struct claim c = { .kind = (char *)kind, .share = share, .figure = { a, b } };

	assert_int_equal(claim_judge(&c), 0);
	return c;
}

static const struct claim_figure absent = { NAN, NAN, NAN, NAN, 0 };

TEST(what_lacks_its_needs_is_not_told)
{
	struct claim_figure known = { 5, 5, 4, 6, 5 }, bare = { 9, 9, NAN, NAN, 5 }, single = { 9, 9, 8, 10, 1 };

	assert_int_equal(judge("differs", 1, known, absent).word, CLAIM_UNTOLD);
	assert_int_equal(judge("differs", 1, bare, known).word, CLAIM_UNTOLD);
	assert_int_equal(judge("differs", 1, known, single).word, CLAIM_UNTOLD);
	assert_int_equal(judge("none", 1, bare, absent).word, CLAIM_UNTOLD);
	assert_int_equal(judge("none", 1, (struct claim_figure){ 0, 0, 0, NAN, 5 }, absent).word, CLAIM_UNTOLD);
	assert_int_equal(judge("none", 1, (struct claim_figure){ 0, 2, 0, 3, 5 }, absent).word, CLAIM_UNTOLD);
	assert_int_equal(judge("none", 1, (struct claim_figure){ 0, 0, 0, 101, 5 }, absent).word, CLAIM_UNTOLD);
	assert_int_equal(judge("rate", 1, (struct claim_figure){ NAN, NAN, NAN, NAN, 9 }, known).word, CLAIM_UNTOLD);
	assert_int_equal(judge("rate", 1, known, absent).word, CLAIM_UNTOLD);
	assert_int_equal(judge("off 10", 1, known, absent).word, CLAIM_UNTOLD);
	assert_int_equal(judge("off 10", 1, absent, known).word, CLAIM_UNTOLD);
	assert_int_equal(judge("whole", 1, (struct claim_figure){ 1, 1.5, 0.9, 1.1, 5 }, absent).word, CLAIM_UNTOLD);
	assert_int_equal(judge("whole", 1, bare, absent).word, CLAIM_UNTOLD);
	assert_int_equal(judge("percentile", 1, absent, absent).word, CLAIM_UNTOLD);
}

TEST(a_claim_of_no_known_kind)
{
	static const char *const kinds[] = { "other",	"",	  "off",     "off ",	"off x",
					     "off 10x", "off -1", "off inf", "above 5", "lines 1" };

	for (size_t i = 0; i < COUNT(kinds); i++)
		assert_true(claim_judge(&(struct claim){ .kind = (char *)kinds[i], .share = 1 }) < 0);
}

/* Worked out by hand against 5, and against 4 to 6: numbers, with an interval, ranges, lower bounds, and nothing. */
TEST(a_figure_against_a_limit_and_a_range)
{
	static const struct {
		struct claim_figure figure;
		enum claim_word above, within;
	} all[] = {
		{ { 5, 5, NAN, NAN, 1 }, CLAIM_FAILS, CLAIM_HOLDS },
		{ { 5.1, 5.1, NAN, NAN, 1 }, CLAIM_HOLDS, CLAIM_HOLDS },
		{ { 6.1, 6.1, NAN, NAN, 1 }, CLAIM_HOLDS, CLAIM_FAILS },
		{ { 5.5, 5.5, 5.1, 6, 3 }, CLAIM_HOLDS, CLAIM_HOLDS },
		{ { 5.5, 5.5, 5, 6.1, 3 }, CLAIM_UNTOLD, CLAIM_UNTOLD },
		{ { 3, 3, 2, 3.9, 3 }, CLAIM_FAILS, CLAIM_FAILS },
		{ { 3, 3, 2, 4, 3 }, CLAIM_FAILS, CLAIM_UNTOLD },
		{ { 9, 9, 3, 15, 3 }, CLAIM_UNTOLD, CLAIM_UNTOLD },
		{ { 4, 5, NAN, NAN, 1 }, CLAIM_FAILS, CLAIM_HOLDS },
		{ { 5.2, 8, 4.5, 8.8, 3 }, CLAIM_UNTOLD, CLAIM_UNTOLD },
		{ { 7, 8, 6.5, 8.8, 3 }, CLAIM_HOLDS, CLAIM_FAILS },
		{ { 4, INFINITY, NAN, NAN, 1 }, CLAIM_UNTOLD, CLAIM_UNTOLD },
		{ { 7, INFINITY, 6.5, 7.5, 3 }, CLAIM_HOLDS, CLAIM_FAILS },
		{ { NAN, NAN, NAN, NAN, 0 }, CLAIM_UNTOLD, CLAIM_UNTOLD },
		/* the values of two repeats: t.ppf(0.975, 1) is 12.7 */
		{ { 5.5, 5.5, 5.4, 5.6, 2 }, CLAIM_UNTOLD, CLAIM_UNTOLD },
		{ { 5.5, 5.5, 5.47, 5.53, 2 }, CLAIM_HOLDS, CLAIM_HOLDS },
		{ { 4.5, 4.5, 4.47, 4.53, 2 }, CLAIM_FAILS, CLAIM_HOLDS },
	};

	for (size_t i = 0; i < COUNT(all); i++) {
		assert_int_equal(judge("above", 1, all[i].figure, (struct claim_figure){ 5, 5, NAN, NAN, 0 }).word, all[i].above);
		assert_int_equal(judge("within", 1, all[i].figure, (struct claim_figure){ 4, 6, NAN, NAN, 0 }).word, all[i].within);
		assert_int_equal(judge("above", 1, all[i].figure, absent).word, CLAIM_UNTOLD);
		assert_int_equal(judge("within", 1, all[i].figure, absent).word, CLAIM_UNTOLD);
	}
}

/* Read as they stand, 8 to 6 would be surely above 7 (the lower end) and surely not (the upper one). */
TEST(ends_the_wrong_way_round_tell_nothing)
{
	struct claim_figure interval = { 7, 7, 8, 6, 5 }, range = { 8, 6, NAN, NAN, 5 }, five = { 5, 5, NAN, NAN, 0 },
			    wide = { 1, 9, NAN, NAN, 0 };

	assert_int_equal(judge("above", 1, interval, (struct claim_figure){ 7, 7, NAN, NAN, 0 }).word, CLAIM_UNTOLD);
	assert_int_equal(judge("above", 1, range, five).word, CLAIM_UNTOLD);
	assert_int_equal(judge("above", 1, five, range).word, CLAIM_UNTOLD);
	assert_int_equal(judge("within", 1, five, range).word, CLAIM_UNTOLD);
	assert_int_equal(judge("within", 1, interval, wide).word, CLAIM_UNTOLD);
	assert_int_equal(judge("differs", 1, interval, (struct claim_figure){ 12, 12, 11, 13, 5 }).word, CLAIM_UNTOLD);
	assert_int_equal(judge("whole", 1, (struct claim_figure){ 1, 1, 1.01, 0.99, 0 }, absent).word, CLAIM_UNTOLD);
}

/* Each end of either counts. */
TEST(a_figure_against_another_one)
{
	struct claim_figure a = { 7, 7, 6, 8, 3 }, b = { 5, 5, 4, 6, 3 }, c = { 5, 5, 4, 5.9, 3 },
			    bound = { 5, INFINITY, 4, NAN, 3 };

	assert_int_equal(judge("above", 1, a, b).word, CLAIM_UNTOLD);
	assert_int_equal(judge("above", 1, a, c).word, CLAIM_HOLDS);
	assert_int_equal(judge("above", 1, b, a).word, CLAIM_FAILS);
	assert_int_equal(judge("above", 1, a, bound).word, CLAIM_UNTOLD);
	assert_int_equal(judge("above", 1, (struct claim_figure){ 3, 3, 2, 4, 3 }, bound).word, CLAIM_FAILS);
}

/* By hand: from the near ends to the far ones. */
TEST(a_multiple_of_another_figure)
{
	struct claim_figure three = { 3, 3, 2.5, 3.5, 3 }, two = { 2, 2, 1, 2.5, 3 }, less = { -1, -1, -2, 1, 3 },
			    bound = { 3, INFINITY, 2.5, 3.5, 3 }, bare = { 2, 2, NAN, NAN, 1 };
	struct claim c = judge("times", 1, three, two);

	assert_true(c.value == 1.5 && c.low == 1 && c.high == 3.5);
	c = judge("times", 1, less, two);
	assert_true(c.value == -0.5 && c.low == -2 && c.high == 1);
	c = judge("times", 1, bound, two);
	assert_true(c.value == 1.5 && c.low == 1 && isnan(c.high));
	c = judge("times", 1, three, bare);
	assert_true(c.value == 1.5 && isnan(c.low) && isnan(c.high));
	c = judge("times", 1, three, (struct claim_figure){ 2, 2, -1, 3, 3 });
	assert_true(c.value == 1.5 && isnan(c.low) && isnan(c.high));
}

TEST(a_multiple_that_is_not_known)
{
	struct claim_figure three = { 3, 3, 2.5, 3.5, 3 }, none = { 0, 0, 0, 0, 3 }, bound = { 3, INFINITY, 2.5, 3.5, 3 },
			    range = { 1, 2, NAN, NAN, 3 };

	assert_int_equal(judge("times", 1, three, none).word, CLAIM_UNTOLD);
	assert_int_equal(judge("times", 1, three, absent).word, CLAIM_UNTOLD);
	assert_int_equal(judge("times", 1, three, bound).word, CLAIM_UNTOLD);
	assert_int_equal(judge("times", 1, range, three).word, CLAIM_UNTOLD);
	assert_int_equal(judge("times", 1, absent, three).word, CLAIM_UNTOLD);
}

static enum claim_word judge_share_of(int64_t of_all, double hits, int64_t n, double stated)
{
	return judge("share", of_all, (struct claim_figure){ hits, hits, NAN, NAN, n },
		     (struct claim_figure){ stated, stated, NAN, NAN, 0 })
		.word;
}

/* The exact interval of 40 of 2000, with 2.5 % beyond each end, is 1.433 to 2.714 %. */
TEST(a_share_that_was_stated)
{
	assert_int_equal(judge_share_of(1, 40, 2000, 1.432), CLAIM_HOLDS);
	assert_int_equal(judge_share_of(1, 40, 2000, 1.434), CLAIM_FAILS);
	assert_int_equal(judge_share_of(1, 40, 2000, 2.713), CLAIM_FAILS);
	assert_int_equal(judge_share_of(1, 40, 2000, 2.715), CLAIM_HOLDS);
	assert_int_equal(judge_share_of(7, 40, 2000, 1.432), CLAIM_FAILS);
	assert_int_equal(judge_share_of(1, 1000000, 1000000, 1), CLAIM_HOLDS);
	assert_int_equal(judge_share_of(1, 0, 1000000, 1), CLAIM_HOLDS);
	assert_int_equal(judge_share_of(1, 1, 1, 5), CLAIM_FAILS);
	assert_int_equal(judge_share_of(1, 0, 5, 0), CLAIM_FAILS);
	assert_int_equal(judge_share_of(1, 1, 5, 0), CLAIM_HOLDS);
	assert_int_equal(judge_share_of(1, 5, 5, 100), CLAIM_FAILS);
	assert_int_equal(judge_share_of(1, 0, 0, 5), CLAIM_UNTOLD);
	assert_int_equal(judge_share_of(1, NAN, 5, 5), CLAIM_UNTOLD);
	assert_int_equal(judge_share_of(1, 6, 5, 5), CLAIM_UNTOLD);
	assert_int_equal(judge_share_of(1, 1, 5, NAN), CLAIM_UNTOLD);
}

/* Medians of a frame and of two, equal in all repeats: one in four repeats may be of the other kind. */
TEST(means_without_any_spread_are_not_shown_to_differ)
{
	struct claim_figure one = { 16.7, 16.7, 16.7, 16.7, 3 }, two = { 33.3, 33.3, 33.3, 33.3, 3 },
			    spread = { 33.3, 33.3, 32, 34.6, 3 };

	assert_int_equal(judge("differs", 1, one, two).word, CLAIM_FAILS);
	assert_int_equal(judge("differs", 1, one, one).word, CLAIM_FAILS);
	assert_int_equal(judge("differs", 1, one, spread).word, CLAIM_HOLDS);
	one.repeats = two.repeats = 0;
	assert_int_equal(judge("differs", 1, one, two).word, CLAIM_HOLDS);
}

/* Two 95 % intervals that do not touch say less of one pair of 45: norm.ppf(1 - 0.025 / 45) / norm.ppf(0.975) times as long. */
TEST(figures_without_repeats_at_the_share_of_many_pairs)
{
	struct claim_figure a = { 5, 5, 4, 6, 0 }, b = { 7.1, 7.1, 6.1, 8.1, 0 };
	struct claim one = judge("differs", 1, a, b), many = judge("differs", 45, a, b);

	assert_int_equal(one.word, CLAIM_HOLDS);
	assert_near(one.low, 0.1, 1e-12);
	assert_int_equal(many.word, CLAIM_FAILS);
	assert_near(many.low, 2.1 - 2 * 1.663687452494562, 1e-9);
	assert_near(many.high, 2.1 + 2 * 1.663687452494562, 1e-9);
}

/* The exact bounds of none of 60 and of none of 100 at 95 %, and at 1 - 0.05 / 7. */
TEST(a_bound_of_none_at_the_share_of_seven)
{
	assert_near(judge("none", 7, (struct claim_figure){ 0, 0, 0, 4.870291331009746, 5 }, absent).high, 7.90602906621772, 1e-9);
	assert_near(judge("none", 7, (struct claim_figure){ 0, 0, 0, 2.951304960703993, 5 }, absent).high, 4.821529904453532, 1e-9);
	assert_near(judge("none", 1, (struct claim_figure){ 0, 0, 0, 4.870291331009746, 5 }, absent).high, 4.870291331009746, 1e-9);
	assert_int_equal(judge("none", 1, (struct claim_figure){ 0.1, 0.1, 0, 5, 5 }, absent).word, CLAIM_UNTOLD);
}

/* chi2.ppf(0.025, 800) / 800 is 0.904389, of 0.025 / 10 0.865355, and chi2.ppf(0.975, 802) / 800 1.102968; t.ppf(0.975, 4) and of
 * 1 - 0.025 / 10 are 2.776445 and 5.597568. */
TEST(a_rate_of_few_and_of_many_events)
{
	static const struct {
		struct claim_figure rate;
		int64_t share;
		double limit;
		enum claim_word word;
	} all[] = {
		{ { 20, 20, NAN, NAN, 400 }, 1, 18.08, CLAIM_HOLDS },
		{ { 20, 20, NAN, NAN, 400 }, 1, 18.09, CLAIM_UNTOLD },
		{ { 20, 20, NAN, NAN, 400 }, 1, 22.05, CLAIM_UNTOLD },
		{ { 20, 20, NAN, NAN, 400 }, 1, 22.07, CLAIM_FAILS },
		{ { 20, 20, NAN, NAN, 400 }, 10, 17.3, CLAIM_HOLDS },
		{ { 20, 20, NAN, NAN, 400 }, 10, 17.31, CLAIM_UNTOLD },
		/* one event or none of 5.57 that were to come has a probability of 2.5 % */
		{ { 1, 1, NAN, NAN, 1 }, 1, 5.57, CLAIM_UNTOLD },
		{ { 1, 1, NAN, NAN, 1 }, 1, 5.58, CLAIM_FAILS },
		/* of a million it is the normal one, 20 * (1 -+ 1.959964 / 1000) */
		{ { 20, 20, NAN, NAN, 1000000 }, 1, 19.96, CLAIM_HOLDS },
		{ { 20, 20, NAN, NAN, 1000000 }, 1, 19.962, CLAIM_UNTOLD },
		{ { 20, 20, NAN, NAN, 1000000 }, 1, 20.038, CLAIM_UNTOLD },
		{ { 20, 20, NAN, NAN, 1000000 }, 1, 20.04, CLAIM_FAILS },
		{ { 20, 20, 19, 21, 5 }, 1, 18.99, CLAIM_HOLDS },
		{ { 20, 20, 19, 21, 5 }, 1, 19.01, CLAIM_UNTOLD },
		{ { 20, 20, 19, 21, 5 }, 10, 17.98, CLAIM_HOLDS },
		{ { 20, 20, 19, 21, 5 }, 10, 17.99, CLAIM_UNTOLD },
		{ { 20, 20, NAN, NAN, 0 }, 1, 19.99, CLAIM_HOLDS },
		{ { 20, 20, NAN, NAN, 0 }, 1, 20, CLAIM_FAILS },
	};
	struct claim_figure a = { 20, 20, NAN, NAN, 400 }, b = { 16, 16, NAN, NAN, 400 }, c = { 17, 17, NAN, NAN, 400 };

	for (size_t i = 0; i < COUNT(all); i++) {
		struct claim_figure limit = { all[i].limit, all[i].limit, NAN, NAN, 0 };

		assert_int_equal(judge("rate", all[i].share, all[i].rate, limit).word, all[i].word);
	}
	assert_int_equal(judge("rate", 1, a, b).word, CLAIM_HOLDS);
	assert_int_equal(judge("rate", 1, b, a).word, CLAIM_FAILS);
	assert_int_equal(judge("rate", 1, a, c).word, CLAIM_UNTOLD);
}

/* Worked out by hand, by at most 10 percent of the second figure. */
TEST(a_figure_off_another_one)
{
	static const struct {
		struct claim_figure figure, from;
		enum claim_word word;
	} all[] = {
		{ { 110, 110, NAN, NAN, 1 }, { 100, 100, NAN, NAN, 1 }, CLAIM_HOLDS },
		{ { 110.1, 110.1, NAN, NAN, 1 }, { 100, 100, NAN, NAN, 1 }, CLAIM_FAILS },
		{ { 90, 90, NAN, NAN, 1 }, { 100, 100, NAN, NAN, 1 }, CLAIM_HOLDS },
		{ { 89.9, 89.9, NAN, NAN, 1 }, { 100, 100, NAN, NAN, 1 }, CLAIM_FAILS },
		{ { 0, 0, NAN, NAN, 1 }, { 100, 100, NAN, NAN, 1 }, CLAIM_FAILS },
		{ { 100, 100, 91, 109, 5 }, { 100, 100, NAN, NAN, 0 }, CLAIM_HOLDS },
		{ { 105, 105, 95, 115, 5 }, { 100, 100, NAN, NAN, 0 }, CLAIM_UNTOLD },
		{ { 116, 116, 112, 120, 5 }, { 100, 100, NAN, NAN, 0 }, CLAIM_FAILS },
		{ { 100, 100, NAN, NAN, 0 }, { 100, 100, 95, 105, 5 }, CLAIM_HOLDS },
		{ { 100, 100, NAN, NAN, 0 }, { 92, 92, 88, 95, 5 }, CLAIM_UNTOLD },
		{ { 100, 100, NAN, NAN, 0 }, { 80, 80, 75, 85, 5 }, CLAIM_FAILS },
		{ { 105, 130, NAN, NAN, 1 }, { 100, 100, NAN, NAN, 0 }, CLAIM_UNTOLD },
		{ { 120, INFINITY, NAN, NAN, 1 }, { 100, 100, NAN, NAN, 0 }, CLAIM_FAILS },
		{ { 105, INFINITY, NAN, NAN, 1 }, { 100, 100, NAN, NAN, 0 }, CLAIM_UNTOLD },
		{ { 100, 100, NAN, NAN, 1 }, { 0, 0, NAN, NAN, 0 }, CLAIM_UNTOLD },
		/* two repeats: t.ppf(0.975, 1) is 12.7 */
		{ { 105, 105, 104, 106, 2 }, { 100, 100, NAN, NAN, 0 }, CLAIM_UNTOLD },
		{ { 103, 103, 102.9, 103.1, 2 }, { 100, 100, NAN, NAN, 0 }, CLAIM_HOLDS },
	};
	struct claim c =
		judge("off 10", 1, (struct claim_figure){ 105, 105, 95, 115, 5 }, (struct claim_figure){ 100, 100, 95, 125, 5 });

	for (size_t i = 0; i < COUNT(all); i++)
		assert_int_equal(judge("off 10", 1, all[i].figure, all[i].from).word, all[i].word);
	assert_true(isnan(judge("off 10", 1, all[0].figure, all[0].from).low));
	assert_near(c.value, 5, 1e-12);
	assert_near(c.low, -24, 1e-12);
	assert_near(c.high, 100. * 20 / 95, 1e-12);
}

TEST(a_whole_number)
{
	static const struct {
		double slope, low, high;
		enum claim_word word;
		double value;
	} all[] = {
		{ 1.01, 0.98, 1.04, CLAIM_HOLDS, 1 },  { 2.02, 1.95, 2.09, CLAIM_HOLDS, 2 }, { 1.5, 1.4, 1.6, CLAIM_FAILS, 2 },
		{ 0.5, 0.4, 0.6, CLAIM_FAILS, 0 },     { 1.3, 0.95, 1.65, CLAIM_UNTOLD, 1 }, { 1, 0.3, 1.4, CLAIM_UNTOLD, NAN },
		{ 0.4, -0.02, 0.92, CLAIM_UNTOLD, 0 },
	};

	for (size_t i = 0; i < COUNT(all); i++) {
		struct claim c =
			judge("whole", 1, (struct claim_figure){ all[i].slope, all[i].slope, all[i].low, all[i].high, 0 }, absent);

		assert_int_equal(c.word, all[i].word);
		assert_true(c.word == CLAIM_UNTOLD || c.value == all[i].value);
	}
}

/* The least n with binom.cdf(0, n, 1 - p) <= 2.5 %, or the same of p. */
TEST(values_that_a_percentile_needs)
{
	static const double p[] = { 0.5, 0.9, 0.95, 0.99, 0.999, 0.1 }, both_ends[] = { 6, 36, 72, 368, 3688, 36 },
			    beyond[] = { 20, 100, 200, 1000, 10000, 12 };

	for (size_t i = 0; i < COUNT(p); i++) {
		struct claim c = judge("percentile", 1, (struct claim_figure){ p[i], p[i], NAN, NAN, 0 }, absent);

		assert_true(c.high == both_ends[i] && c.value == beyond[i]);
	}
}
