// SPDX-License-Identifier: GPL-3.0-or-later
/* report: the overhead e against values computed by hand. */
#include <math.h>

#include "../../../../../tests/unit/unit.h"
#include "../../../../../tests/unit/said.h"
#include "clock.h"
#include "startup/start_report.h"

#define MS NS_PER_MS

TEST(by_hand)
{
	/* 10 s instead of 2: 8 s more, of which 2 s are requests: 6 of 8 */
	assert_near(report_overhead(10000 * MS, 2000 * MS, 100 * MS, 2000 * MS), 0.75, 1e-12);
	assert_near(report_overhead(3000 * MS, 2000 * MS, 10 * MS, 1000 * MS), 0, 1e-12);
	assert_near(report_overhead(3000 * MS, 2000 * MS, 10 * MS, 0), 1, 1e-12);
	/* requests that overlap take more than what was added */
	assert_near(report_overhead(3000 * MS, 2000 * MS, 10 * MS, 1500 * MS), -0.5, 1e-12);
}

TEST(only_beyond_three_spreads)
{
	assert_true(isnan(report_overhead(2300 * MS, 2000 * MS, 100 * MS, 50 * MS)));
	assert_near(report_overhead(2301 * MS, 2000 * MS, 100 * MS, 301 * MS), 0, 1e-12);
	assert_true(isnan(report_overhead(2000 * MS, 2000 * MS, 0, 0)));
	assert_true(isnan(report_overhead(1000 * MS, 2000 * MS, 0, 0)));
}

TEST(not_without_t_io)
{
	assert_true(isnan(report_overhead(10000 * MS, 2000 * MS, 100 * MS, -1)));
}

/* What was read from swap may not be known; and of several starts it is that of the start whose memory is told. */
TEST(what_was_read_from_swap)
{
	static struct run_results run[2];
	static const struct report_cfg cfg = { .cold = false };
	static const int64_t read[] = { -1, 0, 3 << 20 };
	static const char *const words[] = { NULL, "nothing read from swap", "3.00 MiB read from swap" };

	for (size_t i = 0; i < 3; i++) {
		struct rec_report *r = begin_said(REC_TEXT);
		const char *said;

		run[0].result = (struct start_result){ .state = START_STABLE,
						       .memory.resident_bytes = 1 << 20,
						       .moved.read_bytes = 7 << 20 };
		run[1].result = run[0].result;
		run[1].result.moved.read_bytes = read[i];
		report_say_starts(r, &cfg, run, 2, "x");
		said = end_said(r);
		assert_non_null(strstr(said, "resident"));
		if (words[i])
			assert_non_null(strstr(said, words[i]));
		else
			assert_null(strstr(said, "swap"));
	}
}

/* The text has rows for two events, and only says of more where they are. */
TEST(times_of_events)
{
	static char opens[] = "open", cancel[] = "cancel", more[] = "more";
	struct scripted_event event[] = { { .name = opens }, { .name = cancel }, { .name = more } };
	struct event_result times[] = { { START_EVENT_STABLE, 100 * MS, 210 * MS },
					{ START_EVENT_NO_CHANGE, -1, -1 },
					{ START_EVENT_STABLE, 100 * MS, 777 * MS } };
	struct event_script script = { event, 2 };
	struct report_cfg cfg = { .script = &script };
	static struct run_results run[1];
	struct rec_report *r = begin_said(REC_TEXT);
	const char *said;

	run[0].result = (struct start_result){ .state = START_STABLE, .event = times, .moved.read_bytes = -1 };
	report_say_starts(r, &cfg, run, 1, "x");
	said = end_said(r);
	assert_non_null(strstr(said, "open: stable"));
	assert_non_null(strstr(said, "210   ms"));
	assert_null(strstr(said, "cancel"));
	script.n = 3;
	r = begin_said(REC_TEXT);
	report_say_starts(r, &cfg, run, 1, "x");
	said = end_said(r);
	assert_non_null(strstr(said, "times of its 3 events are in \"events\" of --json"));
	assert_null(strstr(said, "777"));
}
