// SPDX-License-Identifier: GPL-3.0-or-later
#include "table_out.h"
#include "cli.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *const table_ends[TABLE_ENDS] = { "", "_low", "_high", "_above" };

static int table_out_names(struct table_out *t, const struct table *table)
{
	size_t most = TABLE_ENDS * table->n;

	t->names = calloc(most + 1, sizeof(*t->names));
	t->made = calloc(most + 1, sizeof(*t->made));
	t->cell = calloc(most + 1, sizeof(*t->cell));
	if (!t->names || !t->made || !t->cell)
		return -ENOMEM;
	for (size_t i = 0; i < table->n; i++) {
		t->names[t->n++] = table->column[i].name;
		for (int e = 1; e <= estimate_ends(table->column[i].estimator); e++) {
			if (asprintf(&t->made[t->n_made], "%s%s", table->column[i].name, table_ends[e]) < 0)
				return -ENOMEM;
			t->names[t->n++] = t->made[t->n_made++];
		}
	}
	return 0;
}

static void table_out_free(struct table_out *t)
{
	for (size_t i = 0; i < t->n_made; i++)
		free(t->made[i]);
	for (size_t i = 0; t->cell && i < t->n; i++)
		free(t->cell[i]);
	free(t->made);
	free(t->cell);
	free(t->names);
	*t = (struct table_out){ 0 };
}

int table_out_open(struct table_out *t, const struct table *table, const char *folder, struct why *why)
{
	char name[300];
	int err;

	*t = (struct table_out){ .table = table };
	snprintf(name, sizeof(name), "%s.tsv", table->name);
	err = table_out_names(t, table);
	if (!err)
		err = whole_open(&t->whole, folder, name, table->schema, t->names);
	t->open = !err;
	if (!err)
		return 0;
	table_out_free(t);
	return why_set(why, err, "%s/%s: %s", folder, name, strerror(-err));
}

int table_out_close(struct table_out *t, bool keep, const char *folder, struct why *why)
{
	int err = 0;

	if (!t->open)
		return 0;
	if (!keep || (t->table->optional && !t->rows)) {
		if (keep)
			unlink(t->whole.path);
		whole_drop(&t->whole);
	} else {
		err = whole_close(&t->whole);
	}
	if (err)
		why_set(why, err, "%s/%s.tsv: %s", folder, t->table->name, strerror(-err));
	table_out_free(t);
	return err;
}

/* --- rows ------------------------------------------------------------------------------------------------------ */

static char **table_out_at(struct table_out *t, const char *column, const struct column **of)
{
	for (size_t i = 0, k = 0; i < t->table->n; i++) {
		*of = &t->table->column[i];
		if (!strcmp((*of)->name, column))
			return &t->cell[k];
		k += 1 + (size_t)estimate_ends((*of)->estimator);
	}
	die(EXIT_RUN, "table %s has no column %s", t->table->name, column);
}

static void table_out_set(char **cell, const char *text)
{
	free(*cell);
	*cell = text ? strdup(text) : NULL;
	if (text && !*cell)
		die(EXIT_RUN, "out of memory");
}

static void table_out_number(char **cell, double v, int decimals)
{
	char text[400];

	snprintf(text, sizeof(text), "%.*f", decimals < 0 ? 0 : decimals, v);
	table_out_set(cell, isfinite(v) ? text : NULL);
}

void row_text(struct table_out *t, const char *column, const char *value)
{
	const struct column *c;

	table_out_set(table_out_at(t, column, &c), value);
}

void row_number(struct table_out *t, const char *column, double value)
{
	const struct column *c;
	char **cell = table_out_at(t, column, &c);

	table_out_number(cell, value, c->decimals);
}

void row_figure(struct table_out *t, const char *column, const struct figure *f)
{
	const struct column *c;
	char **cell = table_out_at(t, column, &c);
	int ends = estimate_ends(c->estimator);

	table_out_number(cell, f->value, c->decimals);
	if (ends) {
		table_out_number(cell + 1, f->low, c->decimals);
		table_out_number(cell + 2, f->high, c->decimals);
	}
	if (ends == 3)
		table_out_set(cell + 3, !isfinite(f->value) ? NULL : f->above ? "1" : "0");
}

void row_params(struct table_out *t, const struct cell *c)
{
	for (size_t i = 0; i < t->table->n; i++) {
		const char *name = t->table->column[i].name;

		if (isfinite(cell_number(c, name)))
			row_number(t, name, cell_number(c, name));
		else if (cell_text(c, name))
			row_text(t, name, cell_text(c, name));
	}
}

void row_end(struct table_out *t)
{
	for (size_t i = 0; i < t->n; i++) {
		if (t->cell[i])
			rows_str(t->whole.rows, t->cell[i]);
		else
			rows_none(t->whole.rows);
		table_out_set(&t->cell[i], NULL);
	}
	rows_end(t->whole.rows);
	t->rows++;
}

/* --- long.tsv and schema.tsv ----------------------------------------------------------------------------------- */

static int table_out_whole(struct whole *w, const char *folder, const char *name, int err, struct why *why)
{
	if (!err && w)
		err = whole_close(w);
	return err ? why_set(why, err, "%s/%s: %s", folder, name, strerror(-err)) : 0;
}

