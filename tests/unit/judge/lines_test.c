// SPDX-License-Identifier: GPL-3.0-or-later
/* lines - of Anscombe (1973), "Graphs in statistical analysis", first data set: y = 3.0001 + 0.5001 x, R squared 0.6665. */
#include "judge/lines.h"
#include "../unit.h"

static struct claim place(const char *name, double x, double y)
{
	return (struct claim){ .kind = (char *)name,
			       .share = 1,
			       .figure = { { x, x, NAN, NAN, 0 }, { y, y, NAN, NAN, 0 } },
			       .value = NAN,
			       .low = NAN,
			       .high = NAN };
}

static enum claim_word judge_points(const double (*at)[2], size_t n)
{
	struct claim c[8];

	for (size_t i = 0; i < n; i++)
		c[i] = place("line a", at[i][0], at[i][1]);
	lines_judge(c, n);
	for (size_t i = 1; i < n; i++)
		assert_int_equal(c[i].word, c[0].word);
	return c[0].word;
}

TEST(a_data_set_of_anscombe_beside_another_line)
{
	static const double at[11][2] = { { 10, 8.04 }, { 8, 6.95 }, { 13, 7.58 },  { 9, 8.81 }, { 11, 8.33 }, { 14, 9.96 },
					  { 6, 7.24 },	{ 4, 4.26 }, { 12, 10.84 }, { 7, 4.82 }, { 5, 5.68 } };
	struct claim c[24];

	for (size_t i = 0; i < 11; i++) {
		c[2 * i] = place("line anscombe", at[i][0], at[i][1]);
		c[2 * i + 1] = place("line other", at[i][0], 7 - 2 * at[i][0]);
	}
	c[22] = place("line anscombe", 0, NAN);
	c[23] = place("above", 0, 1e9);
	lines_judge(c, 24);
	assert_near(c[22].value, 3.0000909, 1e-7);
	assert_near(c[0].value, 3.0000909 + 10 * 0.5000909, 1e-6);
	assert_near(c[22].low, 0.6665425, 1e-7);
	assert_near(c[22].high, 3.0000909 + 13 * 0.5000909 - 7.58, 1e-6);
	assert_int_equal(c[22].word, CLAIM_FAILS);
	assert_near(c[1].value, -13, 1e-12);
	assert_near(c[1].low, 1, 1e-12);
	assert_int_equal(c[1].word, CLAIM_HOLDS);
	assert_true(isnan(c[23].value));
}

TEST(points_that_tell_no_line)
{
	static const double two[2][2] = { { 1, 2 }, { 2, 4 } }, one_x[3][2] = { { 1, 2 }, { 1, 3 }, { 1, 4 } },
			    flat[3][2] = { { 1, 5 }, { 2, 5 }, { 3, 5 } },
			    scattered[5][2] = { { 1, 5 }, { 2, 7 }, { 3, 5 }, { 4, 7 }, { 5, 5 } },
			    unknown[3][2] = { { 1, 2 }, { 2, 4 }, { 3, NAN } };

	assert_int_equal(judge_points(two, 2), CLAIM_UNTOLD);
	assert_int_equal(judge_points(one_x, 3), CLAIM_UNTOLD);
	assert_int_equal(judge_points(flat, 3), CLAIM_UNTOLD);
	assert_int_equal(judge_points(scattered, 5), CLAIM_UNTOLD);
	assert_int_equal(judge_points(unknown, 3), CLAIM_UNTOLD);
}
