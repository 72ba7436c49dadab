// SPDX-License-Identifier: GPL-3.0-or-later
/* replays_extract - replays of one recorded session: RUN/analysis.json (vncplay analyze of all replays together) and their
 * cell.json. A cell is a setting of run.json's settings.rows (setting, value: its place on an axis, says); settings.base names the
 * one that others are held against.
 *
 *	replays:value	text replays:says	of settings.rows
 *	replays:p25 p50 p75 p90 max responses	response times of all replays of the setting together (ms), and how many they are
 *	replays:total_ratio ratio pairs p missing ratio_p25 ratio_p75 ratio_max points slower faster	against the base; p after Holm
 *	text replays:verdict
 * Rows: points (a response at a setting), runs (a replay), cdf (the share of responses within a time). */
#include "engine.h"
#include "holm.h"
#include "replays.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define REPLAYS_SURE 0.5	/* responses matched with less confidence are left out */

struct replays_run {
	const struct repeat *repeat;
	const struct cell *cell;
	double updates, bytes;	/* of the analysis; NAN: it does not know this replay */
};

struct replays_response {
	double input, at_s;
	const char *kind;
};

struct replays_state {
	const struct run *run;
	struct json *analysis;			/* NULL: there is none */
	struct replays data;
	size_t base;				/* cell */
	struct replays_run *list;		/* beside data's runs */
	struct replays_response *response;	/* beside data's responses */
	struct figure (*figures)[REPLAYS_FIGURES];	/* of each cell */
};

static const char *const replays_names[REPLAYS_FIGURES] = {
	[REPLAYS_P25] = "p25", [REPLAYS_P50] = "p50", [REPLAYS_P75] = "p75", [REPLAYS_P90] = "p90", [REPLAYS_MAX] = "max",
	[REPLAYS_RESPONSES] = "responses", [REPLAYS_TOTAL_RATIO] = "total_ratio", [REPLAYS_RATIO] = "ratio", [REPLAYS_PAIRS] = "pairs",
	[REPLAYS_P] = "p", [REPLAYS_MISSING] = "missing", [REPLAYS_RATIO_P25] = "ratio_p25", [REPLAYS_RATIO_P75] = "ratio_p75",
	[REPLAYS_RATIO_MAX] = "ratio_max", [REPLAYS_POINTS] = "points", [REPLAYS_SLOWER_POINTS] = "slower",
	[REPLAYS_FASTER_POINTS] = "faster",
};

static void replays_close(void *state)
{
	struct replays_state *s = state;

	json_free(s->analysis);
	replays_free(&s->data);
	free(s->list);
	free(s->response);
	free(s->figures);
	free(s);
}

/* The cell's row of settings.rows: "settings.rows.N". False: there is none. */
static bool replays_row(const struct cell *c, char *path, size_t size)
{
	const char *name;

	for (size_t i = 0;; i++) {
		snprintf(path, size, "settings.rows.%zu", i);
		name = inputs_text(c->run->json, "%s.setting", path);
		if (!name || !strcmp(name, c->name))
			return name != NULL;
	}
}

static int replays_read_cells(struct replays_state *s, struct why *why)
{
	const struct run *run = s->run;
	const char *base = json_get_str(run->json, "settings.base");
	struct replays *d = &s->data;
	size_t most = run->n * (size_t)run->repeats;

	d->setting = calloc(most, sizeof(*d->setting));
	d->repeat = calloc(most, sizeof(*d->repeat));
	d->total_s = calloc(most, sizeof(*d->total_s));
	s->list = calloc(most, sizeof(*s->list));
	s->figures = calloc(run->n, sizeof(*s->figures));
	if (!d->setting || !d->repeat || !d->total_s || !s->list || !s->figures)
		return why_no_memory(why);
	for (size_t i = 0; i < run->n; i++) {
		const struct cell *c = &run->cell[i];

		if (base && !strcmp(base, c->name))
			s->base = i;
		for (size_t k = 0; k < c->n; k++, d->runs++) {
			s->list[d->runs] = (struct replays_run){ &c->repeat[k], c, NAN, NAN };
			d->setting[d->runs] = i;
			d->repeat[d->runs] = c->repeat[k].number;
			d->total_s[d->runs] = inputs_number(c->repeat[k].json, "play.total_s");
		}
	}
	return 0;
}

