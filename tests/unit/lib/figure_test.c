// SPDX-License-Identifier: GPL-3.0-or-later
/* figure - what a figure says of itself. */
#include "say.h"
#include "../unit.h"

static struct figure between(double early, bool early_above, double late, bool late_above)
{
	return figure_make_range((struct sample_stat){ early, early_above }, (struct sample_stat){ late, late_above });
}

TEST(one_number_is_exact)
{
	struct figure f = between(200, false, 200.9, false);

	assert_true(figure_known(&f) && !figure_is_range(&f));
	assert_float_equal(f.value, 200.9, 1e-9); /* ends within 1 %: the late one */
	assert_string_equal(figure_text(&f, 1), "201");
}

TEST(a_range_has_no_value)
{
	struct figure f = between(12.5, false, 201, false);

	assert_true(figure_is_range(&f));
	assert_true(isnan(f.value));
	assert_float_equal(f.from, 12.5, 1e-9);
	assert_float_equal(f.to, 201, 1e-9);
	assert_string_equal(f.why, "range");
	assert_string_equal(figure_text(&f, 1), "12.5 to 201");
	assert_string_equal(figure_text(&f, 1000), "0.013 to 0.20");
}

TEST(a_lower_bound_has_no_upper_end)
{
	struct figure f = between(812, true, 812, true);

	assert_false(figure_is_range(&f));
	assert_true(f.above && isinf(f.to));
	assert_string_equal(figure_text(&f, 1), ">812");
	f = between(12.5, false, 2000, true); /* a range whose late end is a lower bound itself */
	assert_true(figure_is_range(&f) && isinf(f.to));
	assert_string_equal(figure_text(&f, 1), ">12.5");
}

TEST(absence_keeps_its_reason)
{
	struct figure f = figure_absent("overloaded");

	assert_false(figure_known(&f) || figure_is_range(&f));
	assert_true(isnan(f.from) && isnan(f.to));
	assert_string_equal(f.why, "overloaded");
	assert_string_equal(figure_text(&f, 1), "-");
	f = between((double)NAN, false, 3, false);
	assert_false(figure_known(&f));
}
