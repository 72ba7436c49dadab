// SPDX-License-Identifier: GPL-3.0-or-later
/* replays_extract - replays of one recorded session, from RUN/analysis.json (vncplay analyze of all replays together) and their
 * cell.json. A cell is a setting: an element of settings.rows in run.json (setting, value: position on an axis, says);
 * settings.base names the setting that others are compared with.
 *	replays:value	text replays:says	of settings.rows
 *	replays:p25 p50 p75 p90 max responses	response times of all replays of the setting (ms), and their number
 *	replays:late	percent of them over the threshold
 *	replays:total_ratio ratio pairs p missing ratio_p25 ratio_p75 ratio_max points slower faster	relative to the base; p after Holm
 *	text replays:verdict
 * Rows: points (a response at a setting), runs (a replay), cdf (the share of responses within a time).
 *
 * A ratio pairs two replays of the same repeat: for each response, its latency at the setting over that at the base. The ratio of a
 * pair is the median over responses; that of a setting the geometric mean over its pairs, with Student's t interval of the
 * logarithms. ratio_p25 to faster count responses, each by its geometric mean over pairs. A response that was not found in a replay
 * has no ratio; it is missing where the base of the same repeat has it. */
#include "summarize/engine.h"

/* responses that were matched with less confidence are left out, unless the run sets settings.confidence */
#define REPLAYS_SURE 0.5
#define SLOWER 1.5 /* ratio from which on a response counts as slower (faster: its inverse) */
#define US 1000.0  /* pools hold whole numbers: microseconds */

struct session_replay {
	int64_t repeat;
	double total_s;
	double *latency_ms;    /* latency of each response from the press of key or button; NAN: not found */
	double updates, bytes; /* screen updates and their bytes; NAN: not known */
};

struct replays_run {
	const struct json_document *analysis; /* analysis.json; NULL: the run has none */
	const struct experiment_cell *base;
	size_t *response, responses; /* indices of the used responses in the analysis */
	double *p;		     /* p-value of a ratio of 1 for each cell, after Holm */
};

static void read_analysis(const struct experiment_run *run)
{
	struct replays_run *s = extractor_run_data();
	const char *base = json_get_str(run->json, "settings.base");
	double sure = json_number(run->json, "settings.confidence");

	s->base = run->cell;
	for (const struct experiment_cell *c = run->cell; base && c < run->cell + run->n; c++)
		if (!strcmp(base, c->name))
			s->base = c;
	s->analysis = run_folder_read_json(run->folder, "analysis.json", false);
	for (size_t i = 0; !isnan(json_number(s->analysis, "result.responses.%zu.input", i)); i++)
		if (!(json_number(s->analysis, "result.responses.%zu.confidence", i) < (isnan(sure) ? REPLAYS_SURE : sure))) {
			memory_more(s->response, s->responses);
			s->response[s->responses++] = i;
		}
}

static void read_repeat(const struct experiment_repeat *r)
{
	const struct replays_run *s = extractor_run_data();
	struct session_replay *one = extractor_repeat_data(r);
	const char *is;
	char file[300];
	size_t i = 0;

	snprintf(file, sizeof(file), "cells/%s/%lld/replay.rfb", r->cell->name, (long long)r->number);
	while ((is = json_get_text(s->analysis, "result.runs.%zu.file", i)) && strcmp(is, file) != 0)
		i++;
	*one = (struct session_replay){ r->number, json_number(r->json, "play.total_s"), memory_new(s->responses, sizeof(double)),
					json_number(s->analysis, "result.runs.%zu.updates", i),
					json_number(s->analysis, "result.runs.%zu.bytes", i) };
	for (size_t k = 0; k < s->responses; k++)
		one->latency_ms[k] = json_number(s->analysis, "result.responses.%zu.latency_from_press_ms.%zu", s->response[k], i);
}

/* Returns the base's replay of the same repeat; NULL: there is none. */
static const struct session_replay *find_base_replay(const struct session_replay *one)
{
	const struct experiment_cell *base = ((const struct replays_run *)extractor_run_data())->base;
	const struct session_replay *of = extractor_repeat_data(base->repeat);

	for (size_t i = 0; i < base->n; i++)
		if (of[i].repeat == one->repeat)
			return &of[i];
	return NULL;
}

/* One response: geometric means over the n pairs of replays that both have it. */
struct response_means {
	double ms, base_ms, ratio;
	size_t n;
};

static struct response_means mean_response(const struct experiment_cell *c, size_t response)
{
	const struct session_replay *of = extractor_repeat_data(c->repeat);
	double log_ms = 0, log_base = 0;
	size_t n = 0;