/* How many places `list` has in which `key` is there. */
static size_t replays_count(const struct json *j, const char *list, const char *key)
{
	size_t n = 0;

	while (inputs_text(j, "%s.%zu.%s", list, n, key) || !isnan(inputs_number(j, "%s.%zu.%s", list, n, key)))
		n++;
	return n;
}

/* The place of a replay of ours among the analysis' runs; `n`: it is not there. */
static size_t replays_place(const struct json *j, size_t n, const struct replays_run *run)
{
	char file[300];
	const char *is;
	size_t i;

	snprintf(file, sizeof(file), "cells/%s/%lld/replay.rfb", run->cell->name, (long long)run->repeat->number);
	for (i = 0; i < n; i++) {
		is = inputs_text(j, "result.runs.%zu.file", i);
		if (is && !strcmp(is, file))
			break;
	}
	return i;
}

static int replays_read_analysis(struct replays_state *s, struct why *why)
{
	struct replays *d = &s->data;
	const struct json *j = s->analysis;
	size_t runs = replays_count(j, "result.runs", "file"), n = replays_count(j, "result.responses", "input");
	size_t *place = calloc(d->runs + 1, sizeof(*place));
	char path[96];

	d->latency_ms = calloc(n * d->runs + 1, sizeof(*d->latency_ms));
	s->response = calloc(n + 1, sizeof(*s->response));
	if (!place || !d->latency_ms || !s->response) {
		free(place);
		return why_no_memory(why);
	}
	for (size_t k = 0; k < d->runs; k++) {
		place[k] = replays_place(j, runs, &s->list[k]);
		s->list[k].updates = inputs_number(j, "result.runs.%zu.updates", place[k]);
		s->list[k].bytes = inputs_number(j, "result.runs.%zu.bytes", place[k]);
	}
	for (size_t i = 0; i < n; i++) {
		snprintf(path, sizeof(path), "result.responses.%zu", i);
		if (inputs_number(j, "%s.confidence", path) < REPLAYS_SURE)
			continue;
		s->response[d->responses] = (struct replays_response){ inputs_number(j, "%s.input", path), inputs_number(j, "%s.at_s", path),
			inputs_text(j, "%s.kind", path) };
		for (size_t k = 0; k < d->runs; k++) {
			d->latency_ms[d->responses * d->runs + k] =
				place[k] < runs ? inputs_number(j, "%s.latency_from_press_ms.%zu", path, place[k]) : (double)NAN;
		}
		d->responses++;
	}
	free(place);
	return 0;
}

static int replays_compute(struct replays_state *s, struct why *why)
{
	const struct run *run = s->run;
	double *p = calloc(run->n, sizeof(*p));
	int err = p ? 0 : -ENOMEM;

	for (size_t i = 0; !err && i < run->n; i++) {
		err = replays_figures_of(&s->data, i, s->base, run->draws, (uint64_t)run->seed, s->figures[i]);
		p[i] = s->figures[i][REPLAYS_P].value;
	}
	if (!err)
		err = holm_adjust(p, run->n);
	for (size_t i = 0; !err && i < run->n; i++)
		s->figures[i][REPLAYS_P].value = p[i];
	free(p);
	return err ? why_no_memory(why) : 0;
}

static void *replays_open(const struct run *run, struct why *why)
{
	struct replays_state *s = run_state(run, sizeof(*s), 0, why);
	int err;

	if (!s)
		return NULL;
	err = replays_read_cells(s, why);
	if (!err && inputs_there(run->folder, "analysis.json")) {
		s->analysis = inputs_json(run->folder, "analysis.json", why);
		err = s->analysis ? replays_read_analysis(s, why) : -EPROTO;
	}
	if (!err)
		err = replays_compute(s, why);
	if (!err)
		return s;
	replays_close(s);
	return NULL;
}

static int replays_figure(void *state, const struct cell *c, const char *path, struct figure *out)
{
	const struct replays_state *s = state;
	char row[64];

	if (!strcmp(path, "value")) {
		out->value = replays_row(c, row, sizeof(row)) ? inputs_number(c->run->json, "%s.value", row) : (double)NAN;
		return 0;
	}
	for (size_t i = 0; i < REPLAYS_FIGURES; i++)
		if (!strcmp(path, replays_names[i])) {
			*out = s->figures[c->index][i];
			return 0;
		}
	return -ENOENT;
}

