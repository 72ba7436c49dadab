// SPDX-License-Identifier: GPL-3.0-or-later
#include "capacity.h"
#include "combine.h"
#include "means.h"
#include "whole.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static enum combine how(enum capacity_figure f)
{
	return f == CAPACITY_P95 ? COMBINE_TIMES : f == CAPACITY_APDEX || f == CAPACITY_BUSY ? COMBINE_SPREAD : COMBINE_MEAN;
}

static const char *const summary_columns[] = {
	"system", "protocol", "app", "users", "state", "repeats", "failed", "marked", "mean_ms", "p50_ms", "p95_ms", "p95_ms_low", "p95_ms_high", "apdex", "apdex_low",
	"apdex_high", "late_percent", "all_p95_ms", "all_mean_ms", "jain", "worst_over_median", "keys_per_s", "server_busy_percent", "server_busy_percent_low",
	"server_busy_percent_high", "client_busy_percent", "foreign_percent", "waiting", "available_bytes", "swap_in_bytes_per_s", "link_percent", "own_percent",
	"major_faults_per_s", "drops_per_s", "client_waiting", "memory_stall_ms_per_s", "more_ms", "wait_ms", "wait_share_percent", "wait_over_queue",
	"viewers_share_percent", "memory_share_percent", "faults_percent", "drops_percent", NULL,
};

static int decimals(enum capacity_figure f)
{
	return f == CAPACITY_APDEX || f == CAPACITY_JAIN ? 4 : f == CAPACITY_AVAILABLE || f == CAPACITY_SWAP_IN ? 0 : 3;
}

static int64_t next_users(const struct capacity_system *s, int64_t after)
{
	int64_t next = INT64_MAX;

	for (size_t i = 0; i < s->steps; i++)
		if (s->step[i].users > after && s->step[i].users < next)
			next = s->step[i].users;
	return next;
}

static void name(struct rows *t, const struct capacity_system *s)
{
	rows_str(t, s->name);
	rows_str(t, s->protocol);
	rows_str(t, s->app);
}

static void write_users(struct rows *t, const struct capacity_run *run, const struct capacity_system *s, int64_t users, struct means *m)
{
	int64_t n = 0;

	for (size_t i = 0; i < s->steps; i++)
		n += s->step[i].users == users;
	name(t, s);
	rows_int(t, users);
	rows_str(t, "measured");
	rows_int(t, n);
	rows_int(t, s->failed);
	rows_int(t, s->marked);
	for (int f = 0; f < CAPACITY_FIGURES; f++) {
		m->n = 0;
		for (size_t i = 0; i < s->steps; i++)
			if (s->step[i].users == users)
				means_add(m, s->step[i].of[f]);
		combine_write(t, how((enum capacity_figure)f), m, decimals((enum capacity_figure)f), run->seed);
	}
	rows_end(t);
}

/* A system of which nothing was measured is a row, too. */
static void write_none(struct rows *t, const struct capacity_system *s)
{
	size_t cells = sizeof(summary_columns) / sizeof(*summary_columns) - 1;

	name(t, s);
	rows_none(t);
	rows_str(t, "failed");
	rows_int(t, 0);
	rows_int(t, s->failed);
	rows_int(t, 0);
	for (size_t c = 8; c < cells; c++)
		rows_none(t);
	rows_end(t);
}

static int write_summary(const char *folder, const struct capacity_run *run, struct means *m, size_t *rows)
{
	struct whole w;
	int err = whole_open(&w, folder, "summary.tsv", "capacity/1", summary_columns);

	if (err)
		return err;
	for (size_t i = 0; i < run->systems; i++) {
		const struct capacity_system *s = &run->system[i];

		if (!s->steps) {
			write_none(w.rows, s);
			++*rows;
		}
		for (int64_t users = next_users(s, 0); users != INT64_MAX; users = next_users(s, users)) {
			write_users(w.rows, run, s, users, m);
			++*rows;
		}
	}
	return whole_close(&w);
}

/* --- the most users -------------------------------------------------------------------------------------------- */

static const char *const limit_columns[] = { "system", "protocol", "app", "criterion", "repeats", "reached", "users", "users_low", "users_high", "users_min", "users_max",
					     "limit", "ended", "jain_good", "jain_bad", "worst_good", "worst_bad", "forecast", "forecast_low", "forecast_high",
					     "forecast_repeats", "forecast_repeats_low", "forecast_repeats_high", "forecast_of", "forecast_why", "forecast_from", NULL };

bool capacity_seen_before(const struct capacity_system *s, size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (!strcmp(s->limit[k].criterion, s->limit[i].criterion))
			return true;
	return false;
}

