// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine.h"
#include "say.h"
#include "table.h"

#include <dirent.h>
#include <unistd.h>

#define EXTRACTORS_MAX 64

/* A figure or text that the current extractor has given for the current repeat or cell. */
struct extracted_value {
	char name[64];
	struct figure figure;
	char *text;
};

/* State of the engine; there is only one. */
static struct engine {
	struct experiment_run run;
	struct tables tables;
	struct table_out out[EXTRACTORS_MAX]; /* open tables, in the order of tables.table */
	struct extractor_data {
		bool used;
		char *run, *cell, *repeat;
	} own[EXTRACTORS_MAX];		    /* data of the extractors, in the order of extractors[] */
	size_t now;			    /* index in extractors[] of the extractor that is being called */
	const struct experiment_cell *cell; /* the cell, and below the repeat, that are being read */
	const struct experiment_repeat *repeat;
	struct extracted_value *given;
	size_t n_given;
} e;

/* Calls `visit` for each column of the tables that have a row for each cell. */
typedef void column_visitor(struct column *c);

static void visit_columns(column_visitor *visit)
{
	for (size_t i = 0; i < e.tables.n; i++)
		for (size_t k = 0; !e.tables.table[i].rows && k < e.tables.table[i].n; k++)
			visit(&e.tables.table[i].column[k]);
}

/* Returns the next extractor of this run from index e.now on; NULL: there is none. Clears the values given so far. */
static const struct extractor_hooks *advance_extractor(void)
{
	while (extractors[e.now] && !e.own[e.now].used)
		e.now++;
	while (e.n_given)
		free(e.given[--e.n_given].text);
	return extractors[e.now];
}

/* --- for extractors -------------------------------------------------------------------------------------------- */

void *extractor_run_data(void)
{
	return e.own[e.now].run;
}

void *extractor_cell_data(const struct experiment_cell *c)
{
	return e.own[e.now].cell + c->index * extractors[e.now]->cell_size;
}

void *extractor_repeat_data(const struct experiment_repeat *r)
{
	return e.own[e.now].repeat + r->place * extractors[e.now]->repeat_size;
}

static struct extracted_value *add_value(const char *name)
{
	struct extracted_value *g;

	memory_more(e.given, e.n_given);
	g = &e.given[e.n_given++];
	*g = (struct extracted_value){ .figure = FIGURE_ABSENT };
	snprintf(g->name, sizeof(g->name), "%s", name);
	return g;
}

void extractor_set_figure(const char *name, struct figure f)
{
	add_value(name)->figure = f;
}

void extractor_set_value(const char *name, double value)
{
	add_value(name)->figure = figure_exact(value);
}

void extractor_set_values(const struct named_value *v)
{
	for (; v->name; v++)
		extractor_set_value(v->name, v->value);
}

void extractor_set_text(const char *name, const char *text)
{
	add_value(name)->text = text ? must_alloc(strdup(text)) : NULL;
}

static const struct extracted_value *find_value(const char *name)
{
	for (size_t i = 0; i < e.n_given; i++)
		if (!strcmp(e.given[i].name, name))
			return &e.given[i];
	return NULL;
}

struct figure engine_estimate(enum estimator estimator, const double *value, size_t n)
{
	return estimate_cell_figure(estimator, value, NULL, n, e.run.draws, (uint64_t)e.run.seed);
}

const char *cell_require_text(const struct experiment_cell *c, const char *key)
{
	const char *text = cell_text(c, key);

	if (!text)
		die(EXIT_RUN, "%s/run.json: cell %s has no %s", c->run->folder, c->name, key);
	return text;
}

bool cell_is_first(const struct experiment_cell *c, const char *key)
{
	for (const struct experiment_cell *k = c->run->cell; k < c; k++)
		if (!strcmp(cell_require_text(k, key), cell_require_text(c, key)))
			return false;
	return true;
}

/* --- start ----------------------------------------------------------------------------------------------------- */

static void start_extractor(const struct extractor_hooks *x)
{
	const struct experiment_repeat *last = NULL;

	for (e.now = 0; extractors[e.now] != x; e.now++)
		;
	if (e.own[e.now].used)
		return;
	for (size_t i = 0; i < e.run.n; i++)
		last = e.run.cell[i].n ? &e.run.cell[i].repeat[e.run.cell[i].n - 1] : last;
	e.own[e.now] = (struct extractor_data){ true, memory_new(1, x->run_size + 1), memory_new(e.run.n, x->cell_size + 1),
						memory_new(last ? last->place + 1 : 1, x->repeat_size + 1) };
	if (x->begin_run)
		x->begin_run(&e.run);
}

