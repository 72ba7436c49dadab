// SPDX-License-Identifier: GPL-3.0-or-later
#include "replays.h"
#include "interval.h"
#include "pool.h"
#include "sample.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#define REPLAYS_PAIRS_LEAST 5
#define REPLAYS_NOISY 2.0	/* an interval that reaches from x to more than this times x shows nothing */
#define US 1000.0		/* the pool holds whole numbers: microseconds */

static int replays_ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Type 7, as everywhere in the suite; sorts. */
static double replays_quantile(double *v, size_t n, double p)
{
	double at = n ? (double)(n - 1) * p : 0;
	size_t i = (size_t)at;

	if (!n)
		return NAN;
	qsort(v, n, sizeof(*v), replays_ascending);
	return i + 1 < n ? v[i] + (at - (double)i) * (v[i + 1] - v[i]) : v[n - 1];
}

static struct figure replays_geometric(const double *v, size_t n)
{
	struct figure f = { .value = NAN, .low = NAN, .high = NAN };
	struct interval i;
	double sum = 0;

	for (size_t k = 0; k < n; k++)
		sum += log(v[k]);
	if (n)
		f.value = exp(sum / (double)n);
	if (interval_t_log(v, n, &i)) {
		f.low = i.low;
		f.high = i.high;
	}
	return f;
}

static double replays_latency(const struct replays *r, size_t response, size_t run)
{
	return r->latency_ms[response * r->runs + run];
}

/* The base's run of the same repeat; r->runs: this run is not of the setting, or there is none. */
static size_t replays_partner(const struct replays *r, size_t run, size_t setting, size_t base)
{
	for (size_t i = 0; r->setting[run] == setting && i < r->runs; i++)
		if (r->setting[i] == base && r->repeat[i] == r->repeat[run])
			return i;
	return r->runs;
}

struct replays_point replays_point_of(const struct replays *r, size_t response, size_t setting, size_t base)
{
	struct replays_point p = { NAN, NAN, NAN, 0 };
	double log_ms = 0, log_base = 0;

	for (size_t run = 0; run < r->runs; run++) {
		size_t with = replays_partner(r, run, setting, base);

		if (with == r->runs || !(replays_latency(r, response, run) > 0) || !(replays_latency(r, response, with) > 0))
			continue;
		log_ms += log(replays_latency(r, response, run));
		log_base += log(replays_latency(r, response, with));
		p.n++;
	}
	if (p.n) {
		p.ms = exp(log_ms / (double)p.n);
		p.base_ms = exp(log_base / (double)p.n);
		p.ratio = p.ms / p.base_ms;
	}
	return p;
}

struct replays_weighing {
	const struct pool *pool;
	double p;
};

static double replays_weighed(const unsigned *weight, size_t runs, void *data)
{
	const struct replays_weighing *w = data;

	(void)runs;
	return pool_quantile(w->pool, weight, w->p);
}

/* Below ten replays Student's t over their percentiles, widened to hold the pooled one; from there on a bootstrap over replays. */
static void replays_percentile(struct pool *pool, double p, unsigned *weight, double *of_run, size_t draws,
			       uint64_t seed, struct figure *out)
{
	struct replays_weighing w = { pool, p };
	struct interval i;
	bool known;

	for (size_t run = 0; run < pool->runs; run++) {
		weight[run] = 1;
		of_run[run] = pool_quantile(pool, weight, p);
		weight[run] = 0;
	}
	known = pool->runs < INTERVAL_BOOTSTRAP_FROM ? interval_t_log(of_run, pool->runs, &i) :
		interval_bca(replays_weighed, &w, pool->runs, draws, seed, &i);
	for (size_t run = 0; run < pool->runs; run++)
		weight[run] = 1;
	out->value = pool_quantile(pool, weight, p) / US;
	for (size_t run = 0; run < pool->runs; run++)
		weight[run] = 0;
	if (known) {
		out->low = fmin(i.low / US, out->value);
		out->high = fmax(i.high / US, out->value);
	}
}

static int replays_percentiles(const struct replays *r, size_t setting, size_t draws, uint64_t seed, struct figure *out)
{
	static const double percentiles[] = { [REPLAYS_P25] = 0.25, [REPLAYS_P50] = 0.5, [REPLAYS_P75] = 0.75, [REPLAYS_P90] = 0.9 };
	unsigned *weight = calloc(r->runs + 1, sizeof(*weight));
	double *of_run = calloc(r->runs + 1, sizeof(*of_run));
	struct pool pool = { 0 };
	size_t runs = 0;
	int err = weight && of_run ? 0 : -ENOMEM;

	for (size_t run = 0; !err && run < r->runs; run++) {
		size_t before = pool.n;

		for (size_t i = 0; !err && r->setting[run] == setting && i < r->responses; i++)
			if (replays_latency(r, i, run) > 0)
				err = pool_add(&pool, llround(replays_latency(r, i, run) * US), runs);
		runs += pool.n > before;
	}
	out[REPLAYS_RESPONSES].value = (double)pool.n;
	pool_sort(&pool);
	if (!err && pool.n)
		out[REPLAYS_MAX].value = (double)pool.item[pool.n - 1].value / US;
	for (size_t p = REPLAYS_P25; !err && pool.n && p <= REPLAYS_P90; p++)
		if (sample_supports(&(struct sample){ .n = pool.n }, percentiles[p]))
			replays_percentile(&pool, percentiles[p], weight, of_run, draws, seed, &out[p]);
	free(weight);
	free(of_run);
	pool_free(&pool);
	return err;
}

