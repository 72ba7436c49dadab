// SPDX-License-Identifier: GPL-3.0-or-later
#include "estimate.h"
#include "memory.h"

const char *const estimate_names[] = {
	"-",	      "ends",	 "ends+above", "range", "mean",	  "mean+ci",	 "percent+ci", "unit+ci",  "change+ci",
	"logmean+ci", "median",	 "median+ci",  "sum",	"max",	  "min",	 "first",      "last",	   "same",
	"count",      "unknown", "true",       "false", "chance", "chance+holm", "band",       "share+ci", NULL,
};

int estimate_extra_columns(enum estimator e)
{
	return e == ESTIMATE_RANGE ? 7 : e == ESTIMATE_ABOVE ? 4 : e == ESTIMATE_ENDS || strstr(estimate_names[e], "+ci") ? 3 : 0;
}

/* Median of a resample in which value[i] stands weight[i] times. `data`: n values, followed by room for n more. */
static double resample_median(const unsigned *weight, size_t n, void *data)
{
	double *value = data, *resample = value + n;
	size_t total = 0;

	for (size_t i = 0; i < n; i++)
		for (unsigned k = 0; k < weight[i] && total < n; k++)
			resample[total++] = value[i];
	return interval_quantile(resample, total, 0.5);
}

/* Interval of the mean of shares of `most`: Student's t on logits, so that no end leaves 0 to `most`. A share at an
 * end has no logit: it stands half as far from it as the nearest other share. Equal shares have no interval:
 * they say nothing of their spread. */
static bool compute_share_interval(const double *v, size_t n, double most, struct interval *out)
{
	double *logit = memory_new(n, sizeof(*logit)), nearest = most / 2;
	bool differ = false, ok;

	for (size_t i = 0; i < n; i++) {
		double end = fmin(v[i], most - v[i]);

		nearest = end > 0 ? fmin(nearest, end) : nearest;
		differ = differ || v[i] != v[0];
	}
	for (size_t i = 0; i < n; i++) {
		double share = fmin(fmax(v[i], nearest / 2), most - nearest / 2);

		logit[i] = log(share / (most - share));
	}
	ok = differ && interval_t_mean(logit, n, out);
	if (ok)
		*out = (struct interval){ most / (1 + exp(-out->low)), most / (1 + exp(-out->high)) };
	free(logit);
	return ok;
}

/* Computes a mean or a median of n > 0 numbers in v, which has room for n more. An interval that belongs to a related figure
 * (geometric mean) is widened to include the figure itself. */
static void compute_middle(enum estimator e, double *v, size_t n, size_t draws, uint64_t seed, struct figure *out)
{
	bool near, median = e == ESTIMATE_MEDIAN || e == ESTIMATE_MEDIAN_CI;
	struct interval i;
	double value = 0;

	for (size_t k = 0; k < n; k++)
		value += v[k];
	value /= (double)n;
	if (median)
		value = interval_quantile(v, n, 0.5);
	*out = figure_exact(value);
	for (size_t k = 0; n == 2 && k < n; k++)
		out->both[k] = v[k];
	if (!estimate_extra_columns(e) || n < INTERVAL_REPEATS)
		return;
	if (e == ESTIMATE_PERCENT_CI || e == ESTIMATE_UNIT_CI) {
		if (!compute_share_interval(v, n, e == ESTIMATE_UNIT_CI ? 1 : 100, &i))
			return;
		out->low = fmin(i.low, value);
		out->high = fmax(i.high, value);
		return;
	}
	near = median ? interval_figure_ci(v, true, resample_median, v, n, draws, seed, &i)
		      : e == ESTIMATE_LOGMEAN_CI && n < INTERVAL_BOOTSTRAP_FROM && interval_t_logs(v, n, &i);
	if (near)
		i = (struct interval){ fmin(i.low, value), fmax(i.high, value) };
	else if (median || !interval_mean_ci(v, n, draws, seed, &i))
		return;
	out->low = median || e == ESTIMATE_CHANGE_CI ? i.low : fmax(0, i.low);
	out->high = i.high;
}

static void compute_share(const double *v, const double *total, size_t n, struct figure *out)
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
	if (interval_share_ci((size_t)hits, (size_t)of, &i))
		*out = figure_estimate(100 * hits / of, 100 * i.low, 100 * i.high);
}

/* Estimators without an interval. `v` holds known numbers only. */
static double compute_plain(enum estimator e, const double *v, size_t n)
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
		[ESTIMATE_COUNT] = (double)n,
		[ESTIMATE_TRUE] = (double)(n - zeros),
		[ESTIMATE_FALSE] = (double)zeros,
		[ESTIMATE_SUM] = sum,
		[ESTIMATE_MAX] = most,
		[ESTIMATE_MIN] = least,
		[ESTIMATE_FIRST] = v[0],
		[ESTIMATE_LAST] = v[n ? n - 1 : 0],
		[ESTIMATE_CHANCE] = fmin(1, least * (double)n),
		[ESTIMATE_CHANCE_HOLM] = fmin(1, least * (double)n),
		[ESTIMATE_BAND] = 1 / sqrt(squares),
		[ESTIMATE_SAME] = NAN,
	};

	return n || (e >= ESTIMATE_COUNT && e <= ESTIMATE_FALSE) ? of[e] : NAN;
}

