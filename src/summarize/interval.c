// SPDX-License-Identifier: GPL-3.0-or-later
#include "interval.h"
#include "binomial.h"
#include "memory.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_errno.h>
#include <gsl/gsl_fit.h>
#include <gsl/gsl_rng.h>
#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>

#define TAIL ((1 - INTERVAL_LEVEL) / 2)
#define BEND 0.1	/* as a share of what a line rises: points that are farther off lie on no line */
#define TAIL_MOST 0.035 /* chance that a quantile lies beyond the largest value, where that is taken as the end of its interval */

static bool make_interval(double middle, double half, struct interval *out)
{
	if (isfinite(half))
		*out = (struct interval){ middle - half, middle + half };
	return isfinite(half);
}

/* Quantile of Student's t. (GSL would abort where its inversion does not converge; with the handler off it returns NAN: no
 * interval.) */
static double t_quantile(size_t freedom)
{
	gsl_set_error_handler_off();
	return gsl_cdf_tdist_Pinv(1 - TAIL, (double)freedom);
}

/* Standard error of the mean; NAN below two finite values. */
static double standard_error(const double *value, size_t n)
{
	return n > 1 ? gsl_stats_sd(value, 1, n) / sqrt((double)n) : (double)NAN;
}

bool interval_t_mean(const double *value, size_t n, struct interval *out)
{
	return n >= INTERVAL_REPEATS &&
	       make_interval(gsl_stats_mean(value, 1, n), t_quantile(n - 1) * standard_error(value, n), out);
}

double interval_t_test(const double *value, size_t n)
{
	double mean = gsl_stats_mean(value, 1, n), error = standard_error(value, n);

	if (!(error > 0))
		return isnan(error) ? NAN : mean == 0;
	gsl_set_error_handler_off();
	return 2 * gsl_cdf_tdist_Q(fabs(mean) / error, (double)(n - 1));
}

/* Fits a line. Returns the variance of the slope; NAN: fewer than three points. */
static double fit_slope(const double *x, const double *y, size_t n, double *start, double *slope)
{
	double of_start, covariance, variance, squares;

	gsl_fit_linear(x, 1, y, 1, n, start, slope, &of_start, &covariance, &variance, &squares);
	return n > 2 ? variance : (double)NAN;
}

double interval_slope(const double *x, const double *y, size_t n, double *start)
{
	double slope, ignored;

	fit_slope(x, y, n, start ? start : &ignored, &slope);
	return slope;
}

bool interval_slope_ci(const double *x, const double *y, size_t n, struct interval *out)
{
	double start, slope, variance = fit_slope(x, y, n, &start, &slope);

	return isfinite(variance) && make_interval(slope, t_quantile(n - 2) * sqrt(variance), out);
}

/* Of the distance d(x) of the line from the level: d(x)^2 = t^2 (its variance at x), a square equation in x. */
struct figure interval_line_reach(const double *x, const double *y, size_t n, double level)
{
	double start, slope, of_start, covariance, variance, squares, t2, middle, at, half;

	gsl_fit_linear(x, 1, y, 1, n, &start, &slope, &of_start, &covariance, &variance, &squares);
	t2 = n > 2 ? pow(t_quantile(n - 2), 2) : (double)NAN;
	squares = slope * slope - t2 * variance;
	if (!(slope > 0 && squares > 0))
		return FIGURE_ABSENT;
	at = (level - start) / slope;
	middle = (slope * (level - start) + t2 * covariance) / squares;
	half = sqrt(fmax(0, middle * middle - (pow(level - start, 2) - t2 * of_start) / squares));
	return figure_estimate(at, fmin(at, middle - half), fmax(at, middle + half));
}