	for (size_t i = 0; i < c->n; i++) {
		const struct session_replay *with = find_base_replay(&of[i]);

		if (!with || !(of[i].latency_ms[response] > 0) || !(with->latency_ms[response] > 0))
			continue;
		log_ms += log(of[i].latency_ms[response]);
		log_base += log(with->latency_ms[response]);
		n++;
	}
	return (struct response_means){ exp(log_ms / (double)n), exp(log_base / (double)n),
					exp(log_ms / (double)n) / exp(log_base / (double)n), n };
}

/* Returns all latencies in us, sorted; free with pool_free(). */
static struct latency_pool build_pool(const struct experiment_cell *c)
{
	const struct replays_run *s = extractor_run_data();
	const struct session_replay *of = extractor_repeat_data(c->repeat);
	struct latency_pool pool = { 0 };
	size_t runs = 0;

	for (size_t k = 0; k < c->n; k++) {
		size_t before = pool.n;

		for (size_t i = 0; i < s->responses; i++)
			if (of[k].latency_ms[i] > 0)
				pool_add_latency(&pool, llround(of[k].latency_ms[i] * US), runs);
		runs += pool.n > before;
	}
	pool_sort(&pool);
	return pool;
}

/* A count, where something was counted. */
static double count_if(bool known, size_t n)
{
	return known ? (double)n : (double)NAN;
}

/* `looked`: there is a base; without one nothing is known. */
static void set_ratio_figures(const struct experiment_cell *c, double *ratio, bool looked)
{
	const struct replays_run *s = extractor_run_data();
	size_t n = 0, slower = 0, faster = 0;

	for (size_t i = 0; i < s->responses; i++) {
		ratio[n] = mean_response(c, i).ratio;
		slower += ratio[n] >= SLOWER;
		faster += ratio[n] <= 1 / SLOWER;
		n += isfinite(ratio[n]) ? 1 : 0;
	}
	give_values({ "slower", count_if(looked, slower) }, { "faster", count_if(looked, faster) },
		    { "points", count_if(looked, n) }, { "ratio_p25", interval_quantile(ratio, n, 0.25) },
		    { "ratio_p75", interval_quantile(ratio, n, 0.75) }, { "ratio_max", interval_quantile(ratio, n, 1) });
}

/* Compares a cell with the base. `with_figures`: sets its figures, too. Returns the p-value of a ratio of 1. */
static double compare_pairs(const struct experiment_cell *c, bool with_figures)
{
	const struct replays_run *s = extractor_run_data();
	const struct session_replay *of = extractor_repeat_data(c->repeat);
	double *pair = memory_new(c->n, sizeof(*pair)), *total = memory_new(c->n, sizeof(*total)), p;
	double *ratio = memory_new(s->responses + 1, sizeof(*ratio));
	size_t pairs = 0, totals = 0, missing = 0;
	bool looked = false;
	struct figure median;

	for (size_t k = 0; k < c->n; k++) {
		const struct session_replay *with = find_base_replay(&of[k]);
		size_t n = 0;

		if (!with)
			continue;
		looked = s->analysis != NULL;
		if (of[k].total_s > 0 && with->total_s > 0)
			total[totals++] = of[k].total_s / with->total_s;
		for (size_t i = 0; i < s->responses; i++) {
			double ms = of[k].latency_ms[i], base_ms = with->latency_ms[i];

			if (ms > 0 && base_ms > 0)
				ratio[n++] = ms / base_ms;
			missing += base_ms > 0 && !(ms > 0);
		}
		pair[pairs] = interval_quantile(ratio, n, 0.5);
		pairs += pair[pairs] > 0;
	}
	if (with_figures) {
		extractor_set_figure("total_ratio", interval_paired_ratio(total, totals, &p));
		give_values({ "pairs", (double)pairs }, { "missing", count_if(looked, missing) });
		set_ratio_figures(c, ratio, looked);
	}
	median = interval_paired_ratio(pair, pairs, &p);
	if (with_figures) {
		extractor_set_figure("ratio", median);
		extractor_set_text("verdict", interval_ratio_word(&median, s->p[c->index]));
	}
	free(pair);
	free(total);
	free(ratio);
	return p;
}

