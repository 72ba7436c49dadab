// SPDX-License-Identifier: GPL-3.0-or-later
/* report: the overhead e against values computed by hand. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdbool.h>
#include <math.h>
#include <string.h>
#include <cmocka.h>

#include "../../../../../tests/unit/near.h"
#include "../../../../../tests/unit/said.h"
#include "clock.h"
#include "startup/report.h"

#define MS NS_PER_MS

static void by_hand(void **state)
{
	(void)state;
	/* 10 s instead of 2: 8 s more, of which 2 s are requests: 6 of 8 */
	assert_near(memory_management_share_of_swap_ns(10000 * MS, 2000 * MS, 100 * MS, 2000 * MS), 0.75, 1e-12);
	assert_near(memory_management_share_of_swap_ns(3000 * MS, 2000 * MS, 10 * MS, 1000 * MS), 0, 1e-12);
	assert_near(memory_management_share_of_swap_ns(3000 * MS, 2000 * MS, 10 * MS, 0), 1, 1e-12);
	/* requests that overlap take more than what was added */
	assert_near(memory_management_share_of_swap_ns(3000 * MS, 2000 * MS, 10 * MS, 1500 * MS), -0.5, 1e-12);
}

static void only_beyond_three_spreads(void **state)
{
	(void)state;
	assert_true(isnan(memory_management_share_of_swap_ns(2300 * MS, 2000 * MS, 100 * MS, 50 * MS)));
	assert_near(memory_management_share_of_swap_ns(2301 * MS, 2000 * MS, 100 * MS, 301 * MS), 0, 1e-12);
	assert_true(isnan(memory_management_share_of_swap_ns(2000 * MS, 2000 * MS, 0, 0)));
	assert_true(isnan(memory_management_share_of_swap_ns(1000 * MS, 2000 * MS, 0, 0)));
}

static void not_without_t_io(void **state)
{
	(void)state;
	assert_true(isnan(memory_management_share_of_swap_ns(10000 * MS, 2000 * MS, 100 * MS, -1)));
}

/* What was read from swap may not be known; and of several starts it is that of the start whose memory is told. */
static void what_was_read_from_swap(void **state)
{
	static struct startup_run_results run[2];
	static const struct startup_report_cfg cfg = { .cold = false };
	static const int64_t read[] = { -1, 0, 3 << 20 };
	static const char *const words[] = { NULL, "nothing read from swap", "3.00 MiB read from swap" };

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		struct rec_report *r = begin_said(REC_TEXT);
		const char *said;

		run[0].result = (struct start_result){ .state = START_STABLE, .memory.resident_bytes = 1 << 20, .moved.read_bytes = 7 << 20 };
		run[1].result = run[0].result;
		run[1].result.moved.read_bytes = read[i];
		say_starts(r, &cfg, run, 2, "x");
		said = end_said(r);
		assert_non_null(strstr(said, "resident"));
		if (words[i])
			assert_non_null(strstr(said, words[i]));
		else
			assert_null(strstr(said, "swap"));
	}
}

static void delays_that_were_never_read_are_not_0(void **state)
{
	static const struct startup_report_cfg cfg = { .delays = true };
	static struct startup_run_results run;

	(void)state;
	for (run.result.delay_readings = 0; run.result.delay_readings < 2; run.result.delay_readings++) {
		struct rec_report *r = begin_said(REC_JSON);

		report_starts(r, &cfg, &run, 1);
		assert_non_null(strstr(end_said(r), run.result.delay_readings ? "\"blkio_delay_ms\": 0.000" : "\"blkio_delay_ms\": null"));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(by_hand),
		cmocka_unit_test(only_beyond_three_spreads),
		cmocka_unit_test(not_without_t_io),
		cmocka_unit_test(what_was_read_from_swap),
		cmocka_unit_test(delays_that_were_never_read_are_not_0),
	};

	return cmocka_run_group_tests_name("report", tests, NULL, NULL);
}
