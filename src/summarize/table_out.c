// SPDX-License-Identifier: GPL-3.0-or-later
#include "table.h"
#include "clock.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdnoreturn.h>
#include <unistd.h>

#define NUMBER 400 /* room for a number with its decimals */

/* --- files, which take their names when they are whole (rows_open_new() alone writes in place) --------------------- */

static noreturn void die_failed(const struct table_out *t, int err)
{
	unlink(t->temporary);
	die(EXIT_RUN, "%s: %s", t->path, strerror(err));
}

static void create_file(struct table_out *t, const char *folder, const char *name, const char *schema, const char *const *columns)
{
	snprintf(t->path, sizeof(t->path), "%s/%s.tsv", folder, name);
	snprintf(t->temporary, sizeof(t->temporary), "%s.%d.%llx", t->path, (int)getpid(), (unsigned long long)clock_now());
	t->file = rows_open_new(t->temporary, schema, columns);
	if (!t->file)
		die_failed(t, errno);
}

/* keep: rename the file to its final name; otherwise remove it. */
static void finish_file(struct table_out *t, bool keep)
{
	int err = rows_close(t->file), fd = keep && !err ? open(t->temporary, O_RDONLY | O_CLOEXEC) : -1;

	t->file = NULL;
	if (keep && !err && (fd < 0 || fsync(fd) || rename(t->temporary, t->path)))
		err = -errno;
	if (fd >= 0)
		close(fd);
	if (keep && err)
		die_failed(t, -err);
	if (!keep)
		unlink(t->temporary);
}

void table_out_open(struct table_out *t, const struct table *table, const char *folder)
{
	const char **names = memory_new(table->places + 1, sizeof(*names));

	*t = (struct table_out){ .table = table,
				 .cell = memory_new(table->places, sizeof(*t->cell)),
				 .figure = memory_new(table->n, sizeof(*t->figure)) };
	for (size_t i = 0; i < table->n; i++)
		t->figure[i] = FIGURE_ABSENT;
	for (size_t i = 0; i < table->n; i++)
		for (int e = 0; e < TABLE_ENDS && table->column[i].end[e]; e++)
			names[table->column[i].place + (size_t)e] = table->column[i].end[e];
	create_file(t, folder, table->name, table->schema, names);
	free(names);
}

void table_out_close(struct table_out *t, bool keep)
{
	bool drop = !keep || (t->table && t->table->optional && !t->rows);

	if (t->file)
		finish_file(t, !drop);
	if (keep && drop)
		unlink(t->path);
}

/* --- rows ------------------------------------------------------------------------------------------------------ */

static char **find_cell(struct table_out *t, const char *column, const struct column **of)
{
	*of = table_find_column(t->table, column);
	if (!*of)
		die(EXIT_RUN, "table %s has no column %s", t->table->name, column);
	return &t->cell[(*of)->place];
}

static void set_cell(char **cell, const char *text)
{
	free(*cell);
	*cell = text ? must_alloc(strdup(text)) : NULL;
}

/* Returns NULL if the number is not known. */
static const char *format_number(char room[static NUMBER], double v, int decimals)
{
	snprintf(room, NUMBER, "%.*f", decimals < 0 ? 0 : decimals, v);
	return isfinite(v) ? room : NULL;
}

void row_set_text(struct table_out *t, const char *column, const char *value)
{
	const struct column *c;

	set_cell(find_cell(t, column, &c), value);
}

/* The least time of which a share of CPUs is known by the kernel's ticks is some seconds: both ends miss less than this share. */
#define TICKS_PERCENT 1

static bool is_beside(double v, double low, double high)
{
	double error = 1e-9 * (fabs(v) + fabs(low) + fabs(high));

	return low > high + error || v < low - error || v > high + error;
}

/* What no measurement can give: an interval that does not hold its value, a time below 0, more than all of some CPUs. */
static bool is_impossible(const struct column *c, const struct figure *f)
{
	static const char *const times[] = { "s", "ms", "us", "h", NULL };
	double value = figure_at_least(f), most = isfinite(f->to) ? f->to : value;

	if (c->decimals == TABLE_TEXT || c->source == SOURCE_PARAM || !isfinite(value))
		return false;
	if (is_beside(f->value, f->low, f->high) || f->from > f->to)
		return true;
	if (!strcmp(c->unit, "%") && strstr(c->name, "busy_percent"))
		return !(value >= 0 && most <= 100 + TICKS_PERCENT);
	return value < 0 && !c->negative && find_word(times, c->unit) >= 0;
}

static struct figure possible_figure(const struct table_out *t, const struct column *c, struct figure f)
{
	char interval[60] = "";

	if (!is_impossible(c, &f))
		return f;
	if (isfinite(f.low) && isfinite(f.high))
		snprintf(interval, sizeof(interval), " (%.9g to %.9g)", f.low, f.high);
	warn("%s.tsv: %s: %.9g%s cannot be, and is left out", t->table->name, c->name, figure_at_least(&f), interval);
	return figure_absent("impossible");
}

