// SPDX-License-Identifier: GPL-3.0-or-later
#include "replays.h"
#include "interval.h"
#include "pool.h"
#include "sample.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#define DRAWS 2000
#define US 1000.0	/* samples are whole numbers: microseconds of what is in ms */

static const double percentiles[REPLAYS_PERCENTILES] = { 0.25, 0.5, 0.75, 0.9 };

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Type 7, as everywhere in the suite; sorts. */
static double quantile(double *v, size_t n, double p)
{
	double at = n ? (double)(n - 1) * p : 0;
	size_t i = (size_t)at;

	if (!n)
		return NAN;
	qsort(v, n, sizeof(*v), ascending);
	return i + 1 < n ? v[i] + (at - (double)i) * (v[i + 1] - v[i]) : v[n - 1];
}

static struct replays_span unknown(void)
{
	return (struct replays_span){ NAN, NAN, NAN };
}

/* Geometric mean, and Student's interval of the logarithms. */
static struct replays_span geometric(const double *v, size_t n)
{
	struct replays_span s = unknown();
	struct interval i = { NAN, NAN };
	double sum = 0;

	for (size_t k = 0; k < n; k++)
		sum += log(v[k]);
	if (n)
		s.value = exp(sum / (double)n);
	if (interval_t_log(v, n, &i)) {
		s.low = i.low;
		s.high = i.high;
	}
	return s;
}

/* The run of the base in the same repeat; r->runs: there is none. */
static size_t partner(const struct replays *r, size_t run, size_t base)
{
	for (size_t i = 0; i < r->runs; i++)
		if (r->setting[i] == base && r->repeat[i] == r->repeat[run])
			return i;
	return r->runs;
}

static double latency(const struct replays *r, size_t response, size_t run)
{
	return r->latency_ms[response * r->runs + run];
}

bool replays_point_of(const struct replays *r, size_t response, size_t setting, size_t base, double *ms, double *base_ms, double *ratio, size_t *n)
{
	double log_ms = 0, log_base = 0;

	*n = 0;
	for (size_t run = 0; run < r->runs; run++) {
		size_t with = r->setting[run] == setting ? partner(r, run, base) : r->runs;

		if (with == r->runs || !(latency(r, response, run) > 0) || !(latency(r, response, with) > 0))
			continue;
		log_ms += log(latency(r, response, run));
		log_base += log(latency(r, response, with));
		++*n;
	}
	if (!*n)
		return false;
	*ms = exp(log_ms / (double)*n);
	*base_ms = exp(log_base / (double)*n);
	*ratio = *ms / *base_ms;
	return true;
}

struct weighing {
	const struct pool *pool;
	double p;
};

static double weighed(const unsigned *weight, size_t runs, void *data)
{
	const struct weighing *w = data;

	(void)runs;
	return pool_quantile(w->pool, weight, w->p);
}

/* Pooled percentiles: below ten replays Student's t over theirs, widened to hold the pooled one; from there on a bootstrap over replays. */
static int percentiles_of(const struct replays *r, size_t setting, uint64_t seed, struct replays_figures *out)
{
	double *mine = calloc(r->responses + 1, sizeof(*mine)), *of_run = calloc(REPLAYS_PERCENTILES * (r->runs + 1), sizeof(*of_run));
	struct sample all = { 0 };
	struct pool pool = { 0 };
	size_t runs = 0;
	int err = mine && of_run ? 0 : -ENOMEM;

	for (size_t run = 0; !err && run < r->runs; run++) {
		size_t n = 0;

		for (size_t i = 0; r->setting[run] == setting && i < r->responses; i++) {
			double ms = latency(r, i, run);

			if (!(ms > 0))
				continue;
			mine[n++] = ms;
			sample_add(&all, llround(ms * US));
			err = pool_add(&pool, llround(ms * US), runs) ? -ENOMEM : err;
		}
		for (size_t p = 0; n && p < REPLAYS_PERCENTILES; p++)
			of_run[p * (r->runs + 1) + runs] = quantile(mine, n, percentiles[p]);
		runs += n > 0;
	}
	if (!err && all.lost)
		err = -ENOMEM;
	pool_sort(&pool);
	out->values = all.n;
	out->max_ms = sample_max(&all).value / US;
	for (size_t p = 0; !err && p < REPLAYS_PERCENTILES; p++) {
		struct weighing w = { &pool, percentiles[p] };
		struct interval i = { NAN, NAN };
		struct replays_span *s = &out->percentile[p];

		if (p == REPLAYS_P90 && !sample_supports(&all, percentiles[p]))
			continue;
		s->value = sample_quantile(&all, percentiles[p]).value / US;
		if (runs < INTERVAL_BOOTSTRAP_FROM) {
			if (!interval_t_log(&of_run[p * (r->runs + 1)], runs, &i))
				continue;
		} else if (interval_bca(weighed, &w, runs, DRAWS, seed, &i)) {
			i = (struct interval){ i.low / US, i.high / US };
		} else {
			continue;
		}
		s->low = fmin(i.low, s->value);
		s->high = fmax(i.high, s->value);
	}
	free(mine);
	free(of_run);
	sample_free(&all);
	pool_free(&pool);
	return err;
}

