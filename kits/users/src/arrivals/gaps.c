// SPDX-License-Identifier: GPL-3.0-or-later
#include "gaps.h"
#include "ascending.h"
#include "memory.h"
#include "random.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_fft_real.h>
#include <gsl/gsl_randist.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#define SEED 20050718

void gaps_compute_statistics(const double *gap, size_t n, struct gaps_statistics *out)
{
	double sum = 0, squares = 0, products = 0;

	*out = (struct gaps_statistics){ 0 };
	for (size_t i = 0; i < n; i++)
		sum += gap[i];
	out->mean = sum / (double)n;
	for (size_t i = 0; i < n; i++) {
		double d = gap[i] - out->mean;

		squares += d * d;
		if (i + 1 < n)
			products += d * (gap[i + 1] - out->mean);
	}
	out->sd = n > 1 ? sqrt(squares / (double)(n - 1)) : (double)NAN;
	out->cov = out->mean > 0 ? out->sd / out->mean : (double)NAN;
	out->lag1 = squares > 0 ? products / squares : 0;
}

static double ascending_ks_distance(const double *gap, size_t n, double mean)
{
	double most = 0;

	for (size_t i = 0; i < n; i++) {
		double p = -expm1(-gap[i] / mean), above = (double)(i + 1) / (double)n - p, below = p - (double)i / (double)n;

		most = fmax(most, fmax(above, below));
	}
	return most;
}

double gaps_ks_distance(double *gap, size_t n, double mean)
{
	qsort(gap, n, sizeof(*gap), ascending_double);
	return ascending_ks_distance(gap, n, mean);
}

/* --- how the figures vary by chance ------------------------------------------------------------------------------ */

struct gap_nulls {
	size_t n;
	/* sorted; cov - 1 and lag1 are multiplied by sqrt(n) */
	double cov[NULL_DISTS_DRAWS], lag1[NULL_DISTS_DRAWS], ks[NULL_DISTS_DRAWS];
};

/* Rescales simulated values from sets of `from` gaps to sets of n gaps. */
static void rescale_draws(double *z, size_t from, size_t n)
{
	double part = sqrt((double)from / (double)n);

	qsort(z, NULL_DISTS_DRAWS, sizeof(*z), ascending_double);
	for (size_t i = 0; i < NULL_DISTS_DRAWS && from < n; i++) {
		double normal = gsl_cdf_ugaussian_Pinv(((double)i + 0.5) / NULL_DISTS_DRAWS);

		z[i] = normal + (z[i] - normal) * part;
	}
}

/* Stephens' modification for the exponential distribution with an estimated mean. */
static double scale_ks_distance(double distance, size_t n)
{
	double root = sqrt((double)n);

	return (distance - 0.2 / (double)n) * (root + 0.26 + 0.5 / root);
}

struct gap_nulls *nulls_simulate(size_t n)
{
	size_t of = n < NULL_DISTS_GAPS ? n : NULL_DISTS_GAPS, of_ks = n < NULL_DISTS_KS_GAPS ? n : NULL_DISTS_KS_GAPS;
	struct gap_nulls *t = memory_new(1, sizeof(*t));
	double *gap = memory_new(NULL_DISTS_GAPS, sizeof(*gap));
	uint64_t seed = SEED;

	t->n = n;
	for (size_t d = 0; d < NULL_DISTS_DRAWS; d++) {
		struct gaps_statistics f;
		double mean = 0;

		for (size_t i = 0; i < of; i++)
			gap[i] = -log(1 - random_fraction(&seed));
		gaps_compute_statistics(gap, of, &f);
		t->cov[d] = (f.cov - 1) * sqrt((double)of);
		t->lag1[d] = f.lag1 * sqrt((double)of);
		for (size_t i = 0; i < of_ks; i++) {
			mean += gap[i] / (double)of_ks;
			/* ascending gaps differ by exponential ones of these means, and have the same sum (Renyi 1953) */
			gap[i] = gap[i] / (double)(of_ks - i) + (i ? gap[i - 1] : 0);
		}
		t->ks[d] = scale_ks_distance(ascending_ks_distance(gap, of_ks, mean), of_ks);
	}
	free(gap);
	rescale_draws(t->cov, of, n);
	rescale_draws(t->lag1, of, n);
	qsort(t->ks, NULL_DISTS_DRAWS, sizeof(*t->ks), ascending_double);
	return t;
}

/* Returns how many of the sorted values are below `value`. */
static size_t count_below(const double *z, double value)
{
	size_t n = 0;

	while (n < NULL_DISTS_DRAWS && z[n] < value)
		n++;
	return n;
}

static double upper_tail_p(const double *z, double value)
{
	return (double)(NULL_DISTS_DRAWS - count_below(z, value) + 1) / (NULL_DISTS_DRAWS + 1);
}

static double two_sided_p(const double *z, double value)
{
	double high = upper_tail_p(z, value), low = (double)(count_below(z, value) + 1) / (NULL_DISTS_DRAWS + 1);

	return fmin(1, 2 * fmin(low, high));
}

double nulls_cov_p(const struct gap_nulls *t, double cov)
{
	return two_sided_p(t->cov, (cov - 1) * sqrt((double)t->n));
}

double nulls_lag1_p(const struct gap_nulls *t, double lag1)
{
	return two_sided_p(t->lag1, lag1 * sqrt((double)t->n));
}

double nulls_ks_p(const struct gap_nulls *t, double distance)
{
	return upper_tail_p(t->ks, scale_ks_distance(distance, t->n));
}

double chances_chi2_p(double value, double freedom)
{
	return fmin(1, 2 * fmin(gsl_cdf_chisq_P(value, freedom), gsl_cdf_chisq_Q(value, freedom)));
}

double chances_poisson_count_p(unsigned count, double mean)
{
	return gsl_ran_poisson_pdf(count, mean);
}

void chances_spectrum(double *value, size_t n)
{
	gsl_fft_real_radix2_transform(value, 1, n);
	/* GSL puts the real parts at the front, the imaginary parts at the back */
	value[0] *= value[0];
	for (size_t k = 1; k < n / 2; k++)
		value[k] = value[k] * value[k] + value[n - k] * value[n - k];
}
