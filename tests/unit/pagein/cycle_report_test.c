// SPDX-License-Identifier: GPL-3.0-or-later
/* report - what the summary says of the delay by paging out, for runs whose latencies are made up. */
#include "../unit.h"
#include "../said.h"
#include "clock.h"
#include "pagein/pagein.h"

/* First keys after so many ms in memory and paged out, in turn; 0: not answered in a second; below 0: in doubt. */
static const char *summary_of(const int *in_ms, const int *out_ms, size_t each)
{
	static struct cycle_run run[10];
	const struct cycle_cfg cfg = { .n = 1 };
	struct cycle_tally tally = { .of = { [JUDGE_IN_MEMORY] = (int64_t)each, [JUDGE_PAGED_OUT] = (int64_t)each } };
	struct rec_report *r = begin_said(REC_TEXT);

	for (size_t i = 0; i < 2 * each; i++) {
		int ms = (i % 2 ? out_ms : in_ms)[i / 2];

		run[i] = (struct cycle_run){ .verdict.state = i % 2 ? JUDGE_PAGED_OUT : JUDGE_IN_MEMORY,
					     .first = { .answer = { .due_ns = NS_PER_S,
								    .answered_ns = ms ? NS_PER_S + abs(ms) * NS_PER_MS : 0 },
							.asked = true } };
		snprintf(run[i].first.answer.how, sizeof(run[i].first.answer.how), "%s", ms < 0 ? "doubt" : "change");
	}
	report_say_cycles(r, &cfg, run, 2 * each, NS_PER_S, &tally);
	return end_said(r);
}

TEST(a_delay_takes_runs_that_are_apart)
{
	assert_non_null(strstr(summary_of((int[]){ 10, 20, 30 }, (int[]){ 100, 120, 140 }, 3), "first key by 100 ms"));
	/* one of each, which chance puts into this order every other time; two; and three that overlap */
	assert_null(strstr(summary_of((int[]){ 10 }, (int[]){ 100 }, 1), "first key by"));
	assert_null(strstr(summary_of((int[]){ 10, 20 }, (int[]){ 100, 120 }, 2), "first key by"));
	assert_null(strstr(summary_of((int[]){ 10, 20, 101 }, (int[]){ 100, 120, 140 }, 3), "first key by"));
}

TEST(keys_without_an_answer_are_no_exact_times)
{
	/* two of three are later than a second */
	assert_non_null(strstr(summary_of((int[]){ 10, 20, 30 }, (int[]){ 100, 0, 0 }, 3), "more than 980 ms"));
	/* one in memory may have been later than all of those that were paged out */
	assert_null(strstr(summary_of((int[]){ 10, 20, 0 }, (int[]){ 2000, 2100, 2200 }, 3), "first key by"));
}

TEST(keys_in_doubt_are_no_exact_times)
{
	/* two of three are later than 120 ms */
	assert_non_null(strstr(summary_of((int[]){ 10, 20, 30 }, (int[]){ 100, -120, -140 }, 3), "more than 100 ms"));
	/* one in memory may have been as late as those that were paged out */
	assert_null(strstr(summary_of((int[]){ 10, 20, -30 }, (int[]){ 100, 120, 140 }, 3), "first key by"));
}
