/* SPDX-License-Identifier: GPL-3.0-or-later */
/* delay_hist - histogram of the delay that the delay line adds itself, in whole microseconds, for a run of any length. Pure.
 *
 * A percentile is the upper edge of its bin: at most 1 us too large, never too small. Beyond DELAY_HIST_MAX_US it is the maximum
 * of all values. */
#pragma once

#include <stdint.h>

#define DELAY_HIST_MAX_US 20000

struct delay_hist {
	int64_t n, max_ns, min_ns;
	double sum_ns;
	int64_t count[DELAY_HIST_MAX_US]; /* count[i]: values from i us to below i + 1 us */
};

void delay_hist_add(struct delay_hist *l, int64_t ns); /* a value below 0 counts as 0 */
/* Microseconds; NAN: no values, or for p above 0.75 fewer than ten values beyond the percentile. */
double delay_hist_percentile(const struct delay_hist *l, double p);
double delay_hist_mean_us(const struct delay_hist *l);
/* Number of values below `us` microseconds (at most DELAY_HIST_MAX_US). */
int64_t delay_hist_count_below(const struct delay_hist *l, int64_t us);
