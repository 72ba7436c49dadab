// SPDX-License-Identifier: GPL-3.0-or-later
/* paging - runs pooled by what they were judged to be, on numbers worked out by hand. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdbool.h>
#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "summarize/paging.h"

static struct paging_run run_of(enum paging_state state, double first_ms, double evicted, double major_least)
{
	struct paging_run run = { .state = state, .first_ms = first_ms, .second_ms = NAN, .evicted_percent = evicted,
				  .major_least = major_least };

	for (int f = 0; f < PAGING_FIGURES; f++)
		run.of[f] = NAN;
	return run;
}

static void runs_are_pooled_by_what_they_were(void **state)
{
	struct paging_pool p = { 0 };
	struct paging_run run = run_of(PAGING_OUT, 100, 95, 7);

	(void)state;
	run.of[PAGING_SWAP] = 1000;
	paging_pool_add(&p, &run);
	run = run_of(PAGING_OUT, 300, 91, 3);
	run.of[PAGING_SWAP] = 3000;
	paging_pool_add(&p, &run);
	run = run_of(PAGING_OUT, 5000, 99, 9);	/* waited for in vain; nothing else known of it */
	run.first_above = true;
	paging_pool_add(&p, &run);
	run = run_of(PAGING_NOT_EVICTED, NAN, 12, 0);
	strcpy(run.why, "still there");
	paging_pool_add(&p, &run);
	run = run_of(PAGING_NOT_EVICTED, NAN, 50, 0);
	strcpy(run.why, "another");
	paging_pool_add(&p, &run);
	assert_int_equal(p.runs[PAGING_OUT], 3);
	assert_int_equal(p.first[PAGING_OUT].n, 3);
	assert_int_equal(p.first[PAGING_OUT].censored, 1);
	assert_int_equal(p.second[PAGING_OUT].n, 0);
	assert_int_equal(p.runs[PAGING_NOT_EVICTED], 2);
	assert_int_equal(p.first[PAGING_NOT_EVICTED].n, 0);
	assert_int_equal(lround(p.evicted_least[PAGING_OUT]), 91);
	assert_int_equal(lround(p.major_least[PAGING_OUT]), 3);
	assert_int_equal(lround(p.evicted_least[PAGING_NOT_EVICTED]), 12);
	assert_int_equal(p.known[PAGING_OUT][PAGING_SWAP], 2);
	assert_int_equal(lround(p.sum[PAGING_OUT][PAGING_SWAP]), 4000);
	assert_string_equal(p.why, "still there");
	paging_pool_free(&p);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(runs_are_pooled_by_what_they_were),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
