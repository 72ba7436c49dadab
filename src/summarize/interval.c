// SPDX-License-Identifier: GPL-3.0-or-later
#include "interval.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_errno.h>
#include <gsl/gsl_rng.h>
#include <math.h>
#include <stdlib.h>

#define TAIL ((1 - INTERVAL_LEVEL) / 2)

/* GSL would abort where one of its inversions does not converge; here that is "no interval". */
static void no_abort(void)
{
	gsl_set_error_handler_off();
}

bool interval_t(const double *value, size_t n, struct interval *out)
{
	double mean = 0, squares = 0, half;

	if (n < 2)
		return false;
	for (size_t i = 0; i < n; i++) {
		if (!isfinite(value[i]))
			return false;
		mean += (value[i] - mean) / (double)(i + 1);
	}
	for (size_t i = 0; i < n; i++)
		squares += (value[i] - mean) * (value[i] - mean);
	no_abort();
	half = gsl_cdf_tdist_Pinv(1 - TAIL, (double)(n - 1)) * sqrt(squares / (double)(n - 1) / (double)n);
	*out = (struct interval){ mean - half, mean + half };
	return isfinite(half);
}

double interval_t_p(const double *value, size_t n)
{
	double mean = 0, squares = 0, error;

	for (size_t i = 0; i < n; i++)
		mean += (value[i] - mean) / (double)(i + 1);
	for (size_t i = 0; i < n; i++)
		squares += (value[i] - mean) * (value[i] - mean);
	if (n < 2 || !isfinite(squares))
		return NAN;
	error = sqrt(squares / (double)(n - 1) / (double)n);
	if (!(error > 0))
		return mean == 0 ? 1 : 0;
	no_abort();
	return 2 * gsl_cdf_tdist_Q(fabs(mean) / error, (double)(n - 1));
}

bool interval_slope(const double *x, const double *y, size_t n, struct interval *out)
{
	double mx = 0, my = 0, xx = 0, xy = 0, slope, squares = 0, half;

	if (n < 3)
		return false;
	for (size_t i = 0; i < n; i++) {
		mx += (x[i] - mx) / (double)(i + 1);
		my += (y[i] - my) / (double)(i + 1);
	}
	for (size_t i = 0; i < n; i++) {
		xx += (x[i] - mx) * (x[i] - mx);
		xy += (x[i] - mx) * (y[i] - my);
	}
	slope = xy / xx;
	for (size_t i = 0; i < n; i++)
		squares += pow(y[i] - my - slope * (x[i] - mx), 2);
	if (!(xx > 0) || !isfinite(squares))
		return false;
	no_abort();
	half = gsl_cdf_tdist_Pinv(1 - TAIL, (double)(n - 2)) * sqrt(squares / (double)(n - 2) / xx);
	*out = (struct interval){ slope - half, slope + half };
	return isfinite(half);
}

bool interval_t_log(const double *value, size_t n, struct interval *out)
{
	double *logs = malloc((n ? n : 1) * sizeof(*logs));
	bool ok = logs != NULL;

	for (size_t i = 0; ok && i < n; i++) {
		ok = value[i] > 0;
		logs[i] = ok ? log(value[i]) : 0;
	}
	ok = ok && interval_t(logs, n, out);
	if (ok)
		*out = (struct interval){ exp(out->low), exp(out->high) };
	free(logs);
	return ok;
}

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Type 7, as everywhere in the suite. */
static double quantile(const double *sorted, size_t n, double p)
{
	double at = (double)(n - 1) * p, low = floor(at);
	size_t i = (size_t)low;

	return i + 1 < n ? sorted[i] + (at - low) * (sorted[i + 1] - sorted[i]) : sorted[n - 1];
}

/* How far the bootstrap's median lies from the figure. Ties count half on either side: figures on a grid (shares of
 * 100 keys) have many. Never quite 0 or 1, whose normal quantile would be infinite. */
static double bias(double figure, const double *sorted, size_t n)
{
	double below = 0, share, edge = 0.5 / (double)n;

	for (size_t i = 0; i < n; i++)
		below += sorted[i] < figure ? 1 : sorted[i] == figure ? 0.5 : 0;
	share = below / (double)n;
	share = share < edge ? edge : share > 1 - edge ? 1 - edge : share;
	return gsl_cdf_ugaussian_Pinv(share);
}