/* Numbers the repeats. To be called when the array of cells no longer moves in memory. */
static void set_repeat_places(void)
{
	size_t place = 0;

	for (struct experiment_cell *c = e.run.cell; c < e.run.cell + e.run.n; c++)
		for (struct experiment_repeat *r = c->repeat; r < c->repeat + c->n; r++, place++) {
			r->cell = c;
			r->place = place;
		}
}

static void allocate_values(struct column *c)
{
	c->cell = memory_new(e.run.n, sizeof(*c->cell));
	for (size_t i = 0; i < e.run.n; i++) {
		struct summary_column_values *taken = &c->cell[i];

		taken->figure = FIGURE_ABSENT;
		if (c->source != SOURCE_JSON && (c->source != SOURCE_EXTRACTOR || c->estimator <= ESTIMATE_RANGE))
			continue;
		taken->value = memory_new(e.run.cell[i].complete, sizeof(*taken->value));
		taken->total = memory_new(e.run.cell[i].complete, sizeof(*taken->total));
		taken->late = memory_new(e.run.cell[i].complete, sizeof(*taken->late));
	}
	if (c->extractor)
		start_extractor(c->extractor);
}

/* Sets `path` to the run's experiment in the core or in a kit below `home` + `more`; false: there is none. */
static bool engine_find_table(const char *home, const char *more, char *path, size_t size)
{
	bool found;
	DIR *kits;

	snprintf(path, size, "%s%s/kits", home, more);
	kits = opendir(path);
	snprintf(path, size, "%s%s/experiments/%s/table", home, more, e.run.experiment);
	found = !access(path, R_OK);
	for (struct dirent *kit; kits && !found && (kit = readdir(kits));) {
		snprintf(path, size, "%s%s/kits/%s/experiments/%s/table", home, more, kit->d_name, e.run.experiment);
		found = kit->d_name[0] != '.' && !access(path, R_OK);
	}
	if (kits)
		closedir(kits);
	if (!found) /* the error message names the core's path */
		snprintf(path, size, "%s%s/experiments/%s/table", home, more, e.run.experiment);
	return found;
}

static void read_tables(const char *given)
{
	static const char *const beside[] = { "/..", "/../../share/thinprobe", "/../../.." };
	const char *home = getenv("TP_HOME");
	char path[4400] = "", program[4096] = "";

	if (given)
		snprintf(path, sizeof(path), "%s/table", given);
	else if (home)
		engine_find_table(home, "", path, sizeof(path));
	else if (readlink("/proc/self/exe", program, sizeof(program) - 1) > 0)
		*strrchr(program, '/') = '\0';
	for (size_t i = 0; *program && i < sizeof(beside) / sizeof(*beside); i++)
		if (engine_find_table(program, beside[i], path, sizeof(path)))
			break;
	tables_read_definitions(path, &e.tables);
	if (e.tables.n > EXTRACTORS_MAX)
		die(EXIT_RUN, "%s: too many tables", e.run.experiment);
}

/* --- repeats --------------------------------------------------------------------------------------------------- */

static double read_json_number(const struct json_document *j, const char *path)
{
	double v = NAN;
	bool word;

	if (j && !json_get_real(j, path, &v) && json_get_bool(j, path, &word))
		v = word;
	return v;
}

static void merge_text(const struct column *c, struct summary_column_values *taken, const char *text)
{
	if (!text || (taken->text && c->estimator == ESTIMATE_FIRST))
		return;
	if (taken->text && c->estimator == ESTIMATE_SAME && strcmp(taken->text, text) != 0)
		text = "mixed";
	free(taken->text);
	taken->text = must_alloc(strdup(text));
}

/* Reads a number that may be null beside OBJECT.range.NAME.from and to or OBJECT.above.NAME, or as OBJECT.why says overloaded. */
static void read_json_figure(const struct column *c, struct summary_column_values *taken, const struct json_document *j)
{
	const char *name = strrchr(c->path, '.'), *why;
	int object = name ? (int)(name - c->path) : 0;
	double value = read_json_number(j, c->path), late = value;

	if (j && name && isnan(value)) {
		value = json_number(j, "%.*s.range%s.from", object, c->path, name);
		late = json_number(j, "%.*s.range%s.to", object, c->path, name);
		if (isnan(value))
			value = json_number(j, "%.*s.above%s", object, c->path, name);
		late = isnan(value) || isfinite(late) ? late : (double)INFINITY;
		why = json_get_text(j, "%.*s.why", object, c->path);
		taken->ranged = taken->ranged || isfinite(value);
		taken->overloaded = taken->overloaded || (why && !strcmp(why, "overloaded"));
	}
	taken->late[taken->n] = late;
	taken->value[taken->n] = value;
}