/* How alike users fared at the last number for which it held, or the first for which it did not: means over the repeats. */
static double fared(const struct capacity_system *s, const char *criterion, bool bad, enum capacity_figure f, struct means *m)
{
	m->n = 0;
	for (size_t i = 0; i < s->limits; i++) {
		const struct capacity_limit *l = &s->limit[i];
		const struct capacity_step *step = capacity_find(s, bad ? l->beyond : l->users, l->repeat);

		if (!strcmp(l->criterion, criterion) && step)
			means_add(m, step->of[f]);
	}
	return means_of(m);
}

static void write_limit(struct rows *t, const struct capacity_run *run, const struct capacity_system *s, const char *criterion, struct means *m)
{
	int64_t n = 0, reached = 0;
	double least = INFINITY, most = -INFINITY;
	const char *ended = "";
	char words[256];

	m->n = 0;
	for (size_t i = 0; i < s->limits; i++) {
		const struct capacity_limit *l = &s->limit[i];

		if (strcmp(l->criterion, criterion) != 0)
			continue;
		n++;
		reached += l->reached;
		least = fmin(least, l->users);
		most = fmax(most, l->users);
		means_add(m, l->users);
		if (l->ended[0])
			ended = l->ended;
	}
	rows_str(t, s->name);
	rows_str(t, s->protocol);
	rows_str(t, s->app);
	rows_str(t, criterion);
	rows_int(t, n);
	rows_int(t, reached);
	if (reached == n) {
		means_write(t, m, 0, 2, run->seed);
	} else {	/* a bound from below has no interval */
		whole_number(t, means_of(m), 2);
		rows_none(t);
		rows_none(t);
	}
	whole_number(t, least, 0);
	whole_number(t, most, 0);
	capacity_words(run, s, criterion, words, sizeof(words));
	rows_str(t, words);
	rows_str(t, ended);
	whole_number(t, fared(s, criterion, false, CAPACITY_JAIN, m), 4);
	whole_number(t, fared(s, criterion, true, CAPACITY_JAIN, m), 4);
	whole_number(t, fared(s, criterion, false, CAPACITY_WORST, m), 3);
	whole_number(t, fared(s, criterion, true, CAPACITY_WORST, m), 3);
	capacity_write_forecast(t, run, s, criterion, m);
	rows_end(t);
}

static int write_limits(const char *folder, const struct capacity_run *run, struct means *m)
{
	struct whole w;
	int err = whole_open(&w, folder, "points.tsv", "capacity-limit/1", limit_columns);

	if (err)
		return err;
	for (size_t i = 0; i < run->systems; i++) {
		const struct capacity_system *s = &run->system[i];

		for (size_t k = 0; k < s->limits; k++)
			if (!capacity_seen_before(s, k))
				write_limit(w.rows, run, s, s->limit[k].criterion, m);
	}
	return whole_close(&w);
}

/* --- on both sides of the limit -------------------------------------------------------------------------------- */

static const char *const compare_columns[] = { "system", "criterion", "repeat", "name", "unit", "at_least", "users_good", "good", "users_bad", "bad", "full", NULL };

static void write_sides(struct rows *t, const struct capacity_run *run, const struct capacity_system *s, const struct capacity_limit *l)
{
	for (size_t i = 0; i < run->rules; i++) {
		const struct capacity_rule *r = &run->rule[i];

		rows_str(t, s->name);
		rows_str(t, l->criterion);
		rows_int(t, l->repeat);
		rows_str(t, r->name);
		rows_str(t, r->unit);
		whole_number(t, r->at_least, 1);
		whole_number(t, l->users, 0);
		whole_number(t, capacity_value(s, l, r, l->users), 2);
		whole_number(t, l->reached ? l->beyond : (double)NAN, 0);
		whole_number(t, l->reached ? capacity_value(s, l, r, l->beyond) : (double)NAN, 2);
		rows_int(t, l->reached && capacity_full(run, s, l, r, l->beyond));
		rows_end(t);
	}
}

static int write_compare(const char *folder, const struct capacity_run *run)
{
	struct whole w;
	int err = whole_open(&w, folder, "compare.tsv", "capacity-compare/1", compare_columns);

	if (err)
		return err;
	for (size_t i = 0; i < run->systems; i++)
		for (size_t k = 0; k < run->system[i].limits; k++)
			write_sides(w.rows, run, &run->system[i], &run->system[i].limit[k]);
	return whole_close(&w);
}

int capacity_tables(const char *folder, const struct capacity_run *run, const char **file, size_t *rows)
{
	struct means m = { .v = calloc((size_t)run->repeats + 1, sizeof(double)) };
	int err = m.v ? 0 : -ENOMEM;

	*file = "summary.tsv";
	*rows = 0;
	err = err ? err : write_summary(folder, run, &m, rows);
	if (!err) {
		*file = "points.tsv";
		err = write_limits(folder, run, &m);
	}
	if (!err) {
		*file = "compare.tsv";
		err = write_compare(folder, run);
	}
	if (!err) {
		*file = "slope.tsv";
		err = capacity_write_slopes(folder, run);
	}
	free(m.v);
	return err;
}