bool interval_line_bends(const double *x, const double *y, size_t n, double least_slope)
{
	double start, slope = interval_slope(x, y, n, &start), off = 0, most_off = 0, lack = 0, within = 0;
	double least = INFINITY, most = -INFINITY, groups = 0;

	for (size_t i = 0; i < n; i++) {
		double mean = 0, same = 0;
		bool first = true;

		for (size_t k = 0; k < n; k++)
			if (x[k] == x[i]) {
				first = first && k >= i;
				mean += y[k];
				same++;
			}
		mean /= same;
		off = fabs(mean - start - slope * x[i]);
		most_off = fmax(most_off, off);
		lack += off * off;
		within += (y[i] - mean) * (y[i] - mean);
		groups += first;
		least = fmin(least, x[i]);
		most = fmax(most, x[i]);
	}
	return groups > 2 && (double)n > groups && most_off > BEND * fmax(fabs(slope), least_slope) * (most - least) &&
	       lack / (groups - 2) > within / ((double)n - groups) * gsl_cdf_fdist_Qinv(0.01, groups - 2, (double)n - groups);
}

void interval_spread_tail(double q, size_t runs, double half, double distance, struct interval *out)
{
	double z = gsl_cdf_ugaussian_Pinv(q), freedom = (double)runs - 1, variance;
	double ends[2] = { 1 - TAIL, TAIL };
	bool below = q < 0.5; /* below the median the far end is the lower one */

	distance = fabs(distance);
	variance = pow(z * half / t_quantile(runs - 1), 2) * (double)runs;
	for (int far = 0; far < 2; far++) {
		double more = variance * (freedom / gsl_cdf_chisq_Pinv(ends[far], freedom) - 1);
		double by = hypot(half, sqrt(fmax(0, distance * distance + more)) - distance);

		*(far != below ? &out->high : &out->low) = far != below ? by : -by;
	}
}

bool interval_t_logs(const double *value, size_t n, struct interval *out)
{
	double *logs = memory_new(n, sizeof(*logs));
	bool ok;

	for (size_t i = 0; i < n; i++)
		logs[i] = log(value[i]); /* NAN or -INFINITY where the value is not positive */
	ok = interval_t_mean(logs, n, out);
	if (ok)
		*out = (struct interval){ exp(out->low), exp(out->high) };
	free(logs);
	return ok;
}

double interval_quantile(double *value, size_t n, double p)
{
	gsl_sort(value, 1, n);
	return n ? gsl_stats_quantile_from_sorted_data(value, 1, n, p) : (double)NAN;
}

struct figure interval_paired_ratio(const double *ratio, size_t n, double *p)
{
	struct interval i = { NAN, NAN };
	double *logs = memory_new(n, sizeof(*logs)), mean;

	for (size_t k = 0; k < n; k++)
		logs[k] = log(ratio[k]);
	mean = n ? gsl_stats_mean(logs, 1, n) : (double)NAN;
	interval_t_mean(logs, n, &i);
	*p = n < INTERVAL_PAIRS ? (double)NAN : interval_t_test(logs, n);
	free(logs);
	return figure_estimate(exp(mean), exp(i.low), exp(i.high));
}

const char *interval_ratio_word(const struct figure *ratio, double p)
{
	if (!isfinite(p))
		return "too few runs";
	if (figure_at_least(ratio) < 1 && figure_at_most(ratio) > 1)
		return INTERVAL_NOT_COMPARABLE;
	if (p < 1 - INTERVAL_LEVEL)
		return figure_at_most(ratio) < 1 ? "better" : "worse";
	return ratio->high > 2 * ratio->low ? "too noisy" : "no difference shown";
}

/* Bias of the bootstrap: the normal quantile of the share of replicates below the figure. Ties count half: figures on a grid
 * (shares of 100 keys) have many. The share is kept off 0 and 1, whose quantile would be infinite. */
static double compute_bias_quantile(double figure, const double *sorted, size_t n)
{
	double below = 0;

	for (size_t i = 0; i < n; i++)
		below += sorted[i] < figure ? 1 : sorted[i] == figure ? 0.5 : 0;
	return gsl_cdf_ugaussian_Pinv(fmin(fmax(below, 0.5), (double)n - 0.5) / (double)n);
}

bool interval_finish_bca(double figure, double *replicate, size_t draws, const double *without, size_t runs, bool expanded,
			 struct interval *out)
{
	double end[2], z0, a, wide = gsl_cdf_ugaussian_Pinv(1 - TAIL);

