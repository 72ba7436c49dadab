// SPDX-License-Identifier: GPL-3.0-or-later
#include "replays_table.h"
#include "holm.h"
#include "whole.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const verdicts[] = { "too few runs", "better", "worse", "no difference shown", "too noisy" };

static const char *const summary_columns[] = {
	"setting", "value", "says", "state", "repeats", "failed", "marked", "reason", "total_s", "total_s_low", "total_s_high", "total_ratio", "total_ratio_low", "total_ratio_high",
	"responses", "missing", "p25_ms", "p25_ms_low", "p25_ms_high", "p50_ms", "p50_ms_low", "p50_ms_high", "p75_ms", "p75_ms_low", "p75_ms_high", "p90_ms", "p90_ms_low", "p90_ms_high", "max_ms",
	"pairs", "ratio", "ratio_low", "ratio_high", "p", "verdict", "ratio_p25", "ratio_p75", "ratio_max", "points", "slower", "faster", "inputs_least", "inputs_of_trace", "waited",
	"throttled_s", "load_reads_per_s", "load_read_p50_ms", "delay_ms", "disk_reads", "disk_writes", "server_busy_percent", "caches", NULL,
};

static void write_span(struct rows *t, const struct replays_span *s, int decimals)
{
	whole_number(t, s->value, decimals);
	whole_number(t, s->low, decimals);
	whole_number(t, s->high, decimals);
}

static double mean_fact(const struct replays_read *r, size_t setting, int fact)
{
	double sum = 0;
	size_t n = 0;

	for (size_t i = 0; i < r->data.runs; i++) {
		if (r->data.setting[i] != setting || !isfinite(r->list[i].fact[fact]))
			continue;
		sum += r->list[i].fact[fact];
		n++;
	}
	return n ? sum / (double)n : (double)NAN;
}

static void write_inputs(struct rows *t, const struct replays_read *r, size_t setting)
{
	double least = NAN, most = NAN, waited = 0;
	size_t n = 0;

	for (size_t i = 0; i < r->data.runs; i++) {
		if (r->data.setting[i] != setting)
			continue;
		least = fmin(least, r->list[i].inputs);	/* of NAN and a number the number */
		most = fmax(most, r->list[i].inputs_of_trace);
		waited += r->list[i].waited;
		n++;
	}
	whole_number(t, least, 0);
	whole_number(t, most, 0);
	whole_number(t, n ? waited / (double)n : (double)NAN, 1);
}

/* One word for all replays of the setting. */
static void write_caches(struct rows *t, const struct replays_read *r, size_t setting)
{
	const char *word = "";

	for (size_t i = 0; i < r->data.runs; i++)
		if (r->data.setting[i] == setting)
			word = !*word || !strcmp(word, r->list[i].caches) ? r->list[i].caches : "mixed";
	rows_str(t, word);
}

static void write_setting(struct rows *t, const struct replays_read *r, size_t setting, const struct replays_figures *f, double p)
{
	const struct replays_setting *s = &r->setting[setting];

	rows_str(t, s->name);
	whole_number(t, s->value, 3);
	rows_str(t, s->says);
	rows_str(t, s->repeats ? "measured" : s->tried ? "failed" : "not measured");
	rows_int(t, (int64_t)s->repeats);
	rows_int(t, (int64_t)s->failed);
	rows_int(t, (int64_t)s->marked);
	rows_str(t, s->reason);
	write_span(t, &f->total_s, 3);
	write_span(t, &f->total_ratio, 5);
	rows_int(t, (int64_t)f->values);
	rows_int(t, (int64_t)f->missing);
	for (size_t i = 0; i < REPLAYS_PERCENTILES; i++)
		write_span(t, &f->percentile[i], 2);
	whole_number(t, f->values ? f->max_ms : (double)NAN, 2);
	rows_int(t, (int64_t)f->pairs);
	write_span(t, &f->ratio, 4);
	whole_number(t, p, 6);
	rows_str(t, setting == r->base ? "" : verdicts[replays_verdict(f, p)]);
	whole_number(t, f->ratio_p25, 4);
	whole_number(t, f->ratio_p75, 4);
	whole_number(t, f->ratio_max, 4);
	rows_int(t, (int64_t)f->points);
	rows_int(t, (int64_t)f->slower);
	rows_int(t, (int64_t)f->faster);
	write_inputs(t, r, setting);
	for (int i = 0; i < REPLAYS_FACTS; i++)
		whole_number(t, mean_fact(r, setting, i), 3);
	write_caches(t, r, setting);
	rows_end(t);
}

