// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine.h"
#include "holm.h"
#include "run_folder.h"
#include "summarize.h"
#include "table_out.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define EXTRACTORS_MAX 64

struct engine {
	struct run run;
	struct tables tables;
	void *state[EXTRACTORS_MAX];		/* by place in extractors[]; NULL: not used in this run */
	struct table_out out[EXTRACTORS_MAX];	/* by place in tables */
	size_t rows[EXTRACTORS_MAX];		/* written to each of them */
	struct why *why;
};

static size_t engine_place(const struct extractor *x)
{
	size_t i = 0;

	while (extractors[i] != x)
		i++;
	return i;
}

/* Calls `visit` for each column of the tables of cells. */
typedef int engine_visit(struct engine *e, struct column *c, const void *data);

static int engine_columns(struct engine *e, engine_visit *visit, const void *data)
{
	int err = 0;

	for (size_t i = 0; !err && i < e->tables.n; i++)
		for (size_t k = 0; !err && !e->tables.table[i].rows && k < e->tables.table[i].n; k++)
			err = visit(e, &e->tables.table[i].column[k], data);
	return err;
}

/* --- start ----------------------------------------------------------------------------------------------------- */

static int engine_start(struct engine *e, const struct extractor *x)
{
	void **state = &e->state[engine_place(x)];

	if (!*state)
		*state = x->open(&e->run, e->why);
	return *state ? 0 : -EPROTO;
}

static int engine_begin_column(struct engine *e, struct column *c, const void *data)
{
	(void)data;
	c->cell = calloc(e->run.n, sizeof(*c->cell));
	if (!c->cell)
		return why_no_memory(e->why);
	for (size_t i = 0; i < e->run.n; i++) {
		struct taken *taken = &c->cell[i];

		taken->figure = (struct figure){ .value = NAN, .low = NAN, .high = NAN };
		if (c->source != SOURCE_JSON && (c->source != SOURCE_EXTRACTOR || c->estimator <= ESTIMATE_ABOVE))
			continue;
		taken->value = calloc(e->run.cell[i].complete + 1, sizeof(*taken->value));
		taken->total = calloc(e->run.cell[i].complete + 1, sizeof(*taken->total));
		if (!taken->value || !taken->total)
			return why_no_memory(e->why);
	}
	return c->extractor ? engine_start(e, c->extractor) : 0;
}

static int engine_table(struct engine *e, const char *given)
{
	static const char *const beside[] = { "../experiments", "../../share/thinprobe/experiments", "../../../experiments" };
	const char *home = getenv("TP_HOME");
	char path[4400], program[4096];
	ssize_t length;

	if (given)
		snprintf(path, sizeof(path), "%s/table", given);
	else if (home)
		snprintf(path, sizeof(path), "%s/experiments/%s/table", home, e->run.experiment);
	length = given || home ? -1 : readlink("/proc/self/exe", program, sizeof(program) - 1);
	if (length > 0) {
		program[length] = '\0';
		*strrchr(program, '/') = '\0';
		for (size_t i = 0; i < sizeof(beside) / sizeof(*beside); i++) {
			snprintf(path, sizeof(path), "%s/%s/%s/table", program, beside[i], e->run.experiment);
			if (!access(path, R_OK))
				break;
		}
	}
	return tables_read(path, &e->tables, e->why);
}

static int engine_begin(struct engine *e)
{
	int err = engine_columns(e, engine_begin_column, NULL);

	if (e->tables.n > EXTRACTORS_MAX)
		return why_set(e->why, -EPROTO, "%s: too many tables", e->run.experiment);
	for (size_t i = 0; !err && i < e->tables.n; i++) {
		if (e->tables.table[i].extractor)
			err = engine_start(e, e->tables.table[i].extractor);
		if (!err)
			err = table_out_open(&e->out[i], &e->tables.table[i], e->run.folder, e->why);
	}
	return err;
}

