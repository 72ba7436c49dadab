// SPDX-License-Identifier: GPL-3.0-or-later
#include "users.h"
#include "combine.h"
#include "compare.h"
#include "holm.h"
#include "superposed.h"
#include "whole.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define CELLS_MAX 10000

enum source { CELL, VUSERS, ARRIVALS, MODEL, SOURCES };
static const char *const files[] = { "cell.json", "vusers.json", "arrivals.json", "model.json" };

/* One column (or three), from one number of each repeat. */
static const struct column {
	const char *name, *prefix, *key;
	enum source from;
	enum combine how;
	int decimals;
} columns[] = {
	{ "requests", "result", "requests", VUSERS, COMBINE_SUM, 0 },
	{ "errors", "result", "errors", VUSERS, COMBINE_SUM, 0 },
	{ "timeouts", "result", "timeouts", VUSERS, COMBINE_SUM, 0 },
	{ "unanswered", "result", "unanswered", VUSERS, COMBINE_SUM, 0 },
	{ "lambda_per_s", "result", "rate_per_s", VUSERS, COMBINE_SPREAD, 4 },
	{ "response_ms", "result.response_ms", "mean", VUSERS, COMBINE_TIMES, 4 },
	{ "p50_ms", "result.response_ms", "p50", VUSERS, COMBINE_MEAN, 4 },
	{ "p95_ms", "result.response_ms", "p95", VUSERS, COMBINE_TIMES, 4 },
	{ "max_ms", "result.response_ms", "max", VUSERS, COMBINE_MOST, 4 },
	{ "concurrency", "result.concurrency", "mean", VUSERS, COMBINE_SPREAD, 4 },
	{ "pages_per_s", "result", "pages_per_s", VUSERS, COMBINE_MEAN, 4 },
	{ "received_kbyte_per_s", "result", "received_kbyte_per_s", VUSERS, COMBINE_MEAN, 2 },
	{ "fairness_max_by_median", "result.fairness.mean_response_ms", "max_by_median", VUSERS, COMBINE_MEAN, 4 },
	{ "fairness_jain", "result.fairness.mean_response_ms", "jain", VUSERS, COMBINE_MEAN, 5 },
	{ "late_p99_ms_max", "result.generator.late_ms", "p99", VUSERS, COMBINE_MOST, 4 },
	{ "generator_cpu_percent_max", "result.generator", "cpu_percent", VUSERS, COMBINE_MOST, 2 },
	{ "gaps", "result", "n", ARRIVALS, COMBINE_SUM, 0 },
	{ "gap_ms", "result", "mean_ms", ARRIVALS, COMBINE_MEAN, 5 },
	{ "gap_sd_ms", "result", "sd_ms", ARRIVALS, COMBINE_MEAN, 5 },
	{ "cov", "result", "cov", ARRIVALS, COMBINE_SPREAD, 4 },
	{ "cov_band", "result", "band", ARRIVALS, COMBINE_BAND, 4 },
	{ "arrivals_p", "result", "p", ARRIVALS, COMBINE_CHANCE, 5 },
	{ "model_lambda_per_s", "result.rows.0", "lambda", MODEL, COMBINE_MEAN, 4 },
	{ "model_concurrency", "result.rows.0", "q", MODEL, COMBINE_MEAN, 4 },
	{ "model_response_s", "result.rows.0", "r_s", MODEL, COMBINE_MEAN, 6 },
	{ "model_lambda_most_per_s", "result.rows.0", "x_most", MODEL, COMBINE_MEAN, 4 },
	{ "model_response_least_s", "result.rows.0", "r_least_s", MODEL, COMBINE_MEAN, 6 },
	{ "approximate_lambda_per_s", "result.rows.0", "lambda_schweitzer", MODEL, COMBINE_MEAN, 4 },
	{ "approximate_concurrency", "result.rows.0", "q_schweitzer", MODEL, COMBINE_MEAN, 4 },
	{ "server_busy_percent", NULL, "server_busy_percent", CELL, COMBINE_MEAN, 2 },
	{ "server_own_percent", NULL, "server_own_percent", CELL, COMBINE_MEAN, 2 },
	{ "client_busy_percent", NULL, "client_busy_percent", CELL, COMBINE_MEAN, 2 },
	{ "link_percent", NULL, "link_percent", CELL, COMBINE_MEAN, 2 },
	{ "kernel_percent", NULL, "kernel_percent", CELL, COMBINE_MEAN, 2 },
	{ "foreign_percent_max", NULL, "foreign_percent", CELL, COMBINE_MOST, 2 },
	{ "steal_percent_max", NULL, "steal_percent", CELL, COMBINE_MOST, 2 },
};
enum { COLUMNS = sizeof(columns) / sizeof(*columns) };

