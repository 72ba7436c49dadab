// SPDX-License-Identifier: GPL-3.0-or-later
/* wan - keys of a repeat become its median, and medians become a line; on numbers worked out by hand. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdbool.h>
#include <cmocka.h>

#include <math.h>
#include <stdlib.h>

#include "summarize/wan.h"

#define MS 1000000LL

static struct wan_cell cell;

static void add(double ping_ms, const struct key *key, size_t n)
{
	struct keys keys = { .key = (struct key *)(uintptr_t)key, .n = n };

	assert_int_equal(wan_cell_add(&cell, &keys, ping_ms, 100), 0);
}

static struct key exact(int64_t ms)
{
	return (struct key){ .due = 5 * MS, .sent = 5 * MS, .answer = (5 + ms) * MS, .answer_high = (5 + ms) * MS,
			     .censored = KEY_NONE, .number = 1 };
}

static void keys_of_repeats_are_pooled(void **state)
{
	const struct key first[] = { exact(10), exact(30), exact(20) };
	const struct key range = { .due = 0, .sent = 0, .answer = 40 * MS, .answer_high = 900 * MS, .censored = KEY_NONE };
	const struct key none = { .due = 0, .sent = 0, .answer = KEY_NONE, .answer_high = KEY_NONE, .censored = 700 * MS };
	const struct key second[] = { exact(101), range, none };

	(void)state;
	cell = (struct wan_cell){ 0 };
	wan_cell_clear(&cell);
	assert_true(isnan(cell.packets));
	add(50, first, 3);
	add(NAN, second, 3);
	assert_int_equal(cell.repeats, 2);
	assert_true(fabs(cell.p50_ms[0] - 20) < 1e-9);
	assert_true(fabs(cell.p50_ms[1] - 101) < 1e-9);
	assert_int_equal(cell.all.n, 6);
	assert_int_equal(cell.all.censored, 1);
	assert_int_equal(cell.ranged, 1);
	assert_int_equal(cell.late, 2);	/* 101, and later than 700 */
	wan_cell_clear(&cell);
	assert_int_equal(cell.all.n, 0);
	assert_int_equal(cell.repeats, 0);
}

/* By ping where there was one, else as asked for; a median among keys without an echo is no point. */
static void points_of_a_line(void **state)
{
	const struct key twenty = exact(20), none = { .due = 0, .sent = 0, .answer = KEY_NONE, .answer_high = KEY_NONE,
						      .censored = 700 * MS };
	struct wan_line line = { 0 };

	(void)state;
	cell = (struct wan_cell){ .rtt_ms = 50 };
	wan_cell_clear(&cell);
	add(50.5, &twenty, 1);
	add(NAN, &twenty, 1);
	add(51, &none, 1);
	assert_int_equal(wan_line_add(&line, &cell), 0);
	assert_int_equal(line.n, 2);
	assert_true(fabs(line.x[0] - 50.5) < 1e-9 && fabs(line.x[1] - 50) < 1e-9);
	assert_true(fabs(line.y[0] - 20) < 1e-9 && fabs(line.y[1] - 20) < 1e-9);
	wan_cell_clear(&cell);
	free(line.x);
	free(line.y);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(keys_of_repeats_are_pooled),
		cmocka_unit_test(points_of_a_line),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