/* --- repeats --------------------------------------------------------------------------------------------------- */

static double engine_json_number(const struct json *j, const char *path)
{
	double v = NAN;
	bool word;

	if (j && !json_get_real(j, path, &v) && json_get_bool(j, path, &word))
		v = word;
	return v;
}

static int engine_keep_text(struct engine *e, struct column *c, struct taken *taken, const char *text)
{
	if (!text || (taken->text && c->estimator == ESTIMATE_FIRST))
		return 0;
	if (taken->text && c->estimator == ESTIMATE_SAME && strcmp(taken->text, text) != 0)
		text = "mixed";
	free(taken->text);
	taken->text = strdup(text);
	return taken->text ? 0 : why_no_memory(e->why);
}

struct engine_at {
	const struct cell *cell;
	const struct repeat *repeat;
};

/* The column's number or text of one repeat, or of one of its trains. */
static int engine_take_json(struct engine *e, struct column *c, struct taken *taken, const struct repeat *r)
{
	const struct json *j;
	int err = repeat_json(r, c->from, &j, e->why);

	if (err)
		return err;
	if (!j && c->needed)
		return why_set(e->why, -ENOENT, "%s: %s is missing", r->folder, c->from);
	if (c->decimals == TABLE_TEXT)
		return j ? engine_keep_text(e, c, taken, json_get_str(j, c->path)) : 0;
	taken->total[taken->n] = c->over ? engine_json_number(j, c->over) : (double)NAN;
	taken->value[taken->n++] = engine_json_number(j, c->path);
	return 0;
}

static int engine_take(struct engine *e, struct column *c, const void *data)
{
	const struct engine_at *at = data;
	struct taken *taken = &c->cell[at->cell->index];
	const struct repeat *r = at->repeat;
	bool all = c->series && !strcmp(c->series, "*");
	int err = -ENOENT;

	if (c->source == SOURCE_EXTRACTOR && taken->value) {
		double *value = &taken->value[taken->n++];

		*value = NAN;
		if (c->extractor->number)
			err = c->extractor->number(e->state[engine_place(c->extractor)], at->cell, r, c->path, value);
		return err ? why_set(e->why, err, "extractor %s has no number %s", c->from, c->path) : 0;
	}
	if (c->source != SOURCE_JSON)
		return 0;
	if (c->series && !all)
		r = cell_train(at->cell, r, c->series);
	err = r ? engine_take_json(e, c, taken, r) : 0;
	for (size_t i = 0; !err && all && i < r->trains; i++)
		err = engine_take_json(e, c, taken, &r->train[i]);
	return err;
}

static int engine_repeat(struct engine *e, const struct cell *c, const struct repeat *r)
{
	const struct engine_at at = { c, r };
	int err = 0;

	for (size_t i = 0; !err && extractors[i]; i++)
		if (e->state[i] && extractors[i]->read)
			err = extractors[i]->read(e->state[i], c, r, e->why);
	if (!err)
		err = engine_columns(e, engine_take, &at);
	repeat_forget(r);
	return err;
}

/* --- figures --------------------------------------------------------------------------------------------------- */

static const char *engine_state(const struct cell *c, bool measured)
{
	if (!c->n)
		return measured && !c->tried ? "not measured" : "failed";
	return measured ? "measured" : c->failed || (int64_t)c->n < c->run->repeats ? "partial" : "complete";
}

static void engine_count(struct column *c, const struct cell *cell)
{
	const size_t numbers[COUNTS] = { [COUNT_COMPLETE] = cell->n, [COUNT_FAILED] = cell->failed,
		[COUNT_FLAGGED] = cell->flagged, [COUNT_TRIED] = cell->tried };
	const char *const texts[COUNTS] = { [COUNT_STATE] = engine_state(cell, false), [COUNT_MEASURED] = engine_state(cell, true),
					    [COUNT_REASON] = cell->reason, [COUNT_NAME] = cell->name };
	struct taken *taken = &c->cell[cell->index];

	taken->figure.value = (double)numbers[c->count];
	taken->text = texts[c->count] ? strdup(texts[c->count]) : NULL;
}

