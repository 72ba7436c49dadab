// SPDX-License-Identifier: GPL-3.0-or-later
/* pool - against np.percentile on the multiset written out. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "../near.h"
#include "summarize/estimate.h"

/* Run 0 gave 5 1 9 9, run 1 gave 2 7, run 2 gave 4. */
static void make(struct latency_pool *p)
{
	static const struct {
		int64_t value;
		size_t run;
	} all[] = { { 5, 0 }, { 2, 1 }, { 1, 0 }, { 4, 2 }, { 9, 0 }, { 7, 1 }, { 9, 0 } };

	*p = (struct latency_pool){ 0 };
	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
		pool_add_latency(p, all[i].value, all[i].run);
	pool_sort(p);
}

static void quantiles_of_weighted_runs(void **state)
{
	static const double p[] = { 0, 0.1, 0.5, 0.9, 0.99, 1 };
	static const struct { unsigned weight[3]; double wanted[6]; } known[] = {
		{ { 1, 1, 1 }, { 1, 1.6, 5, 9, 9, 9 } },
		{ { 2, 0, 1 }, { 1, 1, 5, 9, 9, 9 } },
		{ { 0, 3, 0 }, { 2, 2, 4.5, 7, 7, 7 } },
		{ { 1, 2, 3 }, { 1, 2, 4, 9, 9, 9 } },
	};
	struct latency_pool pool;

	(void)state;
	make(&pool);
	for (size_t k = 0; k < sizeof(known) / sizeof(*known); k++)
		for (size_t i = 0; i < 6; i++)
			assert_near(pool_weighted_quantile(&pool, known[k].weight, p[i]), known[k].wanted[i], 1e-12);
	pool_free(&pool);
}

static void nothing_has_no_quantile(void **state)
{
	static const unsigned none[3];
	struct latency_pool pool = { 0 };

	(void)state;
	assert_true(isnan(pool_weighted_quantile(&pool, none, 0.5)));
	make(&pool);
	assert_true(isnan(pool_weighted_quantile(&pool, none, 0.5)));
	pool_free(&pool);
	pool_free(&pool);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(quantiles_of_weighted_runs),
		cmocka_unit_test(nothing_has_no_quantile),
	};

	return cmocka_run_group_tests_name("pool", tests, NULL, NULL);
}
