// SPDX-License-Identifier: GPL-3.0-or-later
#include "late.h"

#include <math.h>

void late_add(struct late *l, int64_t ns)
{
	if (ns < 0)
		ns = 0;
	if (l->n == 0 || ns < l->min_ns)
		l->min_ns = ns;
	if (ns > l->max_ns)
		l->max_ns = ns;
	l->n++;
	l->sum_ns += (double)ns;
	if (ns / 1000 < LATE_MOST_US)
		l->count[ns / 1000]++;
	else
		l->over++;
}

double late_mean(const struct late *l)
{
	return l->n ? l->sum_ns / (double)l->n / 1000 : NAN;
}

double late_percentile(const struct late *l, double p)
{
	int64_t wanted = (int64_t)ceil(p * (double)l->n), seen = 0;

	if (l->n == 0 || (p > 0.75 && (double)l->n * (1 - p) < 10))
		return NAN;
	if (wanted < 1)
		wanted = 1;
	for (int64_t us = 0; us < LATE_MOST_US; us++) {
		seen += l->count[us];
		if (seen >= wanted)
			return fmin((double)us + 1, (double)l->max_ns / 1000);
	}
	return (double)l->max_ns / 1000;
}

int64_t late_within(const struct late *l, int64_t us)
{
	int64_t seen = 0;

	for (int64_t i = 0; i < us && i < LATE_MOST_US; i++)
		seen += l->count[i];
	return seen;
}