/* Reads the column's number or text from the JSON file of one repeat or train. */
static void read_json_column(const struct column *c, struct summary_column_values *taken, const struct experiment_repeat *r)
{
	const struct json_document *j = repeat_get_json(r, c->from);

	if (!j && c->needed)
		die(EXIT_RUN, "%s: %s is missing", r->folder, c->from);
	if (c->decimals == TABLE_TEXT) {
		merge_text(c, taken, j ? json_get_str(j, c->path) : NULL);
		return;
	}
	taken->total[taken->n] = c->over ? read_json_number(j, c->over) : (double)NAN;
	read_json_figure(c, taken, j);
	taken->n++;
}

static void collect_json(struct column *c)
{
	const struct experiment_repeat *r = e.repeat;
	struct summary_column_values *taken = &c->cell[r->cell->index];
	bool all = c->series && !strcmp(c->series, "*");

	if (c->source != SOURCE_JSON)
		return;
	if (c->series && !all)
		r = repeat_pick_train(r->cell, r, c->series);
	if (r)
		read_json_column(c, taken, r);
	for (size_t i = 0; all && i < r->trains; i++)
		read_json_column(c, taken, &r->train[i]);
}

static void collect_number(struct column *c)
{
	const struct experiment_repeat *r = e.repeat;
	struct summary_column_values *taken = &c->cell[r->cell->index];
	const struct extractor_hooks *x = extractors[e.now];
	const struct extracted_value *g = find_value(c->path ? c->path : "");
	double *value;

	if (c->extractor != x || !taken->value)
		return;
	value = &taken->value[taken->n++];
	if (g)
		*value = g->figure.value;
	else if (!x->number_of || !x->number_of(r, c->path, value))
		die(EXIT_RUN, "table: extractor %s has no number %s of a repeat", c->from, c->path);
}

static void extract_repeat(const struct experiment_repeat *r)
{
	const struct extractor_hooks *x;

	e.repeat = r;
	for (e.now = 0; (x = advance_extractor()); e.now++) {
		if (x->read_repeat)
			x->read_repeat(r);
		visit_columns(collect_number);
	}
	visit_columns(collect_json);
	repeat_free_json(r);
}

/* --- figures --------------------------------------------------------------------------------------------------- */

static void store_cell_figure(struct column *c)
{
	struct summary_column_values *taken = &c->cell[e.cell->index];
	const struct extractor_hooks *x = extractors[e.now];
	const struct extracted_value *g = find_value(c->path ? c->path : "");

	if (c->extractor != x || taken->value)
		return;
	if (c->decimals == TABLE_TEXT)
		merge_text(c, taken, g ? g->text : NULL);
	else if (g)
		taken->figure = g->figure;
	else if (!x->figure_of || !x->figure_of(e.cell, c->path, &taken->figure))
		die(EXIT_RUN, "table: extractor %s has no figure %s", c->from, c->path);
	if (taken->figure.above && c->estimator != ESTIMATE_ABOVE && c->estimator != ESTIMATE_RANGE)
		taken->figure = FIGURE_ABSENT; /* no column beside the figure would show that it is only a lower bound */
}

static const char *choose_state_word(const struct experiment_cell *c, bool measured)
{
	if (!c->n)
		return cell_explain_absence(c);
	if (c->kept == c->n)
		return "failed";
	return measured ? "measured" : c->failed || (int64_t)c->n < c->run->repeats ? "partial" : "complete";
}

static void set_count(const struct column *c, const struct experiment_cell *cell, struct summary_column_values *taken)
{
	const size_t numbers[COUNTS] = { [COUNT_COMPLETE] = cell->n,
					 [COUNT_FAILED] = cell->failed,
					 [COUNT_FLAGGED] = cell->flagged,
					 [COUNT_TRIED] = cell->tried };
	const char *const texts[COUNTS] = { [COUNT_STATE] = choose_state_word(cell, false),
					    [COUNT_MEASURED] = choose_state_word(cell, true),
					    [COUNT_REASON] = cell->reason,
					    [COUNT_NAME] = cell->name };

	/* "0 failed" needs a repeat that was tried, and "0 flagged" one that is complete: otherwise the count is not known */
	if (c->count == COUNT_FLAGGED ? cell->n > 0 : c->count != COUNT_FAILED || cell->n || cell->failed)
		taken->figure = figure_exact((double)numbers[c->count]);
	merge_text(c, taken, texts[c->count]);
}