	if (!isfinite(figure) || !draws || runs < 2 ||
	    !isfinite(gsl_stats_mean(replicate, 1, draws) + gsl_stats_mean(without, 1, runs)))
		return false;
	if (expanded)
		wide = t_quantile(runs - 1) * sqrt((double)runs / (double)(runs - 1));
	gsl_sort(replicate, 1, draws);
	z0 = compute_bias_quantile(figure, replicate, draws);
	a = -gsl_stats_skew(without, 1, runs) * (double)runs / (6 * pow((double)runs - 1, 1.5));
	a = isfinite(a) ? a : 0; /* NAN: all values without one run are equal */
	for (int side = 0; side < 2; side++) {
		double z = z0 + (side ? wide : -wide);

		end[side] = gsl_stats_quantile_from_sorted_data(replicate, 1, draws, gsl_cdf_ugaussian_P(z0 + z / (1 - a * z)));
	}
	*out = (struct interval){ end[0], end[1] };
	return true;
}

bool interval_bootstrap(interval_figure *figure, void *data, size_t runs, size_t draws, uint64_t seed, bool expanded,
			struct interval *out)
{
	gsl_rng *rng = (gsl_set_error_handler_off(), must_alloc(gsl_rng_alloc(gsl_rng_mt19937)));
	unsigned *weight = memory_new(runs, sizeof(*weight));
	double *replicate = memory_new(draws, sizeof(*replicate)), *without = memory_new(runs, sizeof(*without));
	bool ok;

