// SPDX-License-Identifier: GPL-3.0-or-later
#include "means.h"
#include "interval.h"
#include "whole.h"

#include <math.h>

#define DRAWS 2000

static double mean(const double *v, size_t n)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += v[i];
	return n ? sum / (double)n : (double)NAN;
}

void means_add(struct means *m, double x)
{
	if (isfinite(x))
		m->v[m->n++] = x;
}

double means_of(const struct means *m)
{
	return mean(m->v, m->n);
}

void means_write(struct rows *t, const struct means *m, double floor, int decimals, int64_t seed)
{
	struct interval i = { NAN, NAN };

	interval_mean(m->v, m->n, DRAWS, (uint64_t)seed, &i);
	whole_number(t, means_of(m), decimals);
	whole_number(t, i.low < floor ? floor : i.low, decimals);
	whole_number(t, i.high, decimals);
}

double means_slope(const double *x, const double *y, size_t n, double *start)
{
	double mx = mean(x, n), my = mean(y, n), xx = 0, xy = 0, slope;

	for (size_t i = 0; i < n; i++) {
		xx += (x[i] - mx) * (x[i] - mx);
		xy += (x[i] - mx) * (y[i] - my);
	}
	slope = xx > 0 ? xy / xx : (double)NAN;
	if (start)
		*start = my - slope * mx;
	return slope;
}
