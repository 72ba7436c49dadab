// SPDX-License-Identifier: GPL-3.0-or-later
/* late - percentiles of a count by microseconds, from a run of any length. */
#include <math.h>

#include "delayline/delay_hist.h"
#include "../unit.h"

static struct delay_hist late;

TEST(nothing_is_not_known)
{
	late = (struct delay_hist){ 0 };
	assert_true(isnan(delay_hist_percentile(&late, 0.5)));
	assert_true(isnan(delay_hist_mean_us(&late)));
	assert_int_equal(delay_hist_count_below(&late, 100), 0);
}

/* 1 to 1000 us, each once: the p-th is within the microsecond that holds it. */
TEST(evenly_spread)
{
	late = (struct delay_hist){ 0 };
	for (int64_t us = 1; us <= 1000; us++)
		delay_hist_add(&late, us * 1000 - 500);
	assert_int_equal(late.n, 1000);
	assert_true(fabs(delay_hist_mean_us(&late) - 500) < 1e-6);
	assert_true(fabs(delay_hist_percentile(&late, 0.5) - 500) < 1e-9);
	assert_true(fabs(delay_hist_percentile(&late, 0.9) - 900) < 1e-9);
	assert_true(fabs(delay_hist_percentile(&late, 0.99) - 990) < 1e-9);
	assert_true(isnan(delay_hist_percentile(&late, 0.999))); /* one value beyond it */
	assert_int_equal(delay_hist_count_below(&late, 200), 200);
	assert_int_equal(late.max_ns, 999500);
	assert_int_equal(late.min_ns, 500);
}

TEST(far_beyond_is_the_maximum_and_early_is_zero)
{
	late = (struct delay_hist){ 0 };
	delay_hist_add(&late, -5);
	for (int i = 0; i < 99; i++)
		delay_hist_add(&late, (int64_t)3e9 + i);
	assert_int_equal(late.n - delay_hist_count_below(&late, DELAY_HIST_MAX_US), 99);
	assert_int_equal(late.min_ns, 0);
	assert_true(fabs(delay_hist_percentile(&late, 0.5) - (3e9 + 98) / 1000) < 1e-6);
	assert_int_equal(delay_hist_count_below(&late, DELAY_HIST_MAX_US), 1);
}