/* A value of run.json: the same for all cells. */
static int engine_run_value(struct engine *e, struct column *c, struct taken *taken, const char *path)
{
	char number[64];
	double v = engine_json_number(e->run.json, path);

	taken->figure.value = v;
	snprintf(number, sizeof(number), "%.10g", v);
	return c->decimals == TABLE_TEXT ? engine_keep_text(e, c, taken, isfinite(v) ? number : json_get_str(e->run.json, path)) : 0;
}

static int engine_extract(struct engine *e, struct column *c, const struct cell *cell, struct taken *taken)
{
	void *state = e->state[engine_place(c->extractor)];
	int err = 0;

	if (c->decimals == TABLE_TEXT)
		return c->extractor->text ? engine_keep_text(e, c, taken, c->extractor->text(state, cell, c->path)) : 0;
	err = c->extractor->figure ? c->extractor->figure(state, cell, c->path, &taken->figure) : -ENOENT;
	if (taken->figure.above && c->estimator != ESTIMATE_ABOVE)
		taken->figure.value = NAN;	/* nothing beside it would say that it is a bound */
	if (err == -ENOENT)
		return why_set(e->why, err, "extractor %s has no figure %s", c->from, c->path);
	return err ? why_no_memory(e->why) : 0;
}

static int engine_holm(struct engine *e, struct column *c)
{
	double *p = calloc(e->run.n, sizeof(*p));
	int err = p ? 0 : -ENOMEM;

	for (size_t i = 0; p && i < e->run.n; i++)
		p[i] = c->cell[i].figure.value;
	if (!err)
		err = holm_adjust(p, e->run.n);
	for (size_t i = 0; !err && i < e->run.n; i++)
		c->cell[i].figure.value = p[i];
	free(p);
	return err ? why_no_memory(e->why) : 0;
}

static int engine_evaluate(struct engine *e, struct column *c, const void *data)
{
	char path[160];
	int err = 0;

	(void)data;
	for (size_t i = 0; !err && i < e->run.n; i++) {
		const struct cell *cell = &e->run.cell[i];
		struct taken *taken = &c->cell[i];

		snprintf(path, sizeof(path), "cells.%zu.parameters.%s", i, c->path ? c->path : "");
		if (c->source == SOURCE_COUNT)
			engine_count(c, cell);
		else if (c->source == SOURCE_PARAM)
			err = engine_run_value(e, c, taken, path);
		else if (c->source == SOURCE_RUN)
			err = engine_run_value(e, c, taken, c->path);
		else if (taken->value)
			err = c->decimals == TABLE_TEXT ? 0 :
			      estimate(c->estimator, taken->value, taken->total, taken->n, e->run.draws, (uint64_t)e->run.seed, &taken->figure) ?
			      why_no_memory(e->why) : 0;
		else
			err = engine_extract(e, c, cell, taken);
	}
	return !err && c->estimator == ESTIMATE_CHANCE_HOLM ? engine_holm(e, c) : err;
}

static int engine_write(struct engine *e)
{
	int err = 0;

	for (size_t i = 0; !err && i < e->tables.n; i++) {
		const struct table *t = &e->tables.table[i];
		struct table_out *out = &e->out[i];

		if (t->rows)
			err = t->extractor->rows(e->state[engine_place(t->extractor)], t->name, out, e->why);
		for (size_t cell = 0; !t->rows && cell < e->run.n; cell++) {
			for (size_t k = 0; k < t->n; k++) {
				const struct taken *taken = &t->column[k].cell[cell];

				if (t->column[k].decimals == TABLE_TEXT)
					row_text(out, t->column[k].name, taken->text);
				else
					row_figure(out, t->column[k].name, &taken->figure);
			}
			row_end(out);
		}
		e->rows[i] = out->rows;
	}
	return err;
}