int table_out_schema(const struct run *run, const struct tables *tables, struct why *why)
{
	static const char *const names[] = { "table", "column", "type", "unit", "decimals", "better", "heading", NULL };
	struct whole w;
	int err = whole_open(&w, run->folder, "schema.tsv", "schema/1", names);

	for (size_t i = 0; !err && i < tables->n; i++)
		for (size_t k = 0; k < tables->table[i].n; k++) {
			const struct column *c = &tables->table[i].column[k];

			for (int e = 0; e <= estimate_ends(c->estimator); e++) {
				char name[300];

				snprintf(name, sizeof(name), "%s%s", c->name, table_ends[e]);
				rows_str(w.rows, tables->table[i].name);
				rows_str(w.rows, name);
				rows_str(w.rows, c->decimals < 0 ? "text" : e == 3 || !c->decimals ? "int" : "real");
				rows_str(w.rows, e == 3 ? "" : c->unit);
				rows_count(w.rows, e == 3 ? 0 : c->decimals);
				rows_str(w.rows, e ? "" : c->better);
				rows_str(w.rows, e ? "" : c->heading);
				rows_end(w.rows);
			}
		}
	return table_out_whole(&w, run->folder, "schema.tsv", err, why);
}

#define AXES_MAX 32

/* The run's axes, else the cells' parameters that `table` names. */
static size_t table_out_axes(const struct run *run, const struct tables *tables, const char **axis)
{
	char path[64];
	size_t n = 0;

	for (; n < AXES_MAX; n++) {
		snprintf(path, sizeof(path), "axes.%zu", n);
		axis[n] = json_get_str(run->json, path);
		if (!axis[n])
			break;
	}
	for (size_t i = 0; !n && i < tables->n; i++)
		for (size_t k = 0; !tables->table[i].rows && k < tables->table[i].n && n < AXES_MAX; k++)
			if (tables->table[i].column[k].source == SOURCE_PARAM)
				axis[n++] = tables->table[i].column[k].path;
	return n;
}

static size_t table_out_known(const struct taken *taken)
{
	size_t n = 0;

	for (size_t i = 0; i < taken->n; i++)
		n += isfinite(taken->value[i]) ? 1 : 0;
	return n;
}

/* What a run is called: the last part of its folder's real path, into `room`. */
static const char *table_out_run(const struct run *run, char room[PATH_MAX])
{
	const char *slash = realpath(run->folder, room) ? strrchr(room, '/') : NULL;

	return slash && slash[1] ? slash + 1 : run->folder;
}

static void table_out_long_row(struct rows *t, const char *name, const struct cell *c, const struct column *column,
			       const char *const *axis, size_t axes)
{
	const struct taken *taken = &column->cell[c->index];
	const struct figure *f = &taken->figure;

	rows_str(t, name);
	rows_str(t, c->run->experiment);
	for (size_t i = 0; i < axes; i++) {
		char text[64];

		snprintf(text, sizeof(text), "%.10g", cell_number(c, axis[i]));
		rows_str(t, cell_text(c, axis[i]) ? cell_text(c, axis[i]) : isfinite(cell_number(c, axis[i])) ? text : "");
	}
	rows_str(t, column->name);
	rows_str(t, column->unit);
	whole_number(t, f->value, column->decimals);
	whole_number(t, f->low, column->decimals);
	whole_number(t, f->high, column->decimals);
	rows_int(t, f->above);
	rows_count(t, taken->value ? (int64_t)table_out_known(taken) : -1);
	rows_int(t, (int64_t)c->n);
	rows_str(t, estimate_names[column->estimator]);
	rows_str(t, column->better);
	rows_int(t, (int64_t)c->flagged);
	rows_end(t);
}

int table_out_long(const struct run *run, const struct tables *tables, struct why *why)
{
	static const char *const after[] = {
		"metric", "unit", "value", "low", "high", "above", "n", "repeats", "estimator", "better", "flags",
	};
	const char *names[2 + AXES_MAX + sizeof(after) / sizeof(*after) + 1] = { "run", "experiment" }, *axis[AXES_MAX];
	size_t axes = table_out_axes(run, tables, axis), n = 2;
	char room[PATH_MAX];
	const char *name = table_out_run(run, room);
	struct whole w;
	int err;

	for (size_t i = 0; i < axes; i++)
		names[n++] = axis[i];
	for (size_t i = 0; i < sizeof(after) / sizeof(*after); i++)
		names[n++] = after[i];
	names[n] = NULL;
	err = whole_open(&w, run->folder, "long.tsv", "long/1", names);
	for (size_t i = 0; !err && i < tables->n; i++)
		for (size_t cell = 0; !tables->table[i].rows && cell < run->n; cell++)
			for (size_t k = 0; k < tables->table[i].n; k++) {
				const struct column *c = &tables->table[i].column[k];

				if (c->decimals >= 0 && (c->source == SOURCE_JSON || c->source == SOURCE_EXTRACTOR) && isfinite(c->cell[cell].figure.value))
					table_out_long_row(w.rows, name, &run->cell[cell], c, axis, axes);
			}
	return table_out_whole(&w, run->folder, "long.tsv", err, why);
}
