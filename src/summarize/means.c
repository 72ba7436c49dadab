// SPDX-License-Identifier: GPL-3.0-or-later
#include "means.h"

#include <math.h>

static double mean(const double *v, size_t n)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += v[i];
	return n ? sum / (double)n : (double)NAN;
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
