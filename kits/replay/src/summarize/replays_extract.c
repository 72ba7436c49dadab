// SPDX-License-Identifier: GPL-3.0-or-later
/* replays_extract - replays of one recorded session, from RUN/analysis.json (vncplay analyze of all replays together) and their
 * cell.json. A cell is a setting: an element of settings.rows in run.json (setting, value: position on an axis, says);
 * settings.base names the setting that others are compared with.
 *	replays:value	text replays:says	of settings.rows
 *	replays:p25 p50 p75 p90 max responses	response times of all replays of the setting (ms), and their number
 *	replays:late	percent of them over the threshold
 *	replays:total_ratio ratio pairs p missing ratio_p25 ratio_p75 ratio_max points slower faster	relative to the base; p after Holm
 *	text replays:verdict
 * Rows: points (a response at a setting), runs (a replay), cdf (the share of responses within a time). */
#include "replays.h"
#include "summarize/engine.h"

/* responses that were matched with less confidence are left out, unless the run sets settings.confidence */
#define REPLAYS_SURE 0.5

static const char *const replays_names[REPLAYS_FIGURES] = {
	"p25",	  "p50",    "p75",  "p90",	   "max",   "responses", "pairs",     "missing",   "points",
	"slower", "faster", "late", "total_ratio", "ratio", "p",	 "ratio_p25", "ratio_p75", "ratio_max",
};

struct replays_run {
	const struct json_document *analysis; /* analysis.json; NULL: the run has none */
	const struct experiment_cell *base;
	size_t *response, responses; /* indices of the used responses in the analysis */
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
			s->response = memory_grow(s->response, s->responses, sizeof(*s->response));
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

static struct setting_replays get_replays(const struct experiment_cell *c)
{
	return (struct setting_replays){ extractor_repeat_data(c->repeat), c->n,
					 ((const struct replays_run *)extractor_run_data())->responses };
}

static void compute_all(const struct experiment_run *run)
{
	const struct replays_run *s = extractor_run_data();
	const struct setting_replays base = get_replays(s->base);
	double *p = memory_new(run->n, sizeof(*p));

	for (const struct experiment_cell *c = run->cell; c < run->cell + run->n; c++) {
		const struct setting_replays r = get_replays(c);
		struct figure *f = extractor_cell_data(c);

		replays_compute(&r, c == s->base ? NULL : &base, run->threshold_ms, run->draws, (uint64_t)run->seed, f);
		p[c->index] = f[REPLAYS_P].value;
	}
	interval_adjust_holm(p, run->n);
	for (const struct experiment_cell *c = run->cell; c < run->cell + run->n; c++)
		((struct figure *)extractor_cell_data(c))[REPLAYS_P] = figure_exact(p[c->index]);
	free(p);
}

static void set_figures(const struct experiment_cell *c)
{
	const struct replays_run *s = extractor_run_data();
	const struct figure *f = extractor_cell_data(c);
	const char *row;
	size_t i = 0;

	if (!c->index)
		compute_all(c->run);
	for (size_t k = 0; k < REPLAYS_FIGURES; k++)
		extractor_set_figure(replays_names[k], f[k]);
	while ((row = json_get_text(c->run->json, "settings.rows.%zu.setting", i)) && strcmp(row, c->name) != 0)
		i++;
	extractor_set_value("value", json_number(c->run->json, "settings.rows.%zu.value", i));
	extractor_set_text("says", row ? json_get_text(c->run->json, "settings.rows.%zu.says", i) : c->name);
	extractor_set_text("verdict", c == s->base ? NULL : interval_ratio_word(&f[REPLAYS_RATIO], f[REPLAYS_P].value));
}

static void write_responses(const struct experiment_cell *c, struct table_out *out)
{
	const struct replays_run *s = extractor_run_data();
	const struct setting_replays r = get_replays(c), base = get_replays(s->base);

	for (size_t i = 0; i < s->responses; i++) {
		struct response_means p = replays_response_means(&r, &base, i);
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
	const struct setting_replays r = get_replays(c);

	for (size_t i = 0; i < r.n; i++) {
		double found = 0;

		for (size_t k = 0; k < r.responses; k++)
			found += r.of[i].latency_ms[k] > 0;
		row_set_parameters(out, c);
		row_set_number(out, "repeat", (double)r.of[i].repeat);
		row_set_json(
			out, c->repeat[i].json, "",
			"total_s=play.total_s inputs=play.inputs inputs_of_trace=play.inputs_of_trace "
			"waited=play.snapshots.waited throttled_s=facts.throttled_s load_reads_per_s=facts.load_reads_per_s "
			"load_read_p50_ms=facts.load_read_p50_ms in_device_p90=facts.in_device_p90 waiting_mean=facts.waiting_mean "
			"tau=facts.tau passed_percent=facts.passed_percent delay_ms=facts.delay_ms disk_reads=disk.reads disk_writes=disk.writes "
			"server_busy_percent caches");
		row_finish(out, { "updates", r.of[i].updates }, { "bytes", r.of[i].bytes }, { "responses", found });
	}
}

static void write_cdf(const struct experiment_cell *c, struct table_out *out)
{
	const struct setting_replays r = get_replays(c);
	struct latency_pool pool = replays_build_pool(&r);

	for (size_t k = 0; k < pool.n; k++) {
		row_set_parameters(out, c);
		row_finish(out, { "latency_ms", (double)pool.item[k].value / 1000 }, { "share", (double)(k + 1) / (double)pool.n });
	}
	pool_free(&pool);
}

const struct extractor_hooks replays_extractor = {
	.name = "replays",
	.run_size = sizeof(struct replays_run),
	.cell_size = REPLAYS_FIGURES * sizeof(struct figure),
	.repeat_size = sizeof(struct session_replay),
	.begin_run = read_analysis,
	.read_repeat = read_repeat,
	.finish_cell = set_figures,
	.tables = { { "points", write_responses }, { "runs", write_replays }, { "cdf", write_cdf } },
};
