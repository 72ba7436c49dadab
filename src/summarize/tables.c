// SPDX-License-Identifier: GPL-3.0-or-later
#include "tables.h"
#include "clock.h"
#include "compare.h"
#include "interval.h"
#include "stage_table.h"
#include "whole.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const struct { enum figure_name of; const char *name; int decimals; bool later; } figure_columns[] = {
	{ LATE, "late_share_percent", 3, false },
	{ LATE_HIGH, "late_share_high_percent", 3, false },
	{ P50, "latency_p50_ms", 3, true },
	{ P90, "latency_p90_ms", 3, true },
	{ P95, "latency_p95_ms", 3, true },
	{ P99, "latency_p99_ms", 3, true },
	{ MAX, "latency_max_ms", 3, true },
	{ HIGH_P50, "latency_high_p50_ms", 3, true },
	{ HIGH_P90, "latency_high_p90_ms", 3, true },
	{ HIGH_P95, "latency_high_p95_ms", 3, true },
	{ HIGH_P99, "latency_high_p99_ms", 3, true },
	{ HIGH_MAX, "latency_high_max_ms", 3, true },
	{ SENT_P50, "latency_sent_p50_ms", 3, true },
	{ STALL_MEAN, "mean_stall_ms", 3, false },
	{ STALL_POSITIVE, "mean_positive_stall_ms", 3, false },
	{ STALL_COUNT, "stall_count", 3, false },
	{ GAP, "largest_gap_ms", 3, false },
	{ JITTER_SD, "jitter_sd_ms", 3, false },
	{ JITTER_VARIANCE, "jitter_variance_ms2", 3, false },
	{ UPDATES_PER_KEY, "updates_per_key", 4, false },
	{ UPDATES_PER_S, "updates_per_s", 3, false },
	{ LATENESS_P99, "lateness_p99_us", 3, false },
	{ LATENESS_MAX, "lateness_max_us", 3, false },
	{ BACKLOG, "backlog_per_s", 3, false },
	{ WIRE_STALL_MEAN, "wire_mean_stall_ms", 3, false },
	{ WIRE_BYTES_PER_KEY, "wire_bytes_per_key", 1, false },
	{ COALESCED, "coalesced_percent", 2, false },
	{ LOAD_SHARE, "load_share_percent", 2, false },
};
enum { N_FIGURES = sizeof(figure_columns) / sizeof(*figure_columns) };

static const char *const before[] = { "protocol", "app", "sinks", "repeats", "state", "keys" };
static const char *const after[] = {
	"fair_stall_ms", "overloaded", "foreign_percent_max", "steal_percent_max", "disturbed_percent_max", "foreign_unknown",
	"capture_dropped", "censored", "stall_repeats", "failed", "marked", "skipped_keys", "unknown_keys", "ranged_keys", "pairing",
	"interval", "late_interval", "cost_ms", "period_ms", "schedule_jitter_ms", "wire_updates", "wire_updates_5ms",
	"wire_updates_20ms", "depends_on_merge", "server_busy_percent", "probe_cpu_percent_max", "capture_cpu_percent_max",
	"same_group", "competes_session", "competes_app", "competes_sinks", "reason",
	"wire_repeats", "wire_keys", "wire_exact_percent", "wire_truth_percent", "wire_truth_percent_low", "wire_truth_percent_high",
	"wire_truth_keys", "wire_latency_p50_ms", "wire_latency_p50_ms_low", "wire_latency_p50_ms_high", "wire_latency_p90_ms",
	"wire_latency_p90_ms_low", "wire_latency_p90_ms_high", "wire_latency_high_p50_ms", "wire_latency_high_p50_ms_low",
	"wire_latency_high_p50_ms_high", "wire_latency_high_p90_ms", "wire_latency_high_p90_ms_low", "wire_latency_high_p90_ms_high",
	"setting", "part",
};
#define COUNT(a) (sizeof(a) / sizeof(*(a)))

static void one_figure(struct rows *t, const struct figure *f, int decimals, bool later)
{
	whole_number(t, f->value, decimals);
	whole_number(t, f->low, decimals);
	whole_number(t, f->high, decimals);
	if (!later)
		return;
	if (isfinite(f->value))
		rows_int(t, f->above);
	else
		rows_none(t);
}

/* Keys of the train come every period; with n sinks that never sleep an application gets one part in n + 1, so a
 * redraw takes cost * (n + 1), and the gap between two is that once it is longer than the period. */
