// SPDX-License-Identifier: GPL-3.0-or-later
#include "estimate.h"
#include "memory.h"

#define MEDIAN_RUNS 3	/* repeats that an interval of a median needs */

const char *const estimate_names[] = {
	"-", "ends", "ends+above", "mean", "mean+ci", "change+ci", "logmean+ci", "median", "median+ci", "sum", "max", "min",
	"first", "last", "same", "count", "unknown", "true", "false", "chance", "chance+holm", "band", "share+ci", NULL,
};

int estimate_ends(enum estimator e)
{
	return e == ESTIMATE_ABOVE ? 3 : e == ESTIMATE_ENDS || strstr(estimate_names[e], "+ci") ? 2 : 0;
}

/* Median of a resample in which value[i] stands weight[i] times. `data`: n values, followed by room for n more. */
static double estimate_weighted_median(const unsigned *weight, size_t n, void *data)
{
	double *value = data, *resample = value + n;
	size_t total = 0;

	for (size_t i = 0; i < n; i++)
		for (unsigned k = 0; k < weight[i] && total < n; k++)
			resample[total++] = value[i];
	return interval_quantile(resample, total, 0.5);
}

/* Computes a mean or a median of n > 0 numbers in v, which has room for n more. An interval that belongs to a related figure
 * (geometric mean) is widened to include the figure itself. */
static void estimate_middle(enum estimator e, double *v, size_t n, size_t draws, uint64_t seed, struct figure *out)
{
	bool near, median = e == ESTIMATE_MEDIAN || e == ESTIMATE_MEDIAN_CI;
	struct interval i;

	out->value = 0;
	for (size_t k = 0; k < n; k++)
		out->value += v[k];
	out->value /= (double)n;
	if (median)
		out->value = interval_quantile(v, n, 0.5);
	if (!estimate_ends(e) || (median && n < MEDIAN_RUNS))
		return;
	near = median ? interval_runs(v, true, estimate_weighted_median, v, n, draws, seed, &i) :
	       e == ESTIMATE_LOGMEAN_CI && n < INTERVAL_BOOTSTRAP_FROM && interval_t_log(v, n, &i);
	if (near)
		i = (struct interval){ fmin(i.low, out->value), fmax(i.high, out->value) };
	else if (median || !interval_mean(v, n, draws, seed, &i))
		return;
	out->low = median || e == ESTIMATE_CHANGE_CI ? i.low : fmax(0, i.low);
	out->high = i.high;
}

static void estimate_share(const double *v, const double *total, size_t n, struct figure *out)
{
	double hits = 0, of = 0;
	struct interval i;

	for (size_t k = 0; k < n; k++)
		if (isfinite(v[k]) && isfinite(total[k])) {
			hits += v[k];
			of += total[k];
		}
	if (!(of > 0) || hits < 0 || hits > of)
		return;
	out->value = 100 * hits / of;
	if (interval_share((size_t)hits, (size_t)of, &i)) {
		out->low = 100 * i.low;
		out->high = 100 * i.high;
	}
}

/* Estimators without an interval. `v` holds known numbers only. */
static double estimate_plain(enum estimator e, const double *v, size_t n)
{
	double least = INFINITY, most = -INFINITY, squares = 0, sum = 0;
	size_t zeros = 0;

	for (size_t i = 0; i < n; i++) {
		least = fmin(least, v[i]);
		most = fmax(most, v[i]);
		squares += 1 / (v[i] * v[i]);
		sum += v[i];
		zeros += v[i] == 0;
	}
	const double of[ESTIMATORS] = {
		[ESTIMATE_COUNT] = (double)n, [ESTIMATE_TRUE] = (double)(n - zeros), [ESTIMATE_FALSE] = (double)zeros,
		[ESTIMATE_SUM] = sum, [ESTIMATE_MAX] = most, [ESTIMATE_MIN] = least, [ESTIMATE_FIRST] = v[0], [ESTIMATE_LAST] = v[n ? n - 1 : 0],
		[ESTIMATE_CHANCE] = fmin(1, least * (double)n), [ESTIMATE_CHANCE_HOLM] = fmin(1, least * (double)n),
		[ESTIMATE_BAND] = 1 / sqrt(squares), [ESTIMATE_SAME] = NAN,
	};

	return n || (e >= ESTIMATE_COUNT && e <= ESTIMATE_FALSE) ? of[e] : NAN;
}

struct figure estimate(enum estimator e, const double *value, const double *total, size_t n, size_t draws, uint64_t seed)
{
	double *v = memory_new(2 * n, sizeof(*v));
	size_t known = 0;
	struct figure out = FIGURE_UNKNOWN;

	for (size_t i = 0; i < n; i++)
		if (isfinite(value[i]))
			v[known++] = value[i];
	out.repeats = known;
	if (e == ESTIMATE_UNKNOWN)
		out.value = (double)(n - known);
	else if (e == ESTIMATE_SHARE_CI)
		estimate_share(value, total, n, &out);
	else if (e < ESTIMATE_MEAN || e > ESTIMATE_MEDIAN_CI)
		out.value = estimate_plain(e, v, known);
	else if (known)
		estimate_middle(e, v, known, draws, seed, &out);
	free(v);
	return out;
}
