// SPDX-License-Identifier: GPL-3.0-or-later
#include "medians.h"
#include "interval.h"

#include <math.h>
#include <stdlib.h>

#define INTERVAL_RUNS 3		/* two tell nothing but that they are two */

/* The median of a resample: value i, of ascending ones, stands there weight[i] times. */
static double weighted_median(const unsigned *weight, size_t n, void *data)
{
	const double *value = data;
	size_t total = 0, seen = 0;
	double low = NAN;

	for (size_t i = 0; i < n; i++)
		total += weight[i];
	for (size_t i = 0; i < n; i++) {
		seen += weight[i];
		if (isnan(low) && 2 * seen >= total && weight[i])
			low = value[i];
		if (2 * seen > total)
			return (low + value[i]) / 2;
	}
	return low;
}

bool medians_interval(struct sample *s, size_t draws, uint64_t seed, double *low, double *high)
{
	double median = sample_quantile(s, 0.5).value;	/* sorts */
	struct interval i = { NAN, NAN };
	double *value = s->n >= INTERVAL_RUNS ? calloc(s->n, sizeof(*value)) : NULL;
	bool there;

	if (!value)
		return false;
	for (size_t k = 0; k < s->n; k++)
		value[k] = (double)s->value[k];
	there = s->n >= INTERVAL_BOOTSTRAP_FROM ? interval_bca(weighted_median, value, s->n, draws, seed, &i)
						: interval_t_log(value, s->n, &i);
	free(value);
	if (!there)
		return false;
	*low = fmin(i.low, median);
	*high = fmax(i.high, median);
	return true;
}
