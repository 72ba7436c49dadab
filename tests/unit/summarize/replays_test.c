// SPDX-License-Identifier: GPL-3.0-or-later
/* replays - ratios, percentiles and verdicts of made-up replays whose figures follow from arithmetic. */
#include "summarize/replays.h"
#include "../near.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define NONE ((double)NAN)

/* Two repeats of setting 0 (the base) and of setting 1; four responses. At 1 everything takes 2, in
 * the second repeat 8 times as long. */
static size_t setting[] = { 0, 1, 1, 0 };
static int64_t repeat[] = { 1, 1, 2, 2 };
static double total[] = { 10, 10, 11, 10 };
static double latency[] = {
	10, 20, 80, 10,
	20, 40, 160, 20,
	30, 60, 240, 30,
	40, 80, NONE, 40,
};
static struct replays made = { .runs = 4, .responses = 4, .setting = setting, .repeat = repeat,
			       .total_s = total, .latency_ms = latency };

static void pairs_are_of_one_repeat(void **state)
{
	struct replays_figures f;

	(void)state;
	assert_int_equal(replays_figures_of(&made, 1, 0, 1, &f), 0);
	assert_int_equal(f.pairs, 2);
	assert_near(f.ratio.value, 4, 1e-9);		/* the geometric mean of 2 and 8 */
	/* Student's t on logarithms, one degree of freedom: 12.7062 (tables); s of ln 2, ln 8 is ln 4 / sqrt 2 */
	assert_near(f.ratio.high / f.ratio.value, exp(12.7062 * log(4) / 2), 1e-2 * exp(12.7062 * log(4) / 2));
	assert_near(f.total_ratio.value, sqrt(1.1), 1e-9);
	assert_near(f.total_s.value, 10.5, 1e-9);
	assert_int_equal(f.values, 7);
	assert_int_equal(f.missing, 1);
	/* the responses': 4, 4, 4 and, found in the first repeat only, 2 */
	assert_near(f.ratio_p25, 3.5, 1e-9);
	assert_near(f.ratio_p75, 4, 1e-9);
	assert_near(f.ratio_max, 4, 1e-9);
	assert_int_equal(f.points, 4);
	assert_int_equal(f.slower, 4);
	assert_int_equal(f.faster, 0);
}

static void percentiles_are_pooled(void **state)
{
	struct replays_figures f;

	(void)state;
	assert_int_equal(replays_figures_of(&made, 0, 0, 1, &f), 0);
	/* 10 10 20 20 30 30 40 40 */
	assert_near(f.percentile[REPLAYS_P25].value, 17.5, 1e-9);
	assert_near(f.percentile[REPLAYS_P50].value, 25, 1e-9);
	assert_near(f.percentile[REPLAYS_P75].value, 32.5, 1e-9);
	assert_true(isnan(f.percentile[REPLAYS_P90].value));	/* less than ten beyond it */
	assert_near(f.max_ms, 40, 1e-9);
	/* both replays say 25: no spread */
	assert_near(f.percentile[REPLAYS_P50].low, 25, 1e-9);
	assert_near(f.percentile[REPLAYS_P50].high, 25, 1e-9);
	assert_int_equal(f.pairs, 0);
	assert_true(isnan(f.ratio.value) && isnan(f.total_ratio.value));
}

static void a_point_has_what_both_have(void **state)
{
	double ms, base_ms, ratio;
	size_t n;

	(void)state;
	assert_true(replays_point_of(&made, 3, 1, 0, &ms, &base_ms, &ratio, &n));
	assert_int_equal(n, 1);
	assert_near(ms, 80, 1e-9);
	assert_near(ratio, 2, 1e-9);
	assert_true(replays_point_of(&made, 0, 1, 0, &ms, &base_ms, &ratio, &n));
	assert_near(ms, 40, 1e-9);	/* of 20 and 80 */
	assert_false(replays_point_of(&made, 0, 2, 0, &ms, &base_ms, &ratio, &n));
}

static void verdicts_need_five_pairs(void **state)
{
	struct replays_figures f = { .pairs = 4, .ratio = { 3, 2.9, 3.1 } };

	(void)state;
	assert_int_equal(replays_verdict(&f, 0.001), VERDICT_TOO_FEW);
	f.pairs = 5;
	assert_int_equal(replays_verdict(&f, 0.001), VERDICT_WORSE);
	f.ratio = (struct replays_span){ 0.5, 0.4, 0.6 };
	assert_int_equal(replays_verdict(&f, 0.001), VERDICT_BETTER);
	f.ratio = (struct replays_span){ 1.1, 0.9, 1.3 };
	assert_int_equal(replays_verdict(&f, 0.2), VERDICT_NONE);
	f.ratio = (struct replays_span){ 1.1, 0.6, 1.9 };
	assert_int_equal(replays_verdict(&f, 0.2), VERDICT_NOISY);
}

static void nothing_measured_is_nothing_known(void **state)
{
	struct replays none = { 0 };
	struct replays_figures f;

	(void)state;
	assert_int_equal(replays_figures_of(&none, 0, 0, 1, &f), 0);
	assert_true(isnan(f.total_s.value) && isnan(f.percentile[REPLAYS_P50].value));
	assert_int_equal(f.values, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pairs_are_of_one_repeat),
		cmocka_unit_test(percentiles_are_pooled),
		cmocka_unit_test(a_point_has_what_both_have),
		cmocka_unit_test(verdicts_need_five_pairs),
		cmocka_unit_test(nothing_measured_is_nothing_known),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
