// SPDX-License-Identifier: GPL-3.0-or-later
/* compare - pairs by repeat, the ratio's interval (worked out from the tabulated quantile 2.7764451
 * of Student's t with 4 degrees of freedom), Holm's correction (by hand). */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "clock.h"
#include "../near.h"
#include "summarize/compare.h"
#include "summarize/holm.h"

/* A train of three keys whose median is `ms`. */
static void train(struct train *t, int64_t repeat, double ms)
{
	*t = (struct train){ .repeat = repeat };
	t->keys.key = calloc(3, sizeof(*t->keys.key));
	t->keys.n = 3;
	for (int i = 0; i < 3; i++)
		t->keys.key[i] = (struct key){ .due = 0, .sent = 0, .answer = (int64_t)(ms * 1e6) + (i - 1) * NS_PER_MS,
					       .answer_high = KEY_NONE, .censored = KEY_NONE, .number = i + 1 };
}

static void cell(struct cell *c, const char *setting, const char *part, int64_t sinks, const double *ms,
		 const int64_t *repeat, size_t n)
{
	*c = (struct cell){ .sinks = sinks, .asked_cost_ms = 10 };
	c->protocol = strdup("vnc");
	c->app = strdup("heavy");
	c->setting = strdup(setting);
	c->part = strdup(part);
	c->train[SERIES_LATENCY] = calloc(n ? n : 1, sizeof(struct train));
	c->n[SERIES_LATENCY] = n;
	for (size_t i = 0; i < n; i++)
		train(&c->train[SERIES_LATENCY][i], repeat[i], ms[i]);
}

static const int64_t in_order[] = { 1, 2, 3, 4, 5 }, shuffled[] = { 5, 3, 1, 2, 4 };

static struct run make(size_t n)
{
	struct run r = { .n = n, .cell = calloc(n, sizeof(struct cell)) };

	return r;
}

static void pairs_by_repeat(void **state)
{
	/* twice as early in each repeat, give or take, whatever the order in which they were read: paired in another way the
	 * ratios would be all over the place */
	static const double base[] = { 100, 200, 300, 400, 500 };
	static const double other[] = { 500 * 0.48, 300 * 0.45, 100 * 0.5, 200 * 0.55, 400 * 0.52 };
	struct run r = make(2);
	struct compared *c;
	size_t n;

	(void)state;
	cell(&r.cell[0], "default", "table", 10, base, in_order, 5);
	cell(&r.cell[1], "nice", "table", 10, other, shuffled, 5);
	assert_int_equal(compare_settings(&r, &c, &n), 0);
	assert_int_equal(n, 1);
	assert_int_equal(c[0].pairs, 5);
	assert_near(c[0].ratio, 0.49883619, 1e-7);
	assert_near(c[0].low, 0.45367679, 1e-6);
	assert_near(c[0].high, 0.54849080, 1e-6);
	assert_int_equal(c[0].verdict, VERDICT_BETTER);
	free(c);
	run_free(&r);
}

static void says_nothing_without_enough(void **state)
{
	static const double base[] = { 100, 100, 100, 100, 100 }, half[] = { 50, 50, 50, 50, 50 }, wide[] = { 20, 500, 30, 400, 100 },
			    same[] = { 101, 99, 100, 102, 98 };
	static const int64_t others[] = { 6, 7, 8, 4, 5 };
	struct run r = make(6);
	struct compared *c;
	size_t n;

	(void)state;
	cell(&r.cell[0], "default", "table", 10, base, in_order, 5);
	cell(&r.cell[1], "four", "table", 10, half, in_order, 4);
	cell(&r.cell[2], "other-repeats", "table", 10, half, others, 5);
	cell(&r.cell[3], "other-load", "table", 20, half, in_order, 5);
	cell(&r.cell[4], "noisy", "table", 10, wide, in_order, 5);
	cell(&r.cell[5], "same", "table", 10, same, in_order, 5);
	assert_int_equal(compare_settings(&r, &c, &n), 0);
	assert_int_equal(n, 5);
	assert_int_equal(c[0].verdict, VERDICT_TOO_FEW);
	assert_near(c[0].ratio, 0.5, 1e-9);
	assert_true(isnan(c[0].low));
	assert_int_equal(c[1].pairs, 2);
	assert_int_equal(c[1].verdict, VERDICT_TOO_FEW);
	assert_int_equal(c[2].pairs, 0);	/* no default beside that load */
	assert_true(isnan(c[2].ratio));
	assert_int_equal(c[3].verdict, VERDICT_NOISY);
	assert_int_equal(c[4].verdict, VERDICT_NONE);
	free(c);
	run_free(&r);
}

static void overload_is_no_latency(void **state)
{
	static const double base[] = { 100, 100, 100, 100, 100 }, twice[] = { 200, 200, 200, 200, 200 };
	struct run r = make(2);
	struct compared *c;
	size_t n;

	(void)state;
	cell(&r.cell[0], "default", "table", 10, base, in_order, 5);
	cell(&r.cell[1], "other", "table", 10, twice, in_order, 5);
	assert_int_equal(compare_settings(&r, &c, &n), 0);
	assert_int_equal(c[0].verdict, VERDICT_WORSE);
	free(c);
	r.cell[1].train[SERIES_LATENCY][2].overloaded = true;
	assert_int_equal(compare_settings(&r, &c, &n), 0);
	assert_int_equal(c[0].pairs, 4);
	assert_int_equal(c[0].verdict, VERDICT_TOO_FEW);
	free(c);
	run_free(&r);
}

static void holm(void **state)
{
	double p[] = { 0.01, 0.04, NAN, 0.03, 0.005 }, all[] = { 0.5, 0.6 };

	(void)state;
	assert_int_equal(holm_adjust(p, 5), 0);
	assert_near(p[0], 0.03, 1e-12);
	assert_near(p[1], 0.06, 1e-12);
	assert_true(isnan(p[2]));
	assert_near(p[3], 0.06, 1e-12);
	assert_near(p[4], 0.02, 1e-12);
	assert_int_equal(holm_adjust(all, 2), 0);
	assert_near(all[0], 1, 1e-12);
	assert_near(all[1], 1, 1e-12);
	assert_int_equal(holm_adjust(all, 0), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pairs_by_repeat),
		cmocka_unit_test(says_nothing_without_enough),
		cmocka_unit_test(overload_is_no_latency),
		cmocka_unit_test(holm),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
