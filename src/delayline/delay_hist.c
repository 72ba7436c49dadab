// SPDX-License-Identifier: GPL-3.0-or-later
#include "delay_hist.h"

#include <math.h>

void delay_hist_add(struct delay_hist *l, int64_t ns)
{
	if (ns < 0)
		ns = 0;
	if (l->n == 0 || ns < l->min_ns)
		l->min_ns = ns;
	if (ns > l->max_ns)
		l->max_ns = ns;
	l->n++;
	l->sum_ns += (double)ns;
	if (ns / 1000 < DELAY_HIST_MAX_US)
		l->count[ns / 1000]++;
}

double delay_hist_mean_us(const struct delay_hist *l)
{
	return l->n ? l->sum_ns / (double)l->n / 1000 : NAN;
}

double delay_hist_percentile(const struct delay_hist *l, double p)
{
	int64_t wanted = (int64_t)ceil(p * (double)l->n), seen = 0;

	if (l->n == 0 || (p > 0.75 && (double)l->n * (1 - p) < 10))
		return NAN;
	if (wanted < 1)
		wanted = 1;
	for (int64_t us = 0; us < DELAY_HIST_MAX_US; us++) {
		seen += l->count[us];
		if (seen >= wanted)
			return fmin((double)us + 1, (double)l->max_ns / 1000);
	}
	return (double)l->max_ns / 1000;
}

int64_t delay_hist_count_below(const struct delay_hist *l, int64_t us)
{
	int64_t seen = 0;

	for (int64_t i = 0; i < us && i < DELAY_HIST_MAX_US; i++)
		seen += l->count[i];
	return seen;
}
