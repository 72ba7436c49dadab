// SPDX-License-Identifier: GPL-3.0-or-later
#include "gaps.h"
#include "ascending.h"
#include "chances.h"
#include "random.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#define SEED 20050718

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

/* --- how the figures vary by chance ------------------------------------------------------------------------------ */

struct nulls {
	size_t n;
	double cov[NULLS_DRAWS], lag1[NULLS_DRAWS], ks[NULLS_DRAWS];	/* sorted; the first two times sqrt(n), cov less 1 */
};

/* From sets of `from` gaps to sets of n. */
static void stretch_set(double *z, size_t from, size_t n)
{
	double part = sqrt((double)from / (double)n);

	qsort(z, NULLS_DRAWS, sizeof(*z), ascending_double);
	for (size_t i = 0; i < NULLS_DRAWS && from < n; i++) {
		double normal = chances_normal_inverse(((double)i + 0.5) / NULLS_DRAWS);

		z[i] = normal + (z[i] - normal) * part;
	}
}

/* Stephens' modification, of the exponential distribution with an estimated mean. */
static double ks_modified(double distance, size_t n)
{
	double root = sqrt((double)n);

	return (distance - 0.2 / (double)n) * (root + 0.26 + 0.5 / root);
}

struct nulls *nulls_make(size_t n)
{
	size_t of = n < NULLS_N ? n : NULLS_N, of_ks = n < NULLS_KS_N ? n : NULLS_KS_N;
	struct nulls *t = n < 2 ? NULL : malloc(sizeof(*t));
	double *gap = malloc(NULLS_N * sizeof(*gap));
	uint64_t seed = SEED;

	if (!t || !gap) {
		free(t);
		free(gap);
		return NULL;
	}
	t->n = n;
	for (size_t d = 0; d < NULLS_DRAWS; d++) {
		struct gaps_figures f;
		double mean = 0;

		for (size_t i = 0; i < of; i++)
			gap[i] = -log1p(-random_unit(&seed));
		gaps_figures(gap, of, &f);
		t->cov[d] = (f.cov - 1) * sqrt((double)of);
		t->lag1[d] = f.lag1 * sqrt((double)of);
		for (size_t i = 0; i < of_ks; i++)
			mean += gap[i] / (double)of_ks;
		t->ks[d] = ks_modified(gaps_ks(gap, of_ks, mean), of_ks);
	}
	free(gap);
	stretch_set(t->cov, of, n);
	stretch_set(t->lag1, of, n);
	qsort(t->ks, NULLS_DRAWS, sizeof(*t->ks), ascending_double);
	return t;
}

void nulls_free(struct nulls *t)
{
	free(t);
}

/* How many of the sorted are below `value`. */
static size_t below(const double *z, double value)
{
	size_t low = 0, high = NULLS_DRAWS;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (z[middle] < value)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static double upper(const double *z, double value)
{
	return (double)(NULLS_DRAWS - below(z, value) + 1) / (NULLS_DRAWS + 1);
}

static double both(const double *z, double value)
{
	double high = upper(z, value), low = (double)(below(z, value) + 1) / (NULLS_DRAWS + 1);

	return fmin(1, 2 * fmin(low, high));
}

double nulls_cov(const struct nulls *t, double cov)
{
	return both(t->cov, (cov - 1) * sqrt((double)t->n));
}

double nulls_lag1(const struct nulls *t, double lag1)
{
	return both(t->lag1, lag1 * sqrt((double)t->n));
}

double nulls_ks(const struct nulls *t, double distance)
{
	return upper(t->ks, ks_modified(distance, t->n));
}