struct pool {
	double of[COLUMNS][USERS_REPEATS_MAX];	/* NAN: not known */
	size_t repeats, failed, marked, tried, invalid, poisson, judged;
};

struct reader {
	const char *folder;
	char *why;
	size_t size;
	struct inputs_counts *done;
	struct pool *pool;
	int64_t repeats, seed;
	const char *spread;	/* how think times vary */
	double *p;		/* of each cell, Holm's over all of them */
};

static int complain(struct reader *r, const char *file, int err, const char *what)
{
	snprintf(r->why, r->size, "%s: %s", file, what);
	return err;
}

static void take(struct pool *p, enum source from, const struct json *j)
{
	for (int f = 0; f < COLUMNS; f++) {
		double *v = &p->of[f][p->repeats];

		if (columns[f].from != from)
			continue;
		*v = NAN;
		if (j && columns[f].prefix)
			*v = inputs_number(j, columns[f].prefix, columns[f].key);
		else if (j)
			json_get_real(j, columns[f].key, v);
	}
}

/* Of a complete repeat all but the cell's own file may be missing, and the users' must not. */
static int read_sources(struct reader *r, const char *folder)
{
	struct pool *p = r->pool;

	for (int s = VUSERS; s < SOURCES; s++) {
		struct json *j = NULL;
		bool word;

		if (inputs_there(folder, files[s])) {
			j = inputs_json(folder, files[s], r->why, r->size);
			if (!j)
				return -EPROTO;
		} else if (s == VUSERS) {
			return complain(r, folder, -ENOENT, "vusers.json is missing");
		}
		take(p, (enum source)s, j);
		if (s == VUSERS && json_get_bool(j, "result.valid", &word))
			p->invalid += !word;
		if (s == ARRIVALS && j && json_get_bool(j, "result.poisson", &word)) {
			p->judged++;
			p->poisson += word;
		}
		json_free(j);
	}
	return 0;
}

static int read_repeat(struct reader *r, const char *name, int64_t repeat)
{
	struct pool *p = r->pool;
	struct inputs_cell cell;
	char folder[4200];
	int err;

	snprintf(folder, sizeof(folder), "%s/cells/%s/%lld", r->folder, name, (long long)repeat);
	err = inputs_cell(folder, &cell, r->why, r->size);
	if (err)
		return err;
	p->tried += cell.json != NULL;
	if (cell.complete)
		take(p, CELL, cell.json);
	json_free(cell.json);
	if (!cell.complete) {
		p->failed++;
		r->done->failed++;
		return 0;
	}
	err = read_sources(r, folder);
	if (err)
		return err;
	p->repeats++;
	p->marked += cell.marked;
	r->done->complete++;
	r->done->marked += cell.marked;
	return 0;
}

/* What the repeats say of one figure, in room for a number of each. */
static struct means of(const struct pool *p, int f, double *room)
{
	struct means m = { room, 0 };

	for (size_t i = 0; i < p->repeats; i++)
		means_add(&m, p->of[f][i]);
	return m;
}

static double figure(const struct pool *p, const char *name)
{
	double room[USERS_REPEATS_MAX];

	for (int f = 0; f < COLUMNS; f++)
		if (!strcmp(columns[f].name, name)) {
			struct means m = of(p, f, room);

			return combine_one(columns[f].how, &m);
		}
	return NAN;
}

static const char *const first_columns[] = { "cell", "part", "users", "think_s", "state", "repeats", "failed", "marked", "invalid", "poisson", "judged" };
#define FIRST (sizeof(first_columns) / sizeof(*first_columns))
static const char *const last_columns[] = { "cov_independent", "arrivals_p_of_all" };
#define LAST (sizeof(last_columns) / sizeof(*last_columns))

/* Names of the columns; those that this makes itself stay for as long as the program runs. */
static const char *const *names(void)
{
	static const char *all[FIRST + 3 * COLUMNS + LAST + 1];
	static char ends[2 * COLUMNS][64];
	size_t n = 0, s = 0;

	for (size_t i = 0; i < FIRST; i++)
		all[n++] = first_columns[i];
	for (int f = 0; f < COLUMNS; f++) {
		all[n++] = columns[f].name;
		for (int end = 0; combine_has_ends(columns[f].how) && end < 2; end++) {
			snprintf(ends[s], sizeof(ends[s]), "%s_%s", columns[f].name, end ? "high" : "low");
			all[n++] = ends[s++];
		}
	}
	for (size_t i = 0; i < LAST; i++)
		all[n++] = last_columns[i];
	all[n] = NULL;
	return all;
}