void row_set_figure(struct table_out *t, const char *column, struct figure f)
{
	double numbers[TABLE_ENDS];
	const struct column *c;
	char **cell = find_cell(t, column, &c), room[NUMBER], both[2 * NUMBER];
	bool two, range;

	f = possible_figure(t, c, f);
	range = figure_is_range(&f);
	two = isfinite(f.both[0]) && isfinite(f.both[1]);
	memcpy(numbers,
	       (double[TABLE_ENDS]){ f.value, f.low, f.high, NAN, figure_known(&f) ? f.above : (double)NAN,
				     range ? f.from : (double)NAN, range ? f.to : (double)NAN, NAN },
	       sizeof(numbers));
	t->figure[c - t->table->column] = f;
	snprintf(both, sizeof(both), "%.*f %.*f", c->decimals, f.both[0], c->decimals, f.both[1]);
	for (int e = 0; e < TABLE_ENDS && c->end[e]; e++)
		set_cell(&cell[e], e == TABLE_WHY    ? f.why
				   : e == TABLE_BOTH ? two ? both : NULL
						     : format_number(room, numbers[e], e == TABLE_ABOVE ? 0 : c->decimals));
}

void row_set_number(struct table_out *t, const char *column, double value)
{
	const struct column *c;
	char **cell = find_cell(t, column, &c), room[NUMBER];
	struct figure f = possible_figure(t, c, figure_exact(value));

	t->figure[c - t->table->column] = f;
	set_cell(cell, format_number(room, f.value, c->decimals));
}

void row_set_numbers(struct table_out *t, const struct named_value *v)
{
	for (; v->name; v++)
		row_set_number(t, v->name, v->value);
}

void row_set_json(struct table_out *t, const struct json_document *j, const char *prefix, const char *columns)
{
	char word[160], column[80], key[80], path[160];
	int length;

	for (; sscanf(columns, "%159s%n", word, &length) == 1; columns += length) {
		double factor = 1;
		bool is = false;

		if (sscanf(word, "%79[^=]=%79[^*]*%lf", column, key, &factor) < 2)
			snprintf(key, sizeof(key), "%s", column);
		snprintf(path, sizeof(path), "%s%s%s", prefix, *prefix ? "." : "", key);
		if (json_get_str(j, path))
			row_set_text(t, column, json_get_str(j, path));
		else
			row_set_number(t, column, json_get_bool(j, path, &is) ? is : json_number(j, "%s", path) * factor);
	}
}

void row_set_parameters(struct table_out *t, const struct experiment_cell *c)
{
	t->of = c;
	for (size_t i = 0; i < t->table->n; i++) {
		const char *name = t->table->column[i].name;

		if (isfinite(cell_number(c, name)))
			row_set_number(t, name, cell_number(c, name));
		else if (cell_text(c, name) || !strcmp(name, "cell"))
			row_set_text(t, name, cell_text(c, name) ? cell_text(c, name) : c->name);
	}
}

static void write_cell(struct row_file *file, const char *text)
{
	if (text)
		rows_write_str(file, text);
	else
		rows_write_empty(file);
}

static void write_long_rows(const struct table_out *t);

void row_write(struct table_out *t)
{
	write_long_rows(t);
	for (size_t i = 0; i < t->table->n; i++)
		t->figure[i] = FIGURE_ABSENT;
	for (size_t i = 0; i < t->table->places; i++) {
		write_cell(t->file, t->cell[i]);
		set_cell(&t->cell[i], NULL);
	}
	rows_end_row(t->file);
	t->rows++;
}

/* --- long.tsv and schema.tsv ----------------------------------------------------------------------------------- */

static const char *const schema_columns[] = { "table", "column", "type", "unit", "decimals", "better", "heading", NULL };

static void write_schema_rows(struct row_file *file, const struct tables *tables)
{
	for (const struct table *of = tables->table; of < tables->table + tables->n; of++)
		for (const struct column *c = of->column; c < of->column + of->n; c++)
			for (int e = 0; e < TABLE_ENDS && c->end[e]; e++) {
				bool text = c->decimals < 0 || e == TABLE_BOTH || e == TABLE_WHY;

				rows_write_str(file, of->name);
				rows_write_str(file, c->end[e]);
				rows_write_str(file, text ? "text" : e == TABLE_ABOVE || !c->decimals ? "int" : "real");
				rows_write_str(file, e == TABLE_ABOVE || e == TABLE_WHY ? "" : c->unit);
				rows_write_count(file, e == TABLE_ABOVE ? 0 : text ? TABLE_TEXT : c->decimals);
				rows_write_str(file, e ? "" : c->better);
				rows_write_str(file, e ? "" : c->heading);
				rows_end_row(file);
			}
}

void table_out_write_schema(const struct experiment_run *run, const struct tables *tables)
{
	struct table_out t = { 0 };

	create_file(&t, run->folder, "schema", "schema/1", schema_columns);
	write_schema_rows(t.file, tables);
	finish_file(&t, true);
}