static int write_summary(struct rows *t, struct replays_read *r)
{
	struct replays_figures *f = calloc(r->n, sizeof(*f));
	double *p = calloc(r->n, sizeof(*p));
	int err = f && p ? 0 : -ENOMEM;

	for (size_t s = 0; !err && s < r->n; s++) {
		err = replays_figures_of(&r->data, s, r->base, (uint64_t)r->seed, &f[s]);
		p[s] = f[s].pairs < COMPARE_PAIRS ? (double)NAN : f[s].p;
	}
	err = err ? err : holm_adjust(p, r->n);
	for (size_t s = 0; !err && s < r->n; s++, r->done->rows++)
		write_setting(t, r, s, &f[s], p[s]);
	free(f);
	free(p);
	return err;
}

static const char *const point_columns[] = { "setting", "input", "kind", "at_s", "n", "latency_ms", "base_ms", "ratio", NULL };

static int write_points(struct rows *t, struct replays_read *r)
{
	for (size_t s = 0; s < r->n; s++) {
		for (size_t i = 0; i < r->data.responses; i++) {
			double ms, base_ms, ratio;
			size_t n;

			if (!replays_point_of(&r->data, i, s, r->base, &ms, &base_ms, &ratio, &n))
				continue;
			rows_str(t, r->setting[s].name);
			whole_number(t, r->response[i].input, 0);
			rows_str(t, r->response[i].kind);
			whole_number(t, r->response[i].at_s, 3);
			rows_int(t, (int64_t)n);
			whole_number(t, ms, 3);
			whole_number(t, base_ms, 3);
			whole_number(t, ratio, 4);
			rows_end(t);
		}
	}
	return 0;
}

static const char *const run_columns[] = { "setting", "repeat", "total_s", "inputs", "inputs_of_trace", "waited", "updates", "bytes", "responses", "throttled_s", "load_reads_per_s", "load_read_p50_ms", "delay_ms",
	"disk_reads", "disk_writes", "server_busy_percent", "caches", NULL };

static int write_runs(struct rows *t, struct replays_read *r)
{
	for (size_t i = 0; i < r->data.runs; i++) {
		int64_t found = 0;

		for (size_t k = 0; k < r->data.responses; k++)
			found += r->data.latency_ms[k * r->data.runs + i] > 0;
		rows_str(t, r->setting[r->data.setting[i]].name);
		rows_int(t, r->data.repeat[i]);
		whole_number(t, r->data.total_s[i], 3);
		whole_number(t, r->list[i].inputs, 0);
		whole_number(t, r->list[i].inputs_of_trace, 0);
		whole_number(t, r->list[i].waited, 0);
		whole_number(t, r->list[i].updates, 0);
		whole_number(t, r->list[i].bytes, 0);
		rows_int(t, found);
		for (int k = 0; k < REPLAYS_FACTS; k++)
			whole_number(t, r->list[i].fact[k], 3);
		rows_str(t, r->list[i].caches);
		rows_end(t);
	}
	return 0;
}

static const char *const cdf_columns[] = { "setting", "latency_ms", "share", NULL };

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Of all replays of a setting together. */
static int write_cdf(struct rows *t, struct replays_read *r)
{
	double *v = calloc(r->data.runs * r->data.responses + 1, sizeof(*v));

	if (!v)
		return -ENOMEM;
	for (size_t s = 0; s < r->n; s++) {
		size_t n = 0;

		for (size_t k = 0; k < r->data.responses * r->data.runs; k++)
			if (r->data.setting[k % r->data.runs] == s && r->data.latency_ms[k] > 0)
				v[n++] = r->data.latency_ms[k];
		qsort(v, n, sizeof(*v), ascending);
		for (size_t k = 0; k < n; k++) {
			rows_str(t, r->setting[s].name);
			whole_number(t, v[k], 3);
			whole_number(t, (double)(k + 1) / (double)n, 5);
			rows_end(t);
		}
	}
	free(v);
	return 0;
}

int replays_write(struct replays_read *r)
{
	static const struct {
		const char *name, *schema, *const *columns;
		int (*write)(struct rows *t, struct replays_read *r);
	} tables[] = {
		{ "points.tsv", "replays-points/1", point_columns, write_points },
		{ "runs.tsv", "replays-runs/1", run_columns, write_runs },
		{ "cdf.tsv", "replays-cdf/1", cdf_columns, write_cdf },
		{ "summary.tsv", "replays/1", summary_columns, write_summary },
	};
	enum { TABLES = sizeof(tables) / sizeof(*tables) };
	struct whole file[TABLES];
	size_t open = 0, closed = 0;
	int err = 0;

	while (!err && open < TABLES) {
		err = whole_open(&file[open], r->folder, tables[open].name, tables[open].schema, tables[open].columns);
		if (!err) {
			open++;
			err = tables[open - 1].write(file[open - 1].rows, r);
		}
	}
	while (!err && closed < open)
		err = whole_close(&file[closed++]);
	for (; closed < open; closed++)
		whole_drop(&file[closed]);
	if (err)
		snprintf(r->why, r->size, "%s: the tables cannot be written: %s", r->folder, strerror(-err));
	return err;
}