struct figure estimate_cell_figure(enum estimator e, const double *value, const double *total, size_t n, size_t draws,
				   uint64_t seed)
{
	double *v = memory_new(2 * n, sizeof(*v));
	size_t known = 0;
	struct figure out = FIGURE_ABSENT;

	for (size_t i = 0; i < n; i++)
		if (isfinite(value[i]))
			v[known++] = value[i];
	if (e == ESTIMATE_UNKNOWN)
		out = figure_exact((double)(n - known));
	else if (e == ESTIMATE_SHARE_CI)
		compute_share(value, total, n, &out);
	else if (e < ESTIMATE_MEAN || e > ESTIMATE_MEDIAN_CI)
		out = figure_exact(compute_plain(e, v, known));
	else if (known)
		compute_middle(e, v, known, draws, seed, &out);
	out.repeats = known;
	free(v);
	return out;
}

/* --- pools ----------------------------------------------------------------------------------------------------- */

void pool_add_latency(struct latency_pool *p, int64_t value, size_t run)
{
	memory_more(p->item, p->n);
	for (; p->runs <= run; p->runs++) {
		memory_more(p->of_run, p->runs);
		p->of_run[p->runs] = 0;
	}
	p->of_run[run]++;
	p->item[p->n++] = (struct pooled_latency){ .value = value, .run = (unsigned)run };
}

/* Order of qsort(): by value; of equal values, lower bounds first. */
static int compare_latencies(const void *a, const void *b)
{
	const struct pooled_latency *x = a, *y = b;

	return x->value != y->value ? (x->value > y->value) - (x->value < y->value) : y->later - x->later;
}

void pool_sort(struct latency_pool *p)
{
	if (p->n)
		qsort(p->item, p->n, sizeof(*p->item), compare_latencies);
}

void pool_free(struct latency_pool *p)
{
	free(p->of_run);
	free(p->item);
	*p = (struct latency_pool){ 0 };
}

static struct sample_stat compute_quantile(const struct latency_pool *p, const unsigned *weight, double q)
{
	struct sample_stat s = { NAN, false };
	size_t total = 0, seen = 0, i, k;
	double at;

	for (i = 0; i < p->runs; i++)
		total += weight[i] * p->of_run[i];
	if (!total)
		return s;
	at = (double)(total - 1) * q;
	k = (size_t)floor(at);
	/* find the value at rank k (from 0), and the next value whose run has weight */
	for (i = 0; seen <= k; i++) {
		seen += weight[p->item[i].run];
		s.above = s.above || (p->item[i].later && weight[p->item[i].run]);
	}
	s.value = (double)p->item[i - 1].value;
	if (at > (double)k && k + 1 < total && seen <= k + 1) {
		for (; !weight[p->item[i].run]; i++)
			;
		s.above = s.above || p->item[i].later;
		s.value += (at - (double)k) * ((double)p->item[i].value - s.value);
	}
	return s;
}

double pool_weighted_quantile(const struct latency_pool *p, const unsigned *weight, double q)
{
	return compute_quantile(p, weight, q).value;
}

struct quantile_request {
	const struct latency_pool *pool;
	double q;
};

static double resample_quantile(const unsigned *weight, size_t runs, void *data)
{
	const struct quantile_request *d = data;

	(void)runs;
	return pool_weighted_quantile(d->pool, weight, d->q);
}

struct figure pool_quantile(const struct latency_pool *p, double q, double unit, bool logs, size_t draws, uint64_t seed)
{
	struct quantile_request draw = { p, q };
	unsigned *weight = memory_new(p->runs, sizeof(*weight));
	double *own = memory_new(p->runs, sizeof(*own));
	struct sample_stat all = { NAN, false };
	struct figure f;
	bool few = p->runs < INTERVAL_BOOTSTRAP_FROM, ok = true;
	struct interval i;

	for (size_t r = 0; r < p->runs; r++) {
		struct sample_stat alone;

		weight[r] = 1;
		alone = compute_quantile(p, weight, q);
		own[r] = alone.value;
		ok = ok && !(alone.above && few);
		weight[r] = 0;
	}
	for (size_t r = 0; r < p->runs; r++)
		weight[r] = 1;
	if (q >= 1 || sample_supports(&(struct sample){ .n = p->n }, q))
		all = compute_quantile(p, weight, q);
	for (size_t k = 0; q >= 1 && k < p->n; k++)
		all.above = all.above || p->item[k].later;
	all.value /= unit;
	f = isnan(all.value) && p->n ? figure_absent("too few") : figure_statistic(all);
	f.repeats = p->runs;
	for (size_t r = 0; p->runs == 2 && ok && !f.above && q < 1 && r < 2; r++)
		if (sample_supports(&(struct sample){ .n = p->of_run[r] }, q))
			f.both[r] = own[r] / unit;
	ok = ok && p->runs > 1 && isfinite(all.value) && !all.above && q < 1;
	ok = ok && interval_figure_ci(own, logs, resample_quantile, &draw, p->runs, draws, seed, &i);
	/* an end that lies among lower bounds is not known */
	for (size_t k = 0; ok && !few && k < p->n; k++)
		ok = !p->item[k].later || i.high < (double)p->item[k].value;
	if (ok) {
		f.low = fmax(few ? fmin(i.low / unit, all.value) : i.low / unit, 0);
		f.high = few ? fmax(i.high / unit, all.value) : i.high / unit;
	}
	free(own);
	free(weight);
	return f;
}