/* Only of think times for which there is a formula. */
static double independent(const struct reader *r, double users, double think)
{
	bool uniform = r->spread && !strcmp(r->spread, "uniform");

	if (!uniform && (!r->spread || strcmp(r->spread, "exp") != 0))
		return NAN;
	return superposed_cov(uniform ? SUPERPOSED_UNIFORM : SUPERPOSED_EXP, users, think, figure(r->pool, "response_ms") / 1e3);
}

static void write_cell(struct rows *t, const char *const *name, double users, double think, const struct reader *r, double p_of_all)
{
	const struct pool *p = r->pool;
	double room[USERS_REPEATS_MAX];

	rows_str(t, name[0]);
	rows_str(t, name[1]);
	whole_number(t, users, 0);
	whole_number(t, think, 6);
	rows_str(t, p->repeats ? "measured" : p->tried ? "failed" : "not measured");
	rows_int(t, (int64_t)p->repeats);
	rows_int(t, (int64_t)p->failed);
	rows_int(t, (int64_t)p->marked);
	rows_int(t, (int64_t)p->invalid);
	rows_int(t, (int64_t)p->poisson);
	rows_int(t, (int64_t)p->judged);
	for (int f = 0; f < COLUMNS; f++) {
		struct means m = of(p, f, room);

		combine_write(t, columns[f].how, &m, columns[f].decimals, r->seed);
	}
	whole_number(t, independent(r, users, think), 4);
	whole_number(t, p_of_all, 5);
	rows_end(t);
}

/* Once without a table, for what holds of all cells together; then with it. */
static int read_cells(struct reader *r, const struct json *j, struct rows *t)
{
	int err = 0;

	*r->done = (struct inputs_counts){ 0 };
	for (int i = 0; !err && i < CELLS_MAX; i++) {
		const char *name[2];
		char prefix[64];
		double users, think;

		r->p[i] = t ? r->p[i] : (double)NAN;
		snprintf(prefix, sizeof(prefix), "settings.cells.%d", i);
		name[0] = inputs_text(j, prefix, "cell");
		name[1] = inputs_text(j, prefix, "part");
		users = inputs_number(j, prefix, "users");
		think = inputs_number(j, prefix, "think_s");
		if (!name[0])
			break;
		if (!name[1] || !inputs_is_name(name[0]) || isnan(users) || isnan(think))
			return complain(r, r->folder, -EPROTO, "run.json: settings.cells cannot be read");
		*r->pool = (struct pool){ .repeats = 0 };
		for (int64_t repeat = 1; !err && repeat <= r->repeats; repeat++)
			err = read_repeat(r, name[0], repeat);
		if (err)
			break;
		if (t)
			write_cell(t, name, users, think, r, r->p[i]);
		else
			r->p[i] = figure(r->pool, "arrivals_p");
		r->done->rows++;
	}
	return err;
}

static int write_table(struct reader *r, const struct json *j)
{
	struct whole summary;
	int err = read_cells(r, j, NULL);

	if (err)
		return err;
	err = holm_adjust(r->p, r->done->rows);
	if (!err)
		err = whole_open(&summary, r->folder, "summary.tsv", "users/1", names());
	if (err)
		return complain(r, r->folder, err, strerror(-err));
	err = read_cells(r, j, summary.rows);
	if (err) {
		whole_drop(&summary);
		return err;
	}
	err = whole_close(&summary);
	return err ? complain(r, "summary.tsv", err, strerror(-err)) : 0;
}

int users_summarize(const char *folder, struct inputs_counts *out, char *why, size_t size)
{
	struct reader r = { .folder = folder, .why = why, .size = size, .done = out, .repeats = 1, .seed = 1 };
	struct json *j;
	int err;

	*out = (struct inputs_counts){ 0 };
	j = inputs_run(folder, &r.repeats, &r.seed, why, size);
	if (!j)
		return -EPROTO;
	r.spread = inputs_text(j, "settings", "spread");
	r.pool = calloc(1, sizeof(*r.pool));
	r.p = calloc(CELLS_MAX, sizeof(*r.p));
	err = r.pool && r.p ? write_table(&r, j) : complain(&r, folder, -ENOMEM, "out of memory");
	free(r.p);
	free(r.pool);
	json_free(j);
	return err;
}
