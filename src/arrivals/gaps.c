// SPDX-License-Identifier: GPL-3.0-or-later
#include "gaps.h"
#include "ascending.h"

#include <math.h>
#include <stdlib.h>

void gaps_figures(const double *gap, size_t n, struct gaps_figures *out)
{
	double sum = 0, squares = 0, products = 0;

	*out = (struct gaps_figures){ 0 };
	for (size_t i = 0; i < n; i++)
		sum += gap[i];
	out->mean = sum / (double)n;
	for (size_t i = 0; i < n; i++) {
		double d = gap[i] - out->mean;

		squares += d * d;
		if (i + 1 < n)
			products += d * (gap[i + 1] - out->mean);
	}
	out->sd = n > 1 ? sqrt(squares / (double)(n - 1)) : 0;
	out->cov = out->mean > 0 ? out->sd / out->mean : 0;
	out->lag1 = squares > 0 ? products / squares : 0;
}

double gaps_ks(double *gap, size_t n, double mean)
{
	double most = 0;

	qsort(gap, n, sizeof(*gap), ascending_double);
	for (size_t i = 0; i < n; i++) {
		double p = -expm1(-gap[i] / mean), above = (double)(i + 1) / (double)n - p, below = p - (double)i / (double)n;

		most = fmax(most, fmax(above, below));
	}
	return most;
}
