// SPDX-License-Identifier: GPL-3.0-or-later
#include "estimate.h"
#include "memory.h"

const char *const estimate_names[] = {
	"-",	   "ends",	"ends+above", "range",	     "mean",   "mean+ci",   "percent+ci",
	"unit+ci", "change+ci", "logmean+ci", "geomean+ci",  "median", "median+ci", "sum",
	"max",	   "min",	"first",      "last",	     "same",   "count",	    "unknown",
	"true",	   "false",	"chance",     "chance+holm", "band",   "share+ci",  NULL,
};

int estimate_extra_columns(enum estimator e)
{
	return e == ESTIMATE_RANGE ? 7 : e == ESTIMATE_ABOVE ? 4 : e == ESTIMATE_ENDS || strstr(estimate_names[e], "+ci") ? 3 : 0;
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

#define MEDIAN_ORDERED 5 /* values from which on a median has order statistics */

/* Computes a mean or a median of n > 0 numbers in v. An interval that belongs to a related figure
 * (logmean+ci: the geometric mean) is widened to include the figure itself. */
static void compute_middle(enum estimator e, double *v, size_t n, size_t draws, uint64_t seed, struct figure *out)
{
	bool near, median = e == ESTIMATE_MEDIAN || e == ESTIMATE_MEDIAN_CI, geometric = e == ESTIMATE_GEOMEAN_CI;
	struct interval i;
	double value = 0;

	for (size_t k = 0; k < n; k++)
		value += geometric ? log(v[k]) : v[k]; /* NAN: not all are above 0 */
	value /= (double)n;
	if (geometric)
		value = isfinite(value) ? exp(value) : (double)NAN;
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
	if (geometric) {
		near = false;
		if (!isfinite(value) || !interval_t_logs(v, n, &i))
			return;
	} else if (median) {
		near = n < MEDIAN_ORDERED && interval_t_logs(v, n, &i);
		if (!near && !interval_quantile_ci(v, n, (double)n, 0.5, &i))
			return;
	} else {
		near = e == ESTIMATE_LOGMEAN_CI && n < INTERVAL_BOOTSTRAP_FROM && interval_t_logs(v, n, &i);
		if (!near && !interval_mean_ci(v, n, draws, seed, &i))
			return;
	}
	if (near)
		i = (struct interval){ fmin(i.low, value), fmax(i.high, value) };
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
	double *v = memory_new(n, sizeof(*v));
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
	memory_more(p->added, p->n);
	p->added[p->n] = (double)value;
	p->item[p->n] = (struct pooled_latency){ .value = value, .run = (unsigned)run };
	p->n++;
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
	free(p->added);
	free(p->of_run);
	free(p->item);
	*p = (struct latency_pool){ 0 };
}

#define ALL_RUNS SIZE_MAX

/* Quantile of one run, or of all. */
static struct sample_stat compute_quantile(const struct latency_pool *p, size_t run, double q)
{
	struct sample_stat s = { NAN, false };
	size_t n = run == ALL_RUNS ? p->n : p->of_run[run], seen = 0, k;
	double at = n ? (double)(n - 1) * q : 0;

	k = (size_t)floor(at);
	for (size_t i = 0; i < p->n && seen < k + 1 + (at > (double)k); i++) {
		double value = (double)p->item[i].value;

		if (run != ALL_RUNS && p->item[i].run != run)
			continue;
		s.value = seen++ <= k ? value : s.value + (at - (double)k) * (value - s.value);
		s.above = s.above || p->item[i].later;
	}
	return s;
}

/* Counts the values above `value`, repeat by repeat, in the order in which they were added. */
static void count_above(const struct latency_pool *p, double value, struct share_runs *share)
{
	size_t i = 0;

	share_runs_clear(share);
	for (size_t r = 0; r < p->runs; r++) {
		size_t begin = i, end = i + p->of_run[r];

		for (size_t from = i; i < end; from = i) {
			bool above = p->added[i] > value;

			while (i < end && (p->added[i] > value) == above)
				i++;
			share_runs_add(share, above, (double)(i - from));
			share->hits[r] += above ? (double)(i - from) : 0;
		}
		share->n[r] = (double)(end - begin);
	}
}

static double longest_run(const struct latency_pool *p)
{
	size_t longest = 0;

	for (size_t r = 0; r < p->runs; r++)
		longest = p->of_run[r] > longest ? p->of_run[r] : longest;
	return (double)longest;
}

/* The effect of runs (interval_share_effect()) on the share of values above a quantile. Within a stall some keys lie above it and
 * some below, so that one stall makes many runs: it is whole at a lower one. */
static void find_effect(const struct latency_pool *p, double q, struct share_runs *share, double *apart)
{
	double above = 1 - q;

	while (above <= 0.25)
		above *= 2;
	for (; above > (1 - q) * 0.75; above /= 2) {
		count_above(p, compute_quantile(p, ALL_RUNS, 1 - above).value, share);
		if (above < 1.5 * (1 - q) || share->longest[true] < longest_run(p)) /* a whole repeat above is no stall */
			share->least = interval_share_effect(share, 0, apart);
	}
	interval_share_effect(share, POOL_APART, apart);
}

/* The values above which the share 1 - q of all may lie, by the interval of that share. */
static bool find_interval(const struct latency_pool *p, double q, double chance, struct share_runs *share, struct interval *out)
{
	size_t at = (size_t)((double)(p->n - 1) * q);
	double end[2];

	for (int high = 0; high < 2; high++) {
		size_t near = at, far = high ? p->n - 1 : 0, middle = far;

		do {
			count_above(p, (double)p->item[middle].value, share);
			*(interval_share_excludes(share, chance, 1 - q, !high) ? &far : &near) = middle;
			if (near == (high ? p->n - 1 : 0))
				return false;
			middle = (near + far) / 2;
		} while (middle != near && middle != far);
		end[high] = (double)p->item[far].value;
	}
	*out = (struct interval){ end[0], end[1] };
	return true;
}

/* Interval from the quantiles of the runs alone, about that of all: own quantiles of few values lie lower on average. */
static bool find_own_interval(const struct latency_pool *p, const double *own, double q, bool logs, double value,
			      struct interval *i)
{
	double median = compute_quantile(p, ALL_RUNS, 0.5).value, half;

	if (!(logs ? interval_t_logs : interval_t_mean)(own, p->runs, i))
		return false;
	half = logs ? log(i->high / i->low) / 2 : (i->high - i->low) / 2;
	interval_spread_tail(q, p->runs, half, logs ? log(value / median) : value - median, i);
	*i = logs ? (struct interval){ value * exp(i->low), value * exp(i->high) }
		  : (struct interval){ value + i->low, value + i->high };
	return true;
}

struct figure pool_quantile(const struct latency_pool *p, double q, double unit, enum pool_kind kind, bool *apart)
{
	double *own = memory_new(3 * p->runs, sizeof(*own)), differ = 0, far = 0;
	struct share_runs share = {
		.hits = own + p->runs, .n = own + 2 * p->runs, .repeats = p->runs, .stated = fmax(p->stall, 1)
	};
	struct sample_stat all = { NAN, false };
	struct figure f;
	bool alone = p->runs > 0, ok;
	struct interval i, runs;

	for (size_t r = 0; r < p->runs; r++) {
		struct sample_stat s = compute_quantile(p, r, q);

		own[r] = s.value;
		alone = alone && q < 1 && !s.above && sample_supports(&(struct sample){ .n = p->of_run[r] }, q);
	}
	if (q >= 1 || sample_supports(&(struct sample){ .n = p->n }, q))
		all = compute_quantile(p, ALL_RUNS, q);
	for (size_t k = 0; k < p->n; k++)
		all.above = all.above || (q >= 1 && p->item[k].later);
	f = isnan(all.value) && p->n ? figure_absent("too few")
				     : figure_statistic((struct sample_stat){ all.value / unit, all.above });
	f.repeats = p->runs;
	for (size_t r = 0; p->runs == 2 && alone && !f.above && r < 2; r++)
		f.both[r] = own[r] / unit;
	*apart = kind == POOL_REPLAYS;
	ok = isfinite(all.value) && !all.above && q < 1 && p->runs >= INTERVAL_REPEATS;
	if (ok && kind == POOL_REPLAYS) {
		ok = find_own_interval(p, own, q, true, all.value, &i) && i.high <= POOL_UNTOLD * all.value;
	} else if (ok) {
		struct share_runs middle = share;

		if (!alone)
			find_effect(p, 0.5, &middle, &far);
		find_effect(p, q, &share, &differ);
		far = !alone && middle.longest[true] >= longest_run(p) ? POOL_FAR : far;
		ok = far < POOL_FAR && find_interval(p, q, differ > 0 && !alone ? POOL_APART : 0, &share, &i);
		*apart = differ > 0 || (!ok && q <= 0.5); /* each run knows its median, however long its stalls are */
		if (*apart && alone && find_own_interval(p, own, q, kind != POOL_PLAIN, all.value, &runs)) {
			i = ok ? (struct interval){ fmin(i.low, runs.low), fmax(i.high, runs.high) } : runs;
			ok = kind == POOL_PLAIN || i.high <= POOL_UNTOLD * all.value;
		}
	}
	/* an end that lies among lower bounds is not known */
	for (size_t k = 0; ok && k < p->n; k++)
		ok = !p->item[k].later || i.high < (double)p->item[k].value;
	if (ok) {
		f.low = fmax(i.low / unit, 0);
		f.high = i.high / unit;
	}
	free(own);
	return f;
}