/* --- the whole ------------------------------------------------------------------------------------------------- */

static void engine_report(const struct engine *e, struct rec *out, const struct engine_counts *n)
{
	const char *unit = e->tables.counts ? e->tables.counts : "cells";
	char key[300];

	rec_object(out, "settings");
	rec_str(out, "run", e->run.folder);
	rec_int(out, "repeats", e->run.repeats);
	rec_real(out, "threshold_ms", e->run.threshold_ms, 3);
	rec_int(out, "draws", (int64_t)e->run.draws);
	rec_int(out, "seed", e->run.seed);
	rec_end(out);
	rec_object(out, "result");
	rec_int(out, "cells", (int64_t)n->cells);
	snprintf(key, sizeof(key), "%s_complete", unit);
	rec_int(out, key, (int64_t)n->complete);
	snprintf(key, sizeof(key), "%s_failed", unit);
	rec_int(out, key, (int64_t)n->failed);
	snprintf(key, sizeof(key), "%s_marked", unit);
	rec_int(out, key, (int64_t)n->flagged);
	for (size_t i = 0; i < e->tables.n; i++) {
		const char *name = e->tables.table[i].name;
		size_t length = strlen(name);

		snprintf(key, sizeof(key), "%.*s_rows", (int)(length - (name[length - 1] == 's')), name);
		rec_int(out, key, (int64_t)e->rows[i]);
	}
	for (size_t i = 0; extractors[i]; i++)
		if (e->state[i] && extractors[i]->report)
			extractors[i]->report(e->state[i], out);
	rec_end(out);
}

static int engine_free_column(struct engine *e, struct column *c, const void *data)
{
	(void)data;
	for (size_t i = 0; c->cell && i < e->run.n; i++) {
		free(c->cell[i].value);
		free(c->cell[i].total);
		free(c->cell[i].text);
	}
	free(c->cell);
	return 0;
}

static int engine_end(struct engine *e, int err)
{
	for (size_t i = 0; i < e->tables.n && i < EXTRACTORS_MAX; i++) {
		int closed = table_out_close(&e->out[i], !err, e->run.folder, e->why);

		err = err ? err : closed;
	}
	if (!err)
		err = table_out_long(&e->run, &e->tables, e->why);
	if (!err)
		err = table_out_schema(&e->run, &e->tables, e->why);
	for (size_t i = 0; extractors[i]; i++)
		if (e->state[i])
			extractors[i]->close(e->state[i]);
	engine_columns(e, engine_free_column, NULL);
	tables_free(&e->tables);
	run_folder_free(&e->run);
	return err;
}

int engine_summarize(const char *folder, const struct engine_options *options, struct rec *out, struct engine_counts *n,
		     struct why *why)
{
	static struct engine e;		/* one at a time, and large */
	int err;

	e = (struct engine){ .why = why };
	*n = (struct engine_counts){ 0 };
	err = run_folder_read(folder, &e.run, why);
	if (err)
		return err;
	e.run.draws = (size_t)options->draws;
	e.run.seed = options->seed >= 0 ? options->seed : e.run.seed;
	err = engine_table(&e, options->experiment);
	if (!err)
		err = run_folder_cells(&e.run, e.tables.found, why);
	if (!err)
		err = engine_begin(&e);
	n->cells = e.run.n;
	for (size_t i = 0; !err && i < e.run.n; i++) {
		const struct cell *c = &e.run.cell[i];

		n->complete += c->complete;
		n->failed += c->failed;
		n->flagged += c->flagged;
		for (size_t k = 0; !err && k < c->n; k++)
			err = engine_repeat(&e, c, &c->repeat[k]);
	}
	if (!err)
		err = engine_columns(&e, engine_evaluate, NULL);
	if (!err)
		err = engine_write(&e);
	if (!err)
		engine_report(&e, out, n);
	return engine_end(&e, err);
}
