// SPDX-License-Identifier: GPL-3.0-or-later
/* starts - T0 and its spread, e and its interval by closed formula; censored starts; columns in step with what is written. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "../near.h"
#include "summarize/starts.h"

static struct starts_run start(double stable_ms, double io_ms)
{
	struct starts_run r = { .stable_ms = stable_ms };

	for (int f = 0; f < STARTS_FIGURES; f++)
		r.of[f] = NAN;
	r.of[STARTS_IO] = io_ms;
	return r;
}

static void add(struct starts_pool *p, double stable_ms, double io_ms)
{
	struct starts_run r = start(stable_ms, io_ms);

	assert_true(starts_pool_add(p, &r));
}

static void t0_is_the_median_and_its_spread_the_standard_deviation(void **state)
{
	struct starts_pool p = { 0 };
	struct starts_base b;

	(void)state;
	add(&p, 1000, 0);
	add(&p, 1030, 0);
	add(&p, 1010, 0);
	b = starts_base_of(&p);
	assert_near(b.t0_ms, 1010, 1e-9);
	/* deviations from 1013.333: 177.78 + 277.78 + 11.11 over 2 */
	assert_near(b.spread_ms, sqrt(700.0 / 3), 1e-6);
	starts_pool_free(&p);
}

static void e_is_what_input_and_output_do_not_explain(void **state)
{
	const struct starts_base base = { 1000, 10 };
	struct starts_pool p = { 0 };
	struct starts_share s;

	(void)state;
	add(&p, 2000, 250);
	add(&p, 2000, 500);
	add(&p, 2000, 750);
	s = starts_share_of(&p, &base);
	assert_near(s.e, 0.5, 1e-9);
	/* 0.75, 0.5, 0.25: mean 0.5, sd 0.25; t(2, 0.975) = 4.3026527 */
	assert_near(s.low, 0.5 - 4.3026527 * 0.25 / sqrt(3), 1e-6);
	assert_near(s.high, 0.5 + 4.3026527 * 0.25 / sqrt(3), 1e-6);
	starts_pool_free(&p);
}

static void requests_that_overlapped_make_e_negative(void **state)
{
	const struct starts_base base = { 1000, 10 };
	struct starts_pool p = { 0 };

	(void)state;
	add(&p, 1500, 1500);
	assert_near(starts_share_of(&p, &base).e, -2, 1e-9);
	assert_true(isnan(starts_share_of(&p, &base).low));
	starts_pool_free(&p);
}

static void within_three_spreads_of_t0_there_is_no_e(void **state)
{
	struct starts_base base = { 1000, 100 };
	struct starts_pool p = { 0 };

	(void)state;
	add(&p, 1300, 10);
	assert_true(isnan(starts_share_of(&p, &base).e));
	base.spread_ms = 99.9;
	assert_near(starts_share_of(&p, &base).e, 290.0 / 300, 1e-9);
	base.spread_ms = NAN;	/* one start without pressure has no spread */
	assert_true(isnan(starts_share_of(&p, &base).e));
	base = (struct starts_base){ NAN, NAN };
	assert_true(isnan(starts_share_of(&p, &base).e));
	starts_pool_free(&p);
}

static void a_median_at_the_ceiling_has_no_e(void **state)
{
	const struct starts_base base = { 1000, 10 };
	struct starts_run late = start(30000, 10);
	struct starts_pool p = { 0 };

	(void)state;
	late.above = true;
	add(&p, 5000, 100);
	assert_true(starts_pool_add(&p, &late));
	assert_true(starts_pool_add(&p, &late));
	assert_int_equal(p.stable.censored, 2);
	assert_true(isnan(starts_share_of(&p, &base).e));
	add(&p, 5000, 100);
	add(&p, 5000, 100);
	assert_near(starts_share_of(&p, &base).e, 3900.0 / 4000, 1e-9);
	assert_int_equal(p.both, 3);
	starts_pool_free(&p);
}

static void events_are_found_by_name_and_do_not_overflow(void **state)
{
	struct starts_pool p = { 0 };
	struct starts_event *e = starts_event_find(&p, "File/Open");
	char name[80];

	(void)state;
	assert_non_null(e);
	assert_ptr_equal(starts_event_find(&p, "File/Open"), e);
	memset(name, 'x', 79);
	name[79] = '\0';
	assert_null(starts_event_find(&p, name));
	for (int i = 1; i < STARTS_EVENTS; i++) {
		snprintf(name, sizeof(name), "event %d", i);
		assert_non_null(starts_event_find(&p, name));
	}
	assert_null(starts_event_find(&p, "one too many"));
	starts_pool_free(&p);
}

static void rows_have_as_many_cells_as_columns(void **state)
{
	const struct starts_cell c = { "cell", "app", "warm", "none", "none", 0 };
	const struct starts_base none = { NAN, NAN };
	struct starts_run r = start(10, 1);
	struct starts_pool p = { 0 };
	struct rows *t;

	(void)state;
	assert_true(starts_pool_add(&p, &r));
	assert_non_null(starts_event_find(&p, "an event"));
	t = rows_open("/dev/null", "startup/1", starts_summary_columns);
	assert_non_null(t);
	starts_write_cell(t, &c, &p, &none, 1);
	assert_int_equal(rows_close(t), 0);
	t = rows_open("/dev/null", "startup-events/1", starts_event_columns);
	assert_non_null(t);
	starts_write_events(t, &c, &p, 1);
	assert_int_equal(rows_close(t), 0);
	t = rows_open("/dev/null", "startup-run/1", starts_run_columns);
	assert_non_null(t);
	starts_write_run(t, &c, 1, 1, &r);
	assert_int_equal(rows_close(t), 0);
	starts_pool_free(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(t0_is_the_median_and_its_spread_the_standard_deviation),
		cmocka_unit_test(e_is_what_input_and_output_do_not_explain),
		cmocka_unit_test(requests_that_overlapped_make_e_negative),
		cmocka_unit_test(within_three_spreads_of_t0_there_is_no_e),
		cmocka_unit_test(a_median_at_the_ceiling_has_no_e),
		cmocka_unit_test(events_are_found_by_name_and_do_not_overflow),
		cmocka_unit_test(rows_have_as_many_cells_as_columns),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