static void set_latencies(const struct experiment_cell *c)
{
	static const struct {
		const char *name;
		double q;
	} quantiles[] = { { "p25", 0.25 }, { "p50", 0.5 }, { "p75", 0.75 }, { "p90", 0.9 }, { "max", 1 } };
	struct latency_pool pool = build_pool(c);
	bool known = ((const struct replays_run *)extractor_run_data())->analysis;
	size_t late = 0;
	bool apart;

	for (size_t i = 0; i < sizeof(quantiles) / sizeof(*quantiles); i++)
		extractor_set_figure(quantiles[i].name, pool_quantile(&pool, quantiles[i].q, US, POOL_REPLAYS, &apart));
	for (size_t k = 0; k < pool.n; k++)
		late += (double)pool.item[k].value > c->run->threshold_ms * US;
	give_values({ "responses", count_if(known, pool.n) }, { "late", 100 * (double)late / (double)pool.n });
	pool_free(&pool);
}

static void compute_replays_figures(const struct experiment_cell *c)
{
	const struct experiment_run *run = c->run;
	struct replays_run *s = extractor_run_data();
	const char *row;
	size_t i = 0;

	if (!s->p) {
		s->p = memory_new(run->n, sizeof(*s->p));
		for (size_t k = 0; k < run->n; k++)
			s->p[k] = &run->cell[k] == s->base ? (double)NAN : compare_pairs(&run->cell[k], false);
		interval_adjust_holm(s->p, run->n);
	}
	set_latencies(c);
	if (c == s->base) {
		give_values({ "pairs", 0 }, { "missing", 0 }, { "points", 0 }, { "slower", 0 }, { "faster", 0 },
			    { "total_ratio", NAN }, { "ratio", NAN }, { "ratio_p25", NAN }, { "ratio_p75", NAN },
			    { "ratio_max", NAN });
	} else {
		compare_pairs(c, true);
	}
	extractor_set_value("p", s->p[c->index]);
	while ((row = json_get_text(run->json, "settings.rows.%zu.setting", i)) && strcmp(row, c->name) != 0)
		i++;
	extractor_set_value("value", json_number(run->json, "settings.rows.%zu.value", i));
	extractor_set_text("says", row ? json_get_text(run->json, "settings.rows.%zu.says", i) : c->name);
}

static void write_responses(const struct experiment_cell *c, struct table_out *out)
{
	const struct replays_run *s = extractor_run_data();

	for (size_t i = 0; i < s->responses; i++) {
		struct response_means p = mean_response(c, i);
		char path[64];

		if (!p.n)
			continue;
		snprintf(path, sizeof(path), "result.responses.%zu", s->response[i]);
		row_set_parameters(out, c);
		row_set_json(out, s->analysis, path, "input kind at_s");
		row_finish(out, { "n", (double)p.n }, { "latency_ms", p.ms }, { "base_ms", p.base_ms }, { "ratio", p.ratio });
	}
}

static void write_replays(const struct experiment_cell *c, struct table_out *out)
{
	const struct replays_run *s = extractor_run_data();
	const struct session_replay *of = extractor_repeat_data(c->repeat);

	for (size_t i = 0; i < c->n; i++) {
		double found = 0;

		for (size_t k = 0; k < s->responses; k++)
			found += of[i].latency_ms[k] > 0;
		row_set_parameters(out, c);
		row_set_number(out, "repeat", (double)of[i].repeat);
		row_set_json(
			out, c->repeat[i].json, "",
			"total_s=play.total_s inputs=play.inputs inputs_of_trace=play.inputs_of_trace "
			"waited=play.snapshots.waited throttled_s=facts.throttled_s load_reads_per_s=facts.load_reads_per_s "
			"load_read_p50_ms=facts.load_read_p50_ms in_device_p90=facts.in_device_p90 waiting_mean=facts.waiting_mean "
			"tau=facts.tau passed_percent=facts.passed_percent delay_ms=facts.delay_ms disk_reads=disk.reads disk_writes=disk.writes "
			"server_busy_percent caches");
		row_finish(out, { "updates", of[i].updates }, { "bytes", of[i].bytes }, { "responses", found });
	}
}

static void write_cdf(const struct experiment_cell *c, struct table_out *out)
{
	struct latency_pool pool = build_pool(c);

	for (size_t k = 0; k < pool.n; k++) {
		row_set_parameters(out, c);
		row_finish(out, { "latency_ms", (double)pool.item[k].value / US }, { "share", (double)(k + 1) / (double)pool.n });
	}
	pool_free(&pool);
}

const struct extractor_hooks replays_extractor = {
	.name = "replays",
	.run_size = sizeof(struct replays_run),
	.repeat_size = sizeof(struct session_replay),
	.begin_run = read_analysis,
	.read_repeat = read_repeat,
	.finish_cell = compute_replays_figures,
	.tables = { { "points", write_responses }, { "runs", write_replays }, { "cdf", write_cdf } },
};
