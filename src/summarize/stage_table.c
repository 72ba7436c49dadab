// SPDX-License-Identifier: GPL-3.0-or-later
#include "stage_table.h"
#include "clock.h"
#include "interval.h"
#include "run.h"
#include "whole.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

/* In the order in which a key meets them. */
static const enum stage order[] = { DUE_SENT, SENT_WIRE, WIRE_APP, APP_DRAWN, DRAWN_WIRE, WIRE_WIRE, WIRE_PIXELS };

/* One stage over all repeats; `stage` STAGES_ALL: the latency itself. */
static const struct sample *of(const struct train *t, int stage)
{
	return stage == STAGES_ALL ? &t->stages.latency : &t->stages.of[stage];
}

static bool any_split(const struct cell *c, enum series s, int stage)
{
	for (size_t r = 0; r < c->n[s]; r++)
		if (c->train[s][r].stages.of[stage].n)
			return true;
	return false;
}

/* Where the application's log is there for some trains only, those without it are left out of every row: means of the stages add
 * up to that of the latency only where all are of the same keys. */
static bool belongs(const struct train *t, bool logged)
{
	return !logged || t->stages.of[WIRE_APP].n;
}

static int pool(const struct train *t, size_t n, bool logged, int stage, struct sample *all, double *means, size_t *known)
{
	*known = 0;
	for (size_t r = 0; r < n; r++) {
		const struct sample *s = of(&t[r], stage);

		if (!belongs(&t[r], logged))
			continue;
		for (size_t i = 0; i < s->n; i++)
			sample_add(all, s->value[i]);
		if (s->n)
			means[(*known)++] = sample_mean(s).value / NS_PER_MS;
	}
	return all->lost ? -ENOMEM : 0;
}

static void tail(struct rows *t, struct sample *s, double p)
{
	whole_number(t, sample_supports(s, p) ? sample_quantile(s, p).value / NS_PER_MS : NAN, 3);
}

static int row(struct rows *t, const struct cell *c, enum series s, bool logged, int stage, size_t of_keys, double *means, double *at_ms)
{
	struct interval i = { NAN, NAN };
	struct sample all = { 0 };
	size_t runs;
	double mean;
	int err = pool(c->train[s], c->n[s], logged, stage, &all, means, &runs);

	if (err || !all.n) {
		sample_free(&all);
		return err;
	}
	mean = sample_mean(&all).value / NS_PER_MS;
	/* The mean of all keys is no geometric mean, nor that of the repeats where these have not as many: widened to hold it. */
	if (interval_t_log(means, runs, &i) || interval_t(means, runs, &i))
		i = (struct interval){ fmax(0, fmin(i.low, mean)), fmax(i.high, mean) };
	rows_str(t, c->app);
	rows_int(t, c->sinks);
	rows_str(t, stage == STAGES_ALL ? "latency" : stage_names[stage]);
	rows_int(t, (int64_t)all.n);
	rows_int(t, (int64_t)of_keys);
	whole_number(t, mean, 6);
	whole_number(t, i.low, 3);
	whole_number(t, i.high, 3);
	tail(t, &all, 0.5);
	tail(t, &all, 0.9);
	whole_number(t, sample_max(&all).value / NS_PER_MS, 3);
	whole_number(t, stage == STAGES_ALL ? 0 : *at_ms, 6);
	*at_ms = stage == STAGES_ALL ? mean : *at_ms + mean;
	whole_number(t, *at_ms, 6);
	rows_end(t);
	sample_free(&all);
	return 0;
}

static int cell_rows(struct rows *t, const struct cell *c, size_t *rows)
{
	enum series s = run_series(c, SERIES_LATENCY);
	double *means = calloc(c->n[s] + 1, sizeof(*means)), at_ms = 0;
	size_t of_keys = 0;
	bool overloaded = false, logged = any_split(c, s, WIRE_APP);
	int err = means ? 0 : -ENOMEM;

	for (size_t r = 0; r < c->n[s]; r++) {
		of_keys += belongs(&c->train[s][r], logged) ? c->train[s][r].stages.keys : 0;
		overloaded = overloaded || c->train[s][r].overloaded;
	}
	if (overloaded) {	/* they would tell how long the run was */
		free(means);
		return err;
	}
	for (size_t i = 0; i < sizeof(order) / sizeof(*order) && !err; i++) {
		if (!any_split(c, s, (int)order[i]) || (logged && order[i] == WIRE_WIRE))
			continue;
		err = row(t, c, s, logged, (int)order[i], of_keys, means, &at_ms);
		++*rows;
	}
	if (!err && any_split(c, s, DUE_SENT)) {
		err = row(t, c, s, logged, STAGES_ALL, of_keys, means, &at_ms);
		++*rows;
	}
	free(means);
	return err;
}

int stage_table_write(const char *folder, const struct run *run, size_t *rows)
{
	static const char *const columns[] = { "app", "sinks", "stage", "keys", "of_keys", "mean_ms", "mean_ms_low", "mean_ms_high", "p50_ms",
					       "p90_ms", "max_ms", "from_ms", "to_ms", NULL };
	struct whole w;
	int err = whole_open(&w, folder, "stages.tsv", "stages/1", columns), closed;

	*rows = 0;
	if (err)
		return err;
	for (size_t i = 0; i < run->n && !err; i++)
		err = cell_rows(w.rows, &run->cell[i], rows);
	closed = whole_close(&w);
	return err ? err : closed;
}