void table_out_print_schema(const struct tables *tables)
{
	struct row_file *file = rows_must_open("-", "schema/1", schema_columns);
	int err;

	write_schema_rows(file, tables);
	err = rows_close(file);
	if (err)
		die(EXIT_RUN, "cannot write to standard output: %s", strerror(-err));
}

#define AXES_MAX 64

/* long.tsv, of which there is one. */
static struct long_table {
	struct table_out out;
	const char *experiment, *axis[AXES_MAX]; /* axis: parameters that are columns */
	size_t axes;
	char name[PATH_MAX]; /* of the run */
} long_table;

static void add_axis(const char *name)
{
	for (size_t i = 0; i < long_table.axes; i++)
		if (!strcmp(long_table.axis[i], name))
			return;
	if (long_table.axes < AXES_MAX)
		long_table.axis[long_table.axes++] = name;
}

/* Finds the parameters that are columns of long.tsv: the run's axes, or without axes the parameters that a table of cells names;
 * and what names the rows of other tables. */
static void find_axes(const struct experiment_run *run, const struct tables *tables)
{
	const char *axis;
	bool named;

	for (int n = 0; (axis = json_get_text(run->json, "axes.%d", n)); n++)
		add_axis(axis);
	named = long_table.axes;
	for (const struct table *t = tables->table; t < tables->table + tables->n; t++)
		for (const struct column *c = t->column; c < t->column + t->n; c++)
			if (c->source == SOURCE_PARAM && !t->raw && !t->given && (t->rows || !named))
				add_axis(t->rows ? c->name : c->path);
}

void table_out_open_long(const struct experiment_run *run, const struct tables *tables)
{
	static const char *const after[] = {
		"metric",    "unit",   "value", "low",	 "high", "above", "n",	 "repeats",
		"estimator", "better", "flags", "table", "from", "to",	  "why", NULL,
	};
	const char *names[2 + AXES_MAX + sizeof(after) / sizeof(*after)] = { "run", "experiment" }, *slash;

	find_axes(run, tables);
	slash = realpath(run->folder, long_table.name) ? strrchr(long_table.name, '/') : NULL;
	memmove(long_table.name, slash && slash[1] ? slash + 1 : run->folder,
		strlen(slash && slash[1] ? slash + 1 : run->folder) + 1);
	long_table.experiment = run->experiment;
	memcpy(names + 2, long_table.axis, long_table.axes * sizeof(*names));
	memcpy(names + 2 + long_table.axes, after, sizeof(after));
	create_file(&long_table.out, run->folder, "long", "long/1", names);
}

void table_out_close_long(bool keep)
{
	if (long_table.out.file)
		finish_file(&long_table.out, keep);
}

/* Writes a parameter of the row: of a table of cells that of the cell, otherwise the row's own column. */
static void write_parameter(const struct table_out *t, const char *axis)
{
	const struct column *c = t->table->rows ? table_find_column(t->table, axis) : NULL;
	double number = t->table->rows ? (double)NAN : cell_number(t->of, axis);
	const char *text = t->table->rows ? NULL : cell_text(t->of, axis);
	char room[NUMBER];

	if (isfinite(number)) {
		snprintf(room, sizeof(room), "%.10g", number);
		text = room;
	}
	write_cell(long_table.out.file, c && c->source == SOURCE_PARAM ? t->cell[c->place] : text);
}

static void write_long_rows(const struct table_out *t)
{
	struct row_file *file = long_table.out.file;
	char room[NUMBER];

	for (size_t i = 0; file && !t->table->raw && i < t->table->n; i++) {
		const struct column *c = &t->table->column[i];
		const struct figure *f = &t->figure[i];
		bool range = figure_is_range(f),
		     source = c->source == SOURCE_ROW || c->source == SOURCE_JSON || c->source == SOURCE_EXTRACTOR;

		if (c->decimals < 0 || !source || !(figure_known(f) || f->why))
			continue;
		rows_write_str(file, long_table.name);
		rows_write_str(file, long_table.experiment);
		for (size_t k = 0; k < long_table.axes; k++)
			write_parameter(t, long_table.axis[k]);
		rows_write_str(file, c->name);
		rows_write_str(file, c->unit);
		write_cell(file, format_number(room, f->value, c->decimals));
		write_cell(file, format_number(room, f->low, c->decimals));
		write_cell(file, format_number(room, f->high, c->decimals));
		rows_write_int(file, f->above);
		rows_write_count(file, f->repeats ? (int64_t)f->repeats : -1);
		rows_write_int(file, (int64_t)t->of->n);
		rows_write_str(file, estimate_names[c->estimator]);
		rows_write_str(file, c->better);
		rows_write_int(file, (int64_t)t->of->flagged);
		rows_write_str(file, t->table->name);
		write_cell(file, format_number(room, range ? f->from : (double)NAN, c->decimals));
		write_cell(file, format_number(room, range ? f->to : (double)NAN, c->decimals));
		write_cell(file, f->why);
		rows_end_row(file);
	}
}
