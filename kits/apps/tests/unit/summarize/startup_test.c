// SPDX-License-Identifier: GPL-3.0-or-later
/* startup - e and its interval by closed formula. */
#include <math.h>

#include "../../../../../tests/unit/near.h"
#include "summarize/startup.h"
#include "../../../../../tests/unit/unit.h"

static void add(struct startup_trials *s, double startup_ms, double io_ms, bool above)
{
	struct trial *t = trials_add(&s->starts, 1, 1);

	assert_non_null(t);
	trials_set_value(t, STARTUP_TIME, startup_ms, above);
	trials_set_value(t, STARTUP_IO, io_ms, false);
}

TEST(e_is_what_input_and_output_do_not_explain)
{
	struct startup_trials s = { 0 };
	struct figure e;

	add(&s, 2000, 250, false);
	add(&s, 2000, 500, false);
	add(&s, 2000, 750, false);
	e = startup_added_share(&s, (struct startup_base){ 1000, 10 });
	assert_near(e.value, 0.5, 1e-9);
	/* 0.75, 0.5, 0.25: mean 0.5, sd 0.25; t(2, 0.975) = 4.3026527 */
	assert_near(e.low, 0.5 - 4.3026527 * 0.25 / sqrt(3), 1e-6);
	assert_near(e.high, 0.5 + 4.3026527 * 0.25 / sqrt(3), 1e-6);
	free(s.starts.of);
}

TEST(requests_that_overlapped_make_e_negative)
{
	struct startup_trials s = { 0 };
	struct figure e;

	add(&s, 1500, 1500, false);
	e = startup_added_share(&s, (struct startup_base){ 1000, 10 });
	assert_near(e.value, -2, 1e-9);
	assert_true(isnan(e.low));
	free(s.starts.of);
}

TEST(within_three_spreads_of_t0_there_is_no_e)
{
	struct startup_trials s = { 0 };

	add(&s, 1300, 10, false);
	assert_true(isnan(startup_added_share(&s, (struct startup_base){ 1000, 100 }).value));
	assert_near(startup_added_share(&s, (struct startup_base){ 1000, 99.9 }).value, 290.0 / 300, 1e-9);
	/* one start without pressure has no spread */
	assert_true(isnan(startup_added_share(&s, (struct startup_base){ 1000, NAN }).value));
	assert_true(isnan(startup_added_share(&s, (struct startup_base){ NAN, NAN }).value));
	free(s.starts.of);
}

TEST(a_median_at_the_ceiling_has_no_e)
{
	const struct startup_base base = { 1000, 10 };
	struct startup_trials s = { 0 };

	add(&s, 5000, 100, false);
	add(&s, 30000, 10, true);
	add(&s, 30000, 10, true);
	assert_true(isnan(startup_added_share(&s, base).value));
	add(&s, 5000, 100, false);
	add(&s, 5000, 100, false);
	assert_near(startup_added_share(&s, base).value, 3900.0 / 4000, 1e-9);
	assert_true(isnan(startup_added_share(&s, base).low));
	free(s.starts.of);
}
