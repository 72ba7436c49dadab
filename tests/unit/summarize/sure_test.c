// SPDX-License-Identifier: GPL-3.0-or-later
/* sure - when a percentile is known, open, or told by no number of keys. */
#include "../unit.h"
#include "summarize/sure.h"

static struct figure with_interval(double half)
{
	return figure_estimate(100, 100 - half, 100 + half);
}

TEST(known_at_two_looks_in_a_row)
{
	struct figure narrow = with_interval(15), wide = with_interval(25), bare = figure_exact(100),
		      few = figure_absent("too few"), uneven = figure_estimate(100, 85, 125);

	assert_int_equal(sure_judge(&narrow, &narrow, 0.2), SURE_KNOWN);
	assert_int_equal(sure_judge(&narrow, &wide, 0.2), SURE_ONCE);
	assert_int_equal(sure_judge(&narrow, &bare, 0.2), SURE_ONCE);
	assert_int_equal(sure_judge(&wide, &narrow, 0.2), SURE_WIDE);
	assert_int_equal(sure_judge(&uneven, &uneven, 0.2), SURE_WIDE);
	assert_int_equal(sure_judge(&bare, &narrow, 0.2), SURE_BARE);
	assert_int_equal(sure_judge(&few, &few, 0.2), SURE_FEW);
}

TEST(more_keys_do_not_tell_a_range)
{
	struct figure f[] = { with_interval(5),
			      figure_make_range((struct sample_stat){ 12, false }, (struct sample_stat){ 212, false }, 0),
			      figure_absent("overloaded"),
			      figure_statistic((struct sample_stat){ 10000, true }),
			      FIGURE_ABSENT,
			      FIGURE_ABSENT };
	struct sure_run run = sure_count(f, f, COUNT(f), 0.2);

	for (size_t i = 1; i < COUNT(f); i++)
		assert_int_equal(sure_judge(&f[i], &f[i], 0.2), SURE_UNTOLD);
	assert_int_equal(run.open, 0);
	assert_string_equal(run.why, "");
	assert_string_equal(run.untold, "a range in 1 condition, overloaded in 1, a lower bound in 1, not measured in 2");
}

TEST(the_worst_condition_says_why)
{
	struct figure f[] = { with_interval(30), with_interval(5), with_interval(40) };
	struct sure_run run = sure_count(f, f, COUNT(f), 0.2);

	assert_int_equal(run.open, 2);
	assert_string_equal(run.why, "± 40 %");
	f[0] = figure_absent("too few");
	assert_string_equal(sure_count(f, f, COUNT(f), 0.2).why, "too few keys");
	assert_string_equal(sure_count(f, f, COUNT(f), 0.2).untold, "");
}