static double fair_stall(const struct cell *c)
{
	double stall = c->cost_ms * (double)(c->sinks + 1) - c->period_ms;

	return isnan(stall) ? NAN : fmax(0, stall);
}

static const char *state(const struct cell *c, const struct run *run, size_t repeats)
{
	if (!repeats)
		return "failed";
	return c->failed || (int64_t)repeats < run->repeats ? "partial" : "complete";
}

static const char *pairing(const struct train *t, size_t n)
{
	for (size_t r = 1; r < n; r++)
		if (strcmp(t[r].pairing, t[0].pairing) != 0)
			return "mixed";
	return n ? t[0].pairing : "";
}

/* All trains together: updates at each merge gap, then the number of trains of which it depends on the gap how many there are. */
static void merges(struct rows *t, const struct train *train, size_t n)
{
	int64_t depend = 0;
	size_t known = 0;

	for (int m = 0; m < MERGES; m++) {
		double sum = 0;

		for (size_t r = 0; r < n; r++)
			sum += train[r].wire_updates[m];
		whole_number(t, n ? sum : NAN, 0);
	}
	for (size_t r = 0; r < n; r++) {
		depend += train[r].depends_on_merge;
		known += isfinite(train[r].wire_updates[0]) ? 1 : 0;
	}
	if (known)
		rows_int(t, depend);
	else
		rows_none(t);
}

/* The train in blocks: how much the wire alone tells, and whether it is true. Without late ends all is exact, and the early ones are it. */
static void wire_cells(struct rows *t, const struct cell *c, const struct estimates *f)
{
	static const enum figure_name early[] = { P50, P90 }, late[] = { HIGH_P50, HIGH_P90 };
	size_t keys = 0, held = 0, exact = 0, told = 0;
	struct interval i = { NAN, NAN };

	for (size_t r = 0; r < c->n[SERIES_WIRE]; r++) {
		const struct truth *truth = &c->train[SERIES_WIRE][r].truth;

		keys += truth->keys;
		held += truth->held;
		exact += truth->exact;
		told += c->train[SERIES_WIRE][r].keys.n;
	}
	if (keys)
		interval_share(held, keys, &i);
	rows_int(t, (int64_t)c->n[SERIES_WIRE]);
	rows_int(t, (int64_t)told);
	whole_number(t, keys ? 100 * (double)exact / (double)keys : NAN, 3);
	whole_number(t, keys ? 100 * (double)held / (double)keys : NAN, 3);
	whole_number(t, 100 * i.low, 3);
	whole_number(t, 100 * i.high, 3);
	rows_int(t, (int64_t)keys);
	for (int e = 0; e < 2; e++)
		one_figure(t, &f->of[early[e]], 3, false);
	for (int e = 0; e < 2; e++)
		one_figure(t, &f->of[f->ranged ? late[e] : early[e]], 3, false);
}

static void summary_row(struct rows *t, const struct cell *c, const struct estimates *f, const struct estimates *wire, const struct run *run)
{
	static const char *const kinds[] = { "none", "t", "bca", "exact" };
	enum series l = run_series(c, SERIES_LATENCY), s = run_series(c, SERIES_STALL);

	rows_str(t, c->protocol);
	rows_str(t, c->app);
	rows_int(t, c->sinks);
	rows_int(t, (int64_t)c->n[l]);
	rows_str(t, state(c, run, c->n[l]));
	rows_int(t, (int64_t)f->keys);
	for (size_t i = 0; i < N_FIGURES; i++)
		one_figure(t, &f->of[figure_columns[i].of], figure_columns[i].decimals, figure_columns[i].later);
	whole_number(t, fair_stall(c), 3);
	rows_int(t, (int64_t)f->overloaded);
	whole_number(t, c->foreign_max, 2);
	whole_number(t, c->steal_max, 2);
	whole_number(t, c->disturbed_max, 2);
	rows_int(t, (int64_t)c->foreign_unknown);
	whole_number(t, c->capture_dropped, 0);
	rows_int(t, (int64_t)f->censored);
	rows_int(t, (int64_t)c->n[s]);
	rows_int(t, (int64_t)c->failed);
	rows_int(t, (int64_t)c->marked);
	rows_int(t, (int64_t)f->skipped);
	rows_int(t, (int64_t)f->unknown);
	rows_int(t, (int64_t)f->ranged_keys);
	rows_str(t, pairing(c->train[l], c->n[l]));
	rows_str(t, kinds[f->interval]);
	rows_str(t, kinds[f->late_interval]);
	whole_number(t, isfinite(c->cost_ms) ? c->cost_ms : c->asked_cost_ms, 3);
	whole_number(t, c->period_ms, 3);
	whole_number(t, c->schedule_jitter_ms[s], 3);
	merges(t, c->train[s], c->n[s]);
	whole_number(t, c->busy_mean, 1);
	whole_number(t, c->probe_max, 2);
	whole_number(t, c->capture_max, 2);
	if (c->same_group < 0)
		rows_none(t);
	else
		rows_int(t, c->same_group);
	for (int k = 0; k < COMPETITORS; k++)
		rows_str(t, c->competes[k] ? c->competes[k] : "");
	rows_str(t, c->reason ? c->reason : "");
	wire_cells(t, c, wire);
	rows_str(t, c->setting);
	rows_str(t, c->part);
	rows_end(t);
}