	gsl_rng_set(rng, (unsigned long)seed);
	for (size_t d = 0; d < draws; d++) {
		for (size_t i = 0; i < runs; i++)
			weight[i] = 0;
		for (size_t i = 0; i < runs; i++)
			weight[gsl_rng_uniform_int(rng, runs)]++;
		replicate[d] = figure(weight, runs, data);
	}
	for (size_t i = 0; i < runs; i++)
		weight[i] = 1;
	for (size_t i = 0; i < runs; i++) {
		weight[i] = 0;
		without[i] = figure(weight, runs, data);
		weight[i] = 1;
	}
	ok = interval_finish_bca(figure(weight, runs, data), replicate, draws, without, runs, expanded, out);
	free(without);
	free(replicate);
	free(weight);
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

bool interval_mean_ci(const double *value, size_t n, size_t draws, uint64_t seed, struct interval *out)
{
	if (n < INTERVAL_BOOTSTRAP_FROM)
		return interval_t_mean(value, n, out);
	return interval_bootstrap(weighted_mean, (void *)(uintptr_t)value, n, draws, seed, true, out);
}

/* Quantile of the beta distribution, by bisection: gsl_cdf_beta_Pinv() does not converge for one in ten of our numbers. */
static double beta_quantile(double p, double a, double b)
{
	double low = 0, high = 1;

	for (int i = 0; i < 60; i++) {
		double middle = (low + high) / 2;

		*(gsl_cdf_beta_P(middle, a, b) < p ? &low : &high) = middle;
	}
	return (low + high) / 2;
}

/* k of n independent events; the numbers need not be whole. */
static bool share_interval(double k, double n, struct interval *out)
{
	double tail = k > 0 && k < n ? TAIL : 1 - INTERVAL_LEVEL;

	if (!(n > 0) || !(k >= 0 && k <= n))
		return false;
	out->low = k > 0 ? beta_quantile(tail, k, n - k + 1) : 0;
	out->high = k < n ? beta_quantile(1 - tail, k + 1, n - k) : 1;
	return true;
}

bool interval_share_ci(size_t hits, size_t n, struct interval *out)
{
	return share_interval((double)hits, (double)n, out);
}

void share_runs_clear(struct share_runs *s)
{
	for (int hits = 0; hits < 2; hits++)
		s->runs[hits] = s->squares[hits] = s->longest[hits] = 0;
	for (size_t r = 0; r < s->repeats; r++)
		s->hits[r] = 0;
}

/* Counts of all repeats. */
static double sum_hits(const struct share_runs *s, double *n)
{
	double hits = 0;

	*n = 0;
	for (size_t r = 0; r < s->repeats; r++) {
		hits += s->hits[r];
		*n += s->n[r];
	}
	return hits;
}

double interval_share_effect(const struct share_runs *s, double chance, double *apart)
{
	double n, p = sum_hits(s, &n) / n, effect, chi = 0, freedom = (double)s->repeats - 1;
	bool rare = p <= 0.5;

	*apart = 0;
	if (s->repeats < INTERVAL_REPEATS || !(n > 0))
		return NAN;
	effect = fmax(s->least, binomial_run_effect(p, n, INFINITY, s->squares[rare] + pow(s->longest[rare], 2), s->stated));
	for (size_t r = 0; r < s->repeats && p > 0 && p < 1; r++)
		chi += s->n[r] > 0 ? pow(s->hits[r] - s->n[r] * p, 2) / (s->n[r] * p * (1 - p) * effect) : 0;
	if (chi > gsl_cdf_chisq_Qinv(chance, freedom)) {
		*apart = chi / freedom;
		effect *= *apart * pow(t_quantile(s->repeats - 1) / gsl_cdf_ugaussian_Pinv(1 - TAIL), 2);
	}
	return effect;
}

bool interval_clustered_share_ci(const struct share_runs *s, struct interval *out, bool *apart)
{
	double n, hits = sum_hits(s, &n), more, effect = interval_share_effect(s, INTERVAL_SHARE_APART, &more);

	*apart = more > 0;
	return isfinite(effect) && share_interval(hits / effect, n / effect, out);
}

bool interval_share_excludes(const struct share_runs *s, double chance, double share, bool low)
{
	double all, hits = sum_hits(s, &all), apart, effect = interval_share_effect(s, chance, &apart), k = hits / effect;

	if (!isfinite(effect))
		return false;
	return low ? k > 0 && gsl_cdf_beta_P(share, k, all / effect - k + 1) < TAIL
		   : hits < all && gsl_cdf_beta_Q(share, k + 1, all / effect - k) < TAIL;
}

/* The rank below which the quantile q of the law lies with probability `chance`, of n independent values; from 0 to n + 1, and not
 * whole. */
static double find_rank(double q, double n, double chance)
{
	double low = 0, high = n + 1;

	for (int i = 0; i < 60; i++) {
		double middle = (low + high) / 2;

		*(1 - gsl_cdf_beta_P(q, middle, n + 1 - middle) < chance ? &low : &high) = middle;
	}
	return (low + high) / 2;
}

static double interpolate_rank(const double *sorted, size_t n, double rank)
{
	size_t k = (size_t)fmin(rank, (double)n);

	return k < n ? sorted[k - 1] + (rank - (double)k) * (sorted[k] - sorted[k - 1]) : sorted[n - 1];
}

bool interval_quantile_ci(const double *sorted, size_t n, double independent, double q, struct interval *out)
{
	double low = find_rank(q, independent, TAIL), high = find_rank(q, independent, 1 - TAIL);
	double each = ((double)n + 1) / (independent + 1);

	if ((low < 1 && pow(1 - q, independent) > TAIL_MOST) || (high > independent && pow(q, independent) > TAIL_MOST))
		return false;
	low = fmax(low, 1);
	high = fmin(high, independent);
	*out = (struct interval){ interpolate_rank(sorted, n, low * each), interpolate_rank(sorted, n, high * each) };
	return true;
}

double interval_poisson_high(double events)
{
	gsl_set_error_handler_off();
	return gsl_cdf_chisq_Pinv(INTERVAL_LEVEL, 2 * (events + 1)) / 2;
}

void interval_adjust_holm(double *p, size_t n)
{
	size_t *at = memory_new(n, sizeof(*at)), left = 0;
	double least = 0;

	for (size_t i = 0; i < n; i++) {
		left += isfinite(p[i]) ? 1 : 0;
		p[i] = isfinite(p[i]) ? p[i] : INFINITY; /* unknown p-values come last in the order */
	}
	gsl_sort_index(at, p, 1, n);
	for (size_t i = 0; i < n; i++) {
		least = left ? fmax(least, fmin(1, (double)left-- * p[at[i]])) : NAN;
		p[at[i]] = least;
	}
	free(at);
}