/* Sets a value of run.json, which is the same for all cells. */
static void set_run_value(const struct column *c, struct summary_column_values *taken, const char *path)
{
	char number[64];

	taken->figure = figure_exact(read_json_number(e.run.json, path));
	snprintf(number, sizeof(number), "%.10g", taken->figure.value);
	if (c->decimals == TABLE_TEXT)
		merge_text(c, taken, isfinite(taken->figure.value) ? number : json_get_str(e.run.json, path));
}

static void adjust_p_values(struct column *c)
{
	double *p = memory_new(e.run.n, sizeof(*p));

	for (size_t i = 0; i < e.run.n; i++)
		p[i] = c->cell[i].figure.value;
	interval_adjust_holm(p, e.run.n);
	for (size_t i = 0; i < e.run.n; i++)
		c->cell[i].figure = figure_exact(p[i]);
	free(p);
}

/* Combines the repeats' numbers. Estimator range of JSON numbers: logmean+ci (of %: percent+ci) of both ends. */
static struct figure estimate_repeats(const struct column *c, const struct summary_column_values *taken)
{
	enum estimator mean = strcmp(c->unit, "%") ? ESTIMATE_LOGMEAN_CI : ESTIMATE_PERCENT_CI;
	enum estimator estimator = c->estimator == ESTIMATE_RANGE ? mean : c->estimator;
	struct figure early =
		estimate_cell_figure(estimator, taken->value, taken->total, taken->n, e.run.draws, (uint64_t)e.run.seed);
	struct figure late;
	bool open = false;

	if (taken->overloaded)
		return figure_absent("overloaded");
	if (!taken->ranged)
		return early;
	if (c->estimator != ESTIMATE_RANGE)
		return figure_absent("range");
	for (size_t i = 0; i < taken->n; i++)
		open = open || isinf(taken->late[i]);
	late = open ? figure_statistic((struct sample_stat){ early.value, true })
		    : engine_estimate(estimator, taken->late, taken->n);
	return figure_join(&early, &late);
}

static void estimate_column(struct column *c)
{
	char path[160];

	for (size_t i = 0; i < e.run.n; i++) {
		struct summary_column_values *taken = &c->cell[i];

		snprintf(path, sizeof(path), "cells.%zu.parameters.%s", i, c->path ? c->path : "");
		if (c->source == SOURCE_COUNT)
			set_count(c, &e.run.cell[i], taken);
		else if (c->source == SOURCE_PARAM)
			set_run_value(c, taken, path);
		else if (c->source == SOURCE_RUN)
			set_run_value(c, taken, c->path);
		else if (taken->value && c->decimals != TABLE_TEXT)
			taken->figure = estimate_repeats(c, taken);
		/* a sum or a count over no repeat is 0, which would pass for a good result */
		if (!e.run.cell[i].n && *c->better && (c->source == SOURCE_JSON || c->source == SOURCE_EXTRACTOR))
			taken->figure = FIGURE_ABSENT;
		if (!figure_known(&taken->figure) && !e.run.cell[i].n)
			taken->figure.why = cell_explain_absence(&e.run.cell[i]);
	}
	if (c->estimator == ESTIMATE_CHANCE_HOLM)
		adjust_p_values(c);
}

static void compute_figures(void)
{
	const struct extractor_hooks *x;

	for (e.cell = e.run.cell; e.cell < e.run.cell + e.run.n; e.cell++)
		for (e.now = 0; (x = advance_extractor()); e.now++) {
			if (x->finish_cell)
				x->finish_cell(e.cell);
			visit_columns(store_cell_figure);
		}
	visit_columns(estimate_column);
}

/* --- tables ---------------------------------------------------------------------------------------------------- */

static void write_row(const struct table *t, const struct experiment_cell *c, struct table_out *out)
{
	for (size_t k = 0; k < t->n; k++) {
		const struct summary_column_values *taken = &t->column[k].cell[c->index];

		if (t->column[k].decimals == TABLE_TEXT)
			row_set_text(out, t->column[k].name, taken->text);
		else
			row_set_figure(out, t->column[k].name, taken->figure);
	}
	row_write(out);
}

static void write_table(const struct table *t, struct table_out *out)
{
	const struct extractor_hooks *x = t->extractor;
	size_t i = 0;

	if (x)
		start_extractor(x);
	while (x && x->tables[i].write && x->tables[i].table && strcmp(x->tables[i].table, t->name) != 0)
		i++;
	if (x && !x->tables[i].write)
		die(EXIT_RUN, "table: extractor %s writes no rows of table %s", t->rows, t->name);
	for (const struct experiment_cell *c = e.run.cell; c < e.run.cell + e.run.n; c++) {
		out->of = c;
		if (x)
			x->tables[i].write(c, out);
		else
			write_row(t, c, out);
	}
}

