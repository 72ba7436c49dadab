// SPDX-License-Identifier: GPL-3.0-or-later
#include "replays.h"
#include "summarize/memory.h"

#define US 1000.0 /* pools hold whole numbers: microseconds */

/* Returns the base's replay of the same repeat; NULL: there is none. */
static const struct session_replay *find_base(const struct setting_replays *base, const struct session_replay *one)
{
	for (size_t i = 0; i < base->n; i++)
		if (base->of[i].repeat == one->repeat)
			return &base->of[i];
	return NULL;
}

struct response_means replays_response_means(const struct setting_replays *r, const struct setting_replays *base, size_t response)
{
	double log_ms = 0, log_base = 0;
	size_t n = 0;

	for (const struct session_replay *one = r->of; one < r->of + r->n; one++) {
		const struct session_replay *with = find_base(base, one);

		if (!with || !(one->latency_ms[response] > 0) || !(with->latency_ms[response] > 0))
			continue;
		log_ms += log(one->latency_ms[response]);
		log_base += log(with->latency_ms[response]);
		n++;
	}
	return (struct response_means){ exp(log_ms / (double)n), exp(log_base / (double)n),
					exp(log_ms / (double)n) / exp(log_base / (double)n), n };
}

struct latency_pool replays_build_pool(const struct setting_replays *r)
{
	struct latency_pool pool = { 0 };
	size_t runs = 0;

	for (const struct session_replay *one = r->of; one < r->of + r->n; one++) {
		size_t before = pool.n;

		for (size_t i = 0; i < r->responses; i++)
			if (one->latency_ms[i] > 0)
				pool_add_latency(&pool, llround(one->latency_ms[i] * US), runs);
		runs += pool.n > before;
	}
	pool_sort(&pool);
	return pool;
}

static void compute_response_ratios(const struct setting_replays *r, const struct setting_replays *base, double *ratio,
				    struct figure *out)
{
	size_t n = 0, slower = 0, faster = 0;

	for (size_t i = 0; i < r->responses; i++) {
		ratio[n] = replays_response_means(r, base, i).ratio;
		slower += ratio[n] >= REPLAYS_SLOWER;
		faster += ratio[n] <= REPLAYS_FASTER;
		n += isfinite(ratio[n]) ? 1 : 0;
	}
	out[REPLAYS_SLOWER_POINTS] = figure_exact((double)slower);
	out[REPLAYS_FASTER_POINTS] = figure_exact((double)faster);
	out[REPLAYS_POINTS] = figure_exact((double)n);
	out[REPLAYS_RATIO_P25] = figure_exact(interval_quantile(ratio, n, 0.25));
	out[REPLAYS_RATIO_P75] = figure_exact(interval_quantile(ratio, n, 0.75));
	out[REPLAYS_RATIO_MAX] = figure_exact(interval_quantile(ratio, n, 1));
}

static void compute_ratios(const struct setting_replays *r, const struct setting_replays *base, struct figure *out)
{
	double *pair = memory_new(r->n, sizeof(*pair)), *total = memory_new(r->n, sizeof(*total));
	double *ratio = memory_new(r->responses + 1, sizeof(*ratio));
	size_t pairs = 0, totals = 0, missing = 0;
	double p;

	for (const struct session_replay *one = r->of; one < r->of + r->n; one++) {
		const struct session_replay *with = find_base(base, one);
		size_t n = 0;

		if (!with)
			continue;
		if (one->total_s > 0 && with->total_s > 0)
			total[totals++] = one->total_s / with->total_s;
		for (size_t i = 0; i < r->responses; i++) {
			double ms = one->latency_ms[i], base_ms = with->latency_ms[i];

			if (ms > 0 && base_ms > 0)
				ratio[n++] = ms / base_ms;
			missing += base_ms > 0 && !(ms > 0);
		}
		pair[pairs] = interval_quantile(ratio, n, 0.5);
		pairs += pair[pairs] > 0;
	}
	compute_response_ratios(r, base, ratio, out);
	out[REPLAYS_TOTAL_RATIO] = interval_paired_ratio(total, totals, &p);
	out[REPLAYS_RATIO] = interval_paired_ratio(pair, pairs, &p);
	out[REPLAYS_P] = figure_exact(p);
	out[REPLAYS_PAIRS] = figure_exact((double)pairs);
	out[REPLAYS_MISSING] = figure_exact((double)missing);
	free(pair);
	free(total);
	free(ratio);
}

void replays_compute(const struct setting_replays *r, const struct setting_replays *base, double threshold_ms, size_t draws,
		     uint64_t seed, struct figure out[REPLAYS_FIGURES])
{
	static const double percentiles[] = {
		[REPLAYS_P25] = 0.25, [REPLAYS_P50] = 0.5, [REPLAYS_P75] = 0.75, [REPLAYS_P90] = 0.9, [REPLAYS_MAX] = 1
	};
	struct latency_pool pool = replays_build_pool(r);
	size_t late = 0;

	for (size_t i = 0; i < REPLAYS_FIGURES; i++)
		out[i] = figure_exact(i < REPLAYS_PAIRS || i > REPLAYS_FASTER_POINTS ? (double)NAN : 0);
	for (size_t i = REPLAYS_P25; i <= REPLAYS_MAX; i++)
		out[i] = pool_quantile(&pool, percentiles[i], US, true, draws, seed);
	out[REPLAYS_RESPONSES] = figure_exact((double)pool.n);
	for (size_t k = 0; k < pool.n; k++)
		late += (double)pool.item[k].value > threshold_ms * US;
	out[REPLAYS_LATE] = figure_exact(pool.n ? 100 * (double)late / (double)pool.n : (double)NAN);
	if (base)
		compute_ratios(r, base, out);
	pool_free(&pool);
}
