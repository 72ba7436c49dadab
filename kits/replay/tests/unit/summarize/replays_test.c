// SPDX-License-Identifier: GPL-3.0-or-later
/* replays - ratios, percentiles and verdicts of made-up replays whose figures follow from arithmetic. */
#include "summarize/replays.h"
#include "../../../../../tests/unit/near.h"

#include <math.h>
#include "../../../../../tests/unit/unit.h"

#define NONE ((double)NAN)

/* Two repeats of the base and of a slow setting; four responses. There everything takes 2, in the second
 * repeat 8 times as long. */
static double base_1[] = { 10, 20, 30, 40 }, slow_1[] = { 20, 40, 60, 80 }, slow_2[] = { 80, 160, 240, NONE },
	      base_2[] = { 10, 20, 30, 40 };
static const struct session_replay base_of[] = { { 1, 10, base_1, NONE, NONE }, { 2, 10, base_2, NONE, NONE } };
static const struct session_replay slow_of[] = { { 1, 10, slow_1, NONE, NONE }, { 2, 11, slow_2, NONE, NONE } };
static const struct setting_replays base = { base_of, 2, 4 }, slow = { slow_of, 2, 4 }, none = { NULL, 0, 4 };

TEST(pairs_are_of_one_repeat)
{
	struct figure f[REPLAYS_FIGURES];

	replays_compute(&slow, &base, 60, 2000, 1, f);
	assert_int_equal(f[REPLAYS_PAIRS].value, 2);
	assert_near(f[REPLAYS_RATIO].value, 4, 1e-9); /* the geometric mean of 2 and 8 */
	assert_true(isnan(f[REPLAYS_RATIO].high));    /* of two */
	assert_near(f[REPLAYS_TOTAL_RATIO].value, sqrt(1.1), 1e-9);
	assert_int_equal(f[REPLAYS_RESPONSES].value, 7);
	assert_int_equal(f[REPLAYS_MISSING].value, 1);
	/* of 20 40 60 80 80 160 240 four are over 60 */
	assert_near(f[REPLAYS_LATE].value, 400.0 / 7, 1e-9);
	/* the responses': 4, 4, 4 and, found in the first repeat only, 2 */
	assert_near(f[REPLAYS_RATIO_P25].value, 3.5, 1e-9);
	assert_near(f[REPLAYS_RATIO_P75].value, 4, 1e-9);
	assert_near(f[REPLAYS_RATIO_MAX].value, 4, 1e-9);
	assert_int_equal(f[REPLAYS_POINTS].value, 4);
	assert_int_equal(f[REPLAYS_SLOWER_POINTS].value, 4);
	assert_int_equal(f[REPLAYS_FASTER_POINTS].value, 0);
}

TEST(percentiles_are_pooled)
{
	struct figure f[REPLAYS_FIGURES];

	replays_compute(&base, NULL, 40, 2000, 1, f);
	/* 10 10 20 20 30 30 40 40 */
	assert_near(f[REPLAYS_P25].value, 17.5, 1e-9);
	assert_near(f[REPLAYS_P50].value, 25, 1e-9);
	assert_near(f[REPLAYS_P75].value, 32.5, 1e-9);
	assert_true(isnan(f[REPLAYS_P90].value)); /* less than ten beyond it */
	assert_near(f[REPLAYS_MAX].value, 40, 1e-9);
	assert_near(f[REPLAYS_LATE].value, 0, 1e-9); /* what takes as long as the threshold is not late */
	assert_true(isnan(f[REPLAYS_P50].low));	     /* two replays */
	assert_int_equal(f[REPLAYS_PAIRS].value, 0);
	assert_true(isnan(f[REPLAYS_RATIO].value) && isnan(f[REPLAYS_TOTAL_RATIO].value));
}

TEST(a_point_has_what_both_have)
{
	struct response_means p;

	p = replays_response_means(&slow, &base, 3);
	assert_int_equal(p.n, 1);
	assert_near(p.ms, 80, 1e-9);
	assert_near(p.ratio, 2, 1e-9);
	p = replays_response_means(&slow, &base, 0);
	assert_near(p.ms, 40, 1e-9); /* of 20 and 80 */
	assert_int_equal(replays_response_means(&none, &base, 0).n, 0);
}

static const char *verdict(double p, double ratio, double low, double high)
{
	struct figure f = figure_estimate(ratio, low, high);

	return interval_ratio_word(&f, p);
}

TEST(verdicts_need_five_pairs)
{
	assert_string_equal(verdict(NAN, 3, 2.9, 3.1), "too few runs");
	assert_string_equal(verdict(0.001, 3, 2.9, 3.1), "worse");
	assert_string_equal(verdict(0.001, 0.5, 0.4, 0.6), "better");
	assert_string_equal(verdict(0.2, 1.1, 0.9, 1.3), "no difference shown");
	assert_string_equal(verdict(0.2, 1.1, 0.6, 1.9), "too noisy");
}

TEST(nothing_measured_is_nothing_known)
{
	struct figure f[REPLAYS_FIGURES];

	replays_compute(&none, &none, 100, 2000, 1, f);
	assert_true(isnan(f[REPLAYS_TOTAL_RATIO].value) && isnan(f[REPLAYS_P50].value));
	assert_int_equal(f[REPLAYS_RESPONSES].value, 0);
}