static void say_summary(struct rec_report *out, const struct repeat_counts *n, const char *unit)
{
	char tables[256] = "";

	for (size_t i = 0; i < e.tables.n; i++)
		if (!e.tables.table[i].given && e.out[i].rows)
			snprintf(tables + strlen(tables), sizeof(tables) - strlen(tables), "%s%s.tsv (%s rows)",
				 *tables ? ", " : "", e.tables.table[i].name, count_text((int64_t)e.out[i].rows));
	rec_say(out, "%zu conditions, %lld repeats: %s %s complete, %s failed, %s flagged", e.run.n, (long long)e.run.repeats,
		count_text((int64_t)n->complete), unit, n->failed ? count_text((int64_t)n->failed) : "none",
		n->flagged ? count_text((int64_t)n->flagged) : "none");
	if (*tables)
		rec_say(out, "wrote %s", tables);
}

static void write_report(struct rec_report *out, const struct repeat_counts *n)
{
	const char *unit = e.tables.counts ? e.tables.counts : "cells";
	const struct extractor_hooks *x;
	char key[300];

	rec_begin_object(out, "settings");
	rec_add_str(out, "run", e.run.folder);
	rec_add_int(out, "repeats", e.run.repeats);
	rec_add_real(out, "threshold_ms", e.run.threshold_ms, 3);
	rec_add_int(out, "draws", (int64_t)e.run.draws);
	rec_add_int(out, "seed", e.run.seed);
	rec_end(out);
	rec_begin_object(out, "result");
	rec_add_int(out, "cells", (int64_t)e.run.n);
	snprintf(key, sizeof(key), "%s_complete", unit);
	rec_add_int(out, key, (int64_t)n->complete);
	snprintf(key, sizeof(key), "%s_failed", unit);
	rec_add_int(out, key, (int64_t)n->failed);
	snprintf(key, sizeof(key), "%s_marked", unit);
	rec_add_int(out, key, (int64_t)n->flagged);
	for (size_t i = 0; i < e.tables.n; i++) {
		const char *name = e.tables.table[i].name;
		size_t length = strlen(name);

		snprintf(key, sizeof(key), "%.*s_rows", (int)(length - (name[length - 1] == 's')), name);
		if (!e.tables.table[i].given)
			rec_add_int(out, key, (int64_t)e.out[i].rows);
	}
	for (e.now = 0; (x = advance_extractor()); e.now++)
		if (x->report)
			x->report(&e.run, out);
	rec_end(out);
	say_summary(out, n, unit);
}

/* Removes unfinished tables when the program ends, so that none is left half written. */
static void remove_unfinished(void)
{
	for (size_t i = 0; i < e.tables.n; i++)
		table_out_close(&e.out[i], false);
	table_out_close_long(false);
}

struct repeat_counts engine_summarize(const char *folder, const struct engine_options *options, struct rec_report *out)
{
	struct repeat_counts n = { 0 };

	run_folder_read_run(folder, &e.run);
	e.run.draws = (size_t)options->draws;
	e.run.seed = options->seed >= 0 ? options->seed : e.run.seed;
	read_tables(options->experiment);
	run_folder_read_cells(&e.run, e.tables.skip_missing);
	set_repeat_places();
	visit_columns(allocate_values);
	for (size_t i = 0; i < e.tables.n; i++)
		if (e.tables.table[i].extractor)
			start_extractor(e.tables.table[i].extractor);
	for (const struct experiment_cell *c = e.run.cell; c < e.run.cell + e.run.n; c++) {
		n.complete += c->complete;
		n.failed += c->failed;
		n.flagged += c->flagged;
		for (size_t k = 0; k < c->n; k++)
			extract_repeat(&c->repeat[k]);
	}
	compute_figures();
	atexit(remove_unfinished);
	table_out_open_long(&e.run, &e.tables);
	for (size_t i = 0; i < e.tables.n; i++) {
		if (e.tables.table[i].given)
			continue;
		table_out_open(&e.out[i], &e.tables.table[i], e.run.folder);
		write_table(&e.tables.table[i], &e.out[i]);
	}
	write_report(out, &n);
	for (size_t i = 0; i < e.tables.n; i++)
		table_out_close(&e.out[i], true);
	table_out_close_long(true);
	table_out_write_schema(&e.run, &e.tables);
	return n;
}