/* What pairs of replays tell. */
static int ratios_of(const struct replays *r, size_t setting, size_t base, struct replays_figures *out)
{
	double *total = calloc(r->runs + 1, sizeof(*total)), *factor = calloc(r->runs + 1, sizeof(*factor)), *log_factor = calloc(r->runs + 1, sizeof(*log_factor));
	double *ratio = calloc(r->responses + 1, sizeof(*ratio));
	size_t totals = 0, factors = 0, points = 0;
	int err = total && factor && log_factor && ratio ? 0 : -ENOMEM;

	for (size_t run = 0; !err && run < r->runs; run++) {
		size_t with = r->setting[run] == setting ? partner(r, run, base) : r->runs, n = 0;

		if (with == r->runs)
			continue;
		if (r->total_s[run] > 0 && r->total_s[with] > 0)
			total[totals++] = r->total_s[run] / r->total_s[with];
		for (size_t i = 0; i < r->responses; i++) {
			if (latency(r, i, run) > 0 && latency(r, i, with) > 0)
				ratio[n++] = latency(r, i, run) / latency(r, i, with);
			out->missing += latency(r, i, with) > 0 && !(latency(r, i, run) > 0);
		}
		if (n) {
			factor[factors] = quantile(ratio, n, 0.5);
			log_factor[factors] = log(factor[factors]);
			factors++;
		}
	}
	for (size_t i = 0; !err && i < r->responses; i++) {
		double ms, base_ms;
		size_t n;

		if (!replays_point_of(r, i, setting, base, &ms, &base_ms, &ratio[points], &n))
			continue;
		out->slower += ratio[points] >= REPLAYS_SLOWER;
		out->faster += ratio[points] <= REPLAYS_FASTER;
		points++;
	}
	if (!err) {
		out->pairs = factors;
		out->points = points;
		out->total_ratio = geometric(total, totals);
		out->ratio = geometric(factor, factors);
		out->p = interval_t_p(log_factor, factors);
		out->ratio_p25 = quantile(ratio, points, 0.25);
		out->ratio_p75 = quantile(ratio, points, 0.75);
		out->ratio_max = quantile(ratio, points, 1);
	}
	free(total);
	free(factor);
	free(log_factor);
	free(ratio);
	return err;
}

int replays_figures_of(const struct replays *r, size_t setting, size_t base, uint64_t seed, struct replays_figures *out)
{
	double *total = calloc(r->runs + 1, sizeof(*total)), sum = 0;
	struct interval i = { NAN, NAN };
	size_t n = 0;
	int err;

	if (!total)
		return -ENOMEM;
	*out = (struct replays_figures){ .total_s = unknown(), .total_ratio = unknown(), .ratio = unknown(), .max_ms = NAN, .ratio_p25 = NAN, .ratio_p75 = NAN, .ratio_max = NAN, .p = NAN };
	for (size_t p = 0; p < REPLAYS_PERCENTILES; p++)
		out->percentile[p] = unknown();
	for (size_t run = 0; run < r->runs; run++) {
		if (r->setting[run] != setting || !(r->total_s[run] > 0))
			continue;
		sum += r->total_s[run];
		total[n++] = r->total_s[run];
	}
	interval_mean(total, n, DRAWS, seed, &i);
	out->total_s = (struct replays_span){ n ? sum / (double)n : (double)NAN, i.low, i.high };
	free(total);
	err = percentiles_of(r, setting, seed, out);
	return err || setting == base ? err : ratios_of(r, setting, base, out);
}

enum verdict replays_verdict(const struct replays_figures *f, double p)
{
	if (f->pairs < COMPARE_PAIRS || !isfinite(p))
		return VERDICT_TOO_FEW;
	if (p < 0.05)
		return f->ratio.value > 1 ? VERDICT_WORSE : VERDICT_BETTER;
	return f->ratio.high > COMPARE_NOISY * f->ratio.low ? VERDICT_NOISY : VERDICT_NONE;
}

void replays_free(struct replays *r)
{
	free(r->setting);
	free(r->repeat);
	free(r->total_s);
	free(r->latency_ms);
	*r = (struct replays){ 0 };
}