/* The median ratio of the responses that both replays have; NAN: none. `ratio` is room for all responses. */
static double replays_pair(const struct replays *r, size_t run, size_t with, double *ratio, struct figure *missing)
{
	size_t n = 0;

	for (size_t i = 0; i < r->responses; i++) {
		double ms = replays_latency(r, i, run), base_ms = replays_latency(r, i, with);

		if (ms > 0 && base_ms > 0)
			ratio[n++] = ms / base_ms;
		missing->value += base_ms > 0 && !(ms > 0);
	}
	return replays_quantile(ratio, n, 0.5);
}

static void replays_points(const struct replays *r, size_t setting, size_t base, double *ratio, struct figure *out)
{
	size_t n = 0;

	for (size_t i = 0; i < r->responses; i++) {
		ratio[n] = replays_point_of(r, i, setting, base).ratio;
		out[REPLAYS_SLOWER_POINTS].value += ratio[n] >= REPLAYS_SLOWER;
		out[REPLAYS_FASTER_POINTS].value += ratio[n] <= REPLAYS_FASTER;
		n += isfinite(ratio[n]) ? 1 : 0;
	}
	out[REPLAYS_POINTS].value = (double)n;
	out[REPLAYS_RATIO_P25].value = replays_quantile(ratio, n, 0.25);
	out[REPLAYS_RATIO_P75].value = replays_quantile(ratio, n, 0.75);
	out[REPLAYS_RATIO_MAX].value = replays_quantile(ratio, n, 1);
}

static int replays_ratios(const struct replays *r, size_t setting, size_t base, struct figure *out)
{
	double *pair = calloc(r->runs + 1, sizeof(*pair)), *total = calloc(r->runs + 1, sizeof(*total));
	double *ratio = calloc(r->responses + 1, sizeof(*ratio));
	size_t pairs = 0, totals = 0;
	int err = pair && total && ratio ? 0 : -ENOMEM;

	for (size_t run = 0; !err && run < r->runs; run++) {
		size_t with = replays_partner(r, run, setting, base);

		if (with == r->runs)
			continue;
		if (r->total_s[run] > 0 && r->total_s[with] > 0)
			total[totals++] = r->total_s[run] / r->total_s[with];
		pair[pairs] = replays_pair(r, run, with, ratio, &out[REPLAYS_MISSING]);
		pairs += pair[pairs] > 0;
	}
	if (!err) {
		replays_points(r, setting, base, ratio, out);
		out[REPLAYS_TOTAL_RATIO] = replays_geometric(total, totals);
		out[REPLAYS_RATIO] = replays_geometric(pair, pairs);
		out[REPLAYS_PAIRS].value = (double)pairs;
		for (size_t i = 0; i < pairs; i++)
			pair[i] = log(pair[i]);
		if (pairs >= REPLAYS_PAIRS_LEAST)
			out[REPLAYS_P].value = interval_t_p(pair, pairs);
	}
	free(pair);
	free(total);
	free(ratio);
	return err;
}

int replays_figures_of(const struct replays *r, size_t setting, size_t base, size_t draws, uint64_t seed,
		       struct figure out[REPLAYS_FIGURES])
{
	static const enum replays_figure counts[] = { REPLAYS_PAIRS, REPLAYS_MISSING, REPLAYS_POINTS, REPLAYS_SLOWER_POINTS,
		REPLAYS_FASTER_POINTS };
	int err;

	for (size_t i = 0; i < REPLAYS_FIGURES; i++)
		out[i] = (struct figure){ .value = NAN, .low = NAN, .high = NAN };
	for (size_t i = 0; i < sizeof(counts) / sizeof(*counts); i++)
		out[counts[i]].value = 0;
	err = replays_percentiles(r, setting, draws, seed, out);
	return err || setting == base ? err : replays_ratios(r, setting, base, out);
}

const char *replays_verdict(const struct figure f[REPLAYS_FIGURES])
{
	const struct figure *ratio = &f[REPLAYS_RATIO];

	if (f[REPLAYS_PAIRS].value < REPLAYS_PAIRS_LEAST || !isfinite(f[REPLAYS_P].value))
		return "too few runs";
	if (f[REPLAYS_P].value < 1 - INTERVAL_LEVEL)
		return ratio->value > 1 ? "worse" : "better";
	return ratio->high > REPLAYS_NOISY * ratio->low ? "too noisy" : "no difference shown";
}

void replays_free(struct replays *r)
{
	free(r->setting);
	free(r->repeat);
	free(r->total_s);
	free(r->latency_ms);
	*r = (struct replays){ 0 };
}