static double acceleration(const double *without, size_t runs)
{
	double mean = 0, squares = 0, cubes = 0;

	for (size_t i = 0; i < runs; i++)
		mean += without[i] / (double)runs;
	for (size_t i = 0; i < runs; i++) {
		double d = mean - without[i];

		squares += d * d;
		cubes += d * d * d;
	}
	return squares > 0 ? cubes / (6 * pow(squares, 1.5)) : 0;
}

bool interval_bca_from(double figure, double *replicate, size_t draws, const double *without, size_t runs,
		       struct interval *out)
{
	double end[2], z0, a;

	if (!isfinite(figure) || !draws || runs < 2)
		return false;
	for (size_t i = 0; i < draws; i++)
		if (!isfinite(replicate[i]))
			return false;
	for (size_t i = 0; i < runs; i++)
		if (!isfinite(without[i]))
			return false;
	qsort(replicate, draws, sizeof(*replicate), ascending);
	z0 = bias(figure, replicate, draws);
	a = acceleration(without, runs);
	for (int side = 0; side < 2; side++) {
		double z = z0 + gsl_cdf_ugaussian_Pinv(side ? 1 - TAIL : TAIL);
		double p = gsl_cdf_ugaussian_P(z0 + z / (1 - a * z));

		end[side] = quantile(replicate, draws, p);
	}
	*out = (struct interval){ end[0], end[1] };
	return true;
}

bool interval_bca(interval_figure *figure, void *data, size_t runs, size_t draws, uint64_t seed, struct interval *out)
{
	gsl_rng *rng = (no_abort(), gsl_rng_alloc(gsl_rng_mt19937));
	unsigned *weight = calloc(runs ? runs : 1, sizeof(*weight));
	double *replicate = calloc(draws ? draws : 1, sizeof(*replicate));
	double *without = calloc(runs ? runs : 1, sizeof(*without));
	bool ok = rng && weight && replicate && without && runs >= 2;

	if (ok) {
		double all;

		gsl_rng_set(rng, (unsigned long)seed);
		for (size_t i = 0; i < runs; i++)
			weight[i] = 1;
		all = figure(weight, runs, data);
		for (size_t i = 0; i < runs; i++) {
			weight[i] = 0;
			without[i] = figure(weight, runs, data);
			weight[i] = 1;
		}
		for (size_t d = 0; d < draws; d++) {
			for (size_t i = 0; i < runs; i++)
				weight[i] = 0;
			for (size_t i = 0; i < runs; i++)
				weight[gsl_rng_uniform_int(rng, runs)]++;
			replicate[d] = figure(weight, runs, data);
		}
		ok = interval_bca_from(all, replicate, draws, without, runs, out);
	}
	free(without);
	free(replicate);
	free(weight);
	if (rng)
		gsl_rng_free(rng);
	return ok;
}

static double weighted_mean(const unsigned *weight, size_t runs, void *data)
{
	const double *value = data;
	double sum = 0, n = 0;

	for (size_t i = 0; i < runs; i++) {
		sum += weight[i] * value[i];
		n += weight[i];
	}
	return n > 0 ? sum / n : (double)NAN;
}

bool interval_mean(const double *value, size_t n, size_t draws, uint64_t seed, struct interval *out)
{
	if (n < INTERVAL_BOOTSTRAP_FROM)
		return interval_t(value, n, out);
	return interval_bca(weighted_mean, (void *)(uintptr_t)value, n, draws, seed, out);
}

bool interval_share(size_t hits, size_t n, struct interval *out)
{
	double k = (double)hits, m = (double)n, tail = hits && hits < n ? TAIL : 1 - INTERVAL_LEVEL;

	if (!n || hits > n)
		return false;
	no_abort();
	out->low = hits ? gsl_cdf_beta_Pinv(tail, k, m - k + 1) : 0;
	out->high = hits < n ? gsl_cdf_beta_Qinv(tail, k + 1, m - k) : 1;
	return isfinite(out->low) && isfinite(out->high);
}

double interval_rate_high(double events)
{
	no_abort();
	return gsl_cdf_chisq_Pinv(INTERVAL_LEVEL, 2 * (events + 1)) / 2;
}
