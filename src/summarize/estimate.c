// SPDX-License-Identifier: GPL-3.0-or-later
#include "estimate.h"
#include "interval.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#define MEDIAN_RUNS 3	/* two tell nothing but that they are two */

const char *const estimate_names[] = {
	"-", "ends", "ends+above", "mean", "mean+ci", "change+ci", "logmean+ci", "median", "median+ci", "sum", "max", "min",
	"first", "last", "same", "count", "unknown", "true", "false", "chance", "chance+holm", "band", "share+ci", NULL,
};

int estimate_ends(enum estimator e)
{
	switch (e) {
	case ESTIMATE_ABOVE:
		return 3;
	case ESTIMATE_ENDS:
	case ESTIMATE_MEAN_CI:
	case ESTIMATE_CHANGE_CI:
	case ESTIMATE_LOGMEAN_CI:
	case ESTIMATE_MEDIAN_CI:
	case ESTIMATE_SHARE_CI:
		return 2;
	default:
		return 0;
	}
}

static double estimate_sum(const double *v, size_t n)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += v[i];
	return sum;
}

static int estimate_ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* The median of a resample: value i, of ascending ones, stands there weight[i] times. */
static double estimate_weighted_median(const unsigned *weight, size_t n, void *data)
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

/* An interval of the figure that may be one of a neighbour of it (a geometric mean): widened to
 * hold the figure. */
static void estimate_set(struct figure *f, const struct interval *i, double floor)
{
	f->low = fmax(floor, fmin(i->low, f->value));
	f->high = fmax(i->high, f->value);
}

static void estimate_mean(enum estimator e, const double *v, size_t n, size_t draws, uint64_t seed, struct figure *out)
{
	double floor = e == ESTIMATE_CHANGE_CI ? -INFINITY : 0;
	struct interval i;

	out->value = estimate_sum(v, n) / (double)n;
	if (e == ESTIMATE_LOGMEAN_CI && n < INTERVAL_BOOTSTRAP_FROM && interval_t_log(v, n, &i)) {
		estimate_set(out, &i, floor);
	} else if (e != ESTIMATE_MEAN && interval_mean(v, n, draws, seed, &i)) {
		out->low = i.low < floor ? floor : i.low;
		out->high = i.high;
	}
}

static void estimate_median(enum estimator e, double *v, size_t n, size_t draws, uint64_t seed, struct figure *out)
{
	struct interval i;
	bool there;

	qsort(v, n, sizeof(*v), estimate_ascending);
	out->value = (v[(n - 1) / 2] + v[n / 2]) / 2;
	if (e == ESTIMATE_MEDIAN || n < MEDIAN_RUNS)
		return;
	there = n >= INTERVAL_BOOTSTRAP_FROM ? interval_bca(estimate_weighted_median, v, n, draws, seed, &i) : interval_t_log(v, n, &i);
	if (there)
		estimate_set(out, &i, -INFINITY);
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

/* `v` holds known numbers only. */
static double estimate_plain(enum estimator e, const double *v, size_t n)
{
	double least = INFINITY, most = -INFINITY, squares = 0;
	size_t zeros = 0;

	for (size_t i = 0; i < n; i++) {
		least = fmin(least, v[i]);
		most = fmax(most, v[i]);
		squares += 1 / (v[i] * v[i]);
		zeros += v[i] == 0;
	}
	if (e == ESTIMATE_COUNT || e == ESTIMATE_TRUE || e == ESTIMATE_FALSE)
		return (double)(e == ESTIMATE_COUNT ? n : e == ESTIMATE_FALSE ? zeros : n - zeros);
	if (!n)
		return NAN;
	switch (e) {
	case ESTIMATE_SUM:
		return estimate_sum(v, n);
	case ESTIMATE_MAX:
		return most;
	case ESTIMATE_MIN:
		return least;
	case ESTIMATE_FIRST:
		return v[0];
	case ESTIMATE_LAST:
		return v[n - 1];
	case ESTIMATE_CHANCE:
	case ESTIMATE_CHANCE_HOLM:
		return fmin(1, least * (double)n);
	case ESTIMATE_BAND:
		return 1 / sqrt(squares);
	default:
		return NAN;
	}
}

int estimate(enum estimator e, const double *value, const double *total, size_t n, size_t draws, uint64_t seed, struct figure *out)
{
	double *v = calloc(n ? n : 1, sizeof(*v));
	size_t known = 0;

	*out = (struct figure){ .value = NAN, .low = NAN, .high = NAN };
	if (!v)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		if (isfinite(value[i]))
			v[known++] = value[i];
	if (e == ESTIMATE_UNKNOWN)
		out->value = (double)(n - known);
	else if (e == ESTIMATE_SHARE_CI)
		estimate_share(value, total, n, out);
	else if (e == ESTIMATE_MEAN || e == ESTIMATE_MEAN_CI || e == ESTIMATE_CHANGE_CI || e == ESTIMATE_LOGMEAN_CI) {
		if (known)
			estimate_mean(e, v, known, draws, seed, out);
	} else if (e == ESTIMATE_MEDIAN || e == ESTIMATE_MEDIAN_CI) {
		if (known)
			estimate_median(e, v, known, draws, seed, out);
	} else {
		out->value = estimate_plain(e, v, known);
	}
	free(v);
	return 0;
}