static const char *replays_text(void *state, const struct cell *c, const char *path)
{
	const struct replays_state *s = state;
	char row[64];

	if (!strcmp(path, "verdict"))
		return c->index == s->base ? NULL : replays_verdict(s->figures[c->index]);
	return replays_row(c, row, sizeof(row)) ? inputs_text(c->run->json, "%s.%s", row, path) : c->name;
}

static void replays_rows_points(const struct replays_state *s, struct table_out *out)
{
	for (size_t c = 0; c < s->run->n; c++)
		for (size_t i = 0; i < s->data.responses; i++) {
			struct replays_point p = replays_point_of(&s->data, i, c, s->base);

			if (!p.n)
				continue;
			row_params(out, &s->run->cell[c]);
			row_number(out, "input", s->response[i].input);
			row_text(out, "kind", s->response[i].kind);
			row_number(out, "at_s", s->response[i].at_s);
			row_number(out, "n", (double)p.n);
			row_number(out, "latency_ms", p.ms);
			row_number(out, "base_ms", p.base_ms);
			row_number(out, "ratio", p.ratio);
			row_end(out);
		}
}

static void replays_rows_runs(const struct replays_state *s, struct table_out *out)
{
	static const struct { const char *column, *in, *key; } numbers[] = {
		{ "total_s", "play", "total_s" }, { "inputs", "play", "inputs" }, { "inputs_of_trace", "play", "inputs_of_trace" },
		{ "waited", "play.snapshots", "waited" }, { "throttled_s", "facts", "throttled_s" },
		{ "load_reads_per_s", "facts", "load_reads_per_s" }, { "load_read_p50_ms", "facts", "load_read_p50_ms" },
		{ "delay_ms", "facts", "delay_ms" }, { "disk_reads", "disk", "reads" }, { "disk_writes", "disk", "writes" },
	};

	for (size_t i = 0; i < s->data.runs; i++) {
		const struct json *j = s->list[i].repeat->json;
		size_t found = 0;

		for (size_t k = 0; k < s->data.responses; k++)
			found += s->data.latency_ms[k * s->data.runs + i] > 0;
		row_params(out, s->list[i].cell);
		row_number(out, "repeat", (double)s->data.repeat[i]);
		for (size_t k = 0; k < sizeof(numbers) / sizeof(*numbers); k++)
			row_number(out, numbers[k].column, inputs_number(j, "%s.%s", numbers[k].in, numbers[k].key));
		row_number(out, "updates", s->list[i].updates);
		row_number(out, "bytes", s->list[i].bytes);
		row_number(out, "responses", (double)found);
		row_number(out, "server_busy_percent", inputs_number(j, "server_busy_percent"));
		row_text(out, "caches", json_get_str(j, "caches"));
		row_end(out);
	}
}

static int replays_ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static int replays_rows_cdf(const struct replays_state *s, struct table_out *out, struct why *why)
{
	const struct replays *d = &s->data;
	double *v = calloc(d->runs * d->responses + 1, sizeof(*v));

	if (!v)
		return why_no_memory(why);
	for (size_t c = 0; c < s->run->n; c++) {
		size_t n = 0;

		for (size_t k = 0; k < d->runs * d->responses; k++)
			if (d->setting[k % d->runs] == c && d->latency_ms[k] > 0)
				v[n++] = d->latency_ms[k];
		qsort(v, n, sizeof(*v), replays_ascending);
		for (size_t k = 0; k < n; k++) {
			row_params(out, &s->run->cell[c]);
			row_number(out, "latency_ms", v[k]);
			row_number(out, "share", (double)(k + 1) / (double)n);
			row_end(out);
		}
	}
	free(v);
	return 0;
}

static int replays_rows(void *state, const char *table, struct table_out *out, struct why *why)
{
	if (!strcmp(table, "cdf"))
		return replays_rows_cdf(state, out, why);
	if (!strcmp(table, "points"))
		replays_rows_points(state, out);
	else
		replays_rows_runs(state, out);
	return 0;
}

const struct extractor replays_extractor = { .name = "replays", .open = replays_open, .figure = replays_figure,
	.text = replays_text, .rows = replays_rows, .close = replays_close };