static int write_summary(const char *folder, const struct run *run, const struct estimates *figures, const struct estimates *wire)
{
	const char *columns[COUNT(before) + 4 * N_FIGURES + COUNT(after) + 1];
	char name[N_FIGURES][3][64];
	struct whole w;
	size_t n = 0;
	int err;

	for (size_t i = 0; i < COUNT(before); i++)
		columns[n++] = before[i];
	for (size_t i = 0; i < N_FIGURES; i++) {
		static const char *const ends[] = { "low", "high", "above" };

		columns[n++] = figure_columns[i].name;
		for (size_t e = 0; e < (figure_columns[i].later ? 3 : 2); e++) {
			snprintf(name[i][e], sizeof(name[i][e]), "%s_%s", figure_columns[i].name, ends[e]);
			columns[n++] = name[i][e];
		}
	}
	for (size_t i = 0; i < COUNT(after); i++)
		columns[n++] = after[i];
	columns[n] = NULL;
	err = whole_open(&w, folder, "summary.tsv", "summary/1", columns);
	if (err)
		return err;
	for (size_t i = 0; i < run->n; i++)
		summary_row(w.rows, &run->cell[i], &figures[i], &wire[i], run);
	return whole_close(&w);
}

static int curve(struct rows *t, const struct cell *c, bool high, const char *bound, size_t *rows)
{
	enum series s = run_series(c, SERIES_LATENCY);
	struct cdf_point *point;
	size_t n;
	int err = estimates_cdf(c->train[s], c->n[s], high, CDF_POINTS, &point, &n);

	for (size_t i = 0; !err && i < n; i++) {
		rows_str(t, c->app);
		rows_int(t, c->sinks);
		whole_number(t, (double)point[i].ns / NS_PER_MS, 6);
		whole_number(t, point[i].share, 6);
		rows_str(t, bound);
		rows_str(t, c->setting);
		rows_str(t, c->part);
		whole_number(t, c->asked_cost_ms, 3);
		rows_end(t);
	}
	*rows += n;
	free(point);
	return err;
}

static int write_cdf(const char *folder, const struct run *run, const struct estimates *figures, size_t *rows)
{
	static const char *const columns[] = { "app", "sinks", "latency_ms", "share", "bound", "setting", "part", "cost_ms", NULL };
	struct whole w;
	int err = whole_open(&w, folder, "cdf.tsv", "cdf/1", columns), closed;

	if (err)
		return err;
	for (size_t i = 0; i < run->n && !err; i++) {
		err = curve(w.rows, &run->cell[i], false, figures[i].ranged ? "low" : "exact", rows);
		if (!err && figures[i].ranged)
			err = curve(w.rows, &run->cell[i], true, "high", rows);
	}
	closed = whole_close(&w);
	return err ? err : closed;
}

int tables_write(const char *folder, const struct run *run, const struct estimates *figures, const struct estimates *wire,
		 struct tables_written *written, char *why, size_t size)
{
	int err = write_summary(folder, run, figures, wire);

	*written = (struct tables_written){ .rows = run->n };
	if (err) {
		snprintf(why, size, "%s/summary.tsv: %s", folder, strerror(-err));
		return err;
	}
	err = write_cdf(folder, run, figures, &written->cdf_rows);
	if (err)
		snprintf(why, size, "%s/cdf.tsv: %s", folder, strerror(-err));
	if (err)
		return err;
	err = stage_table_write(folder, run, &written->stage_rows);
	if (err) {
		snprintf(why, size, "%s/stages.tsv: %s", folder, strerror(-err));
		return err;
	}
	err = compare_write(folder, run, &written->compare_rows);
	if (err)
		snprintf(why, size, "%s/compare.tsv: %s", folder, strerror(-err));
	return err;
}
