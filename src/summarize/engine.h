/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine - the contract between the summarize engine and its extractors.
 *
 * The engine reads the cells of a run folder (run.json's `cells`) and the experiment's `table` (table.h), and writes the tables
 * that it describes, long.tsv and schema.tsv. Columns from JSON files need no code. What needs code is an extractor: it reads the
 * files of each complete repeat, and gives figures to columns whose source is EXTRACTOR:figure, or whole rows to tables of
 * rows:EXTRACTOR.
 *
 * Order of calls: begin; for each cell in the order of the run, for each of its complete repeats: take; after the last cell: finish
 * for each cell, the tables, tell. */
#ifndef THINPROBE_SUMMARIZE_ENGINE_H
#define THINPROBE_SUMMARIZE_ENGINE_H

#include "cli.h"
#include "estimate.h"
#include "rec.h"
#include "memory.h"
#include "run_folder.h"

/* A complete repeat. All of it belongs to the engine. */
struct repeat {
	const struct cell *cell;
	int64_t number;
	size_t place;			/* its index among the complete repeats of all cells */
	size_t index;			/* its index among the complete repeats of its cell */
	char *folder;
	struct json *json;		/* its cell.json, until the end of the run */
	bool flagged;			/* its cell.json is marked */
	const char *series;		/* "" of the repeat itself; the name of its folder for one of `train` */
	struct repeat *train;		/* complete ones in folders of the repeat that have a cell.json of their own */
	size_t trains;
	struct repeat_files *files;
};
/* The repeat's train of that series; NULL: none. */
const struct repeat *repeat_train(const struct repeat *r, const char *series);
/* What cannot be read, or is no regular file, ends the program with one line. FILE of the repeat's folder as JSON, until the next
 * repeat is read; NULL where there is no such file. */
const struct json *repeat_file(const struct repeat *r, const char *file);
bool repeat_has(const struct repeat *r, const char *file);
/* Reads the rows of FILE. One that is not there is an error only if `needed`. */
void repeat_table(const struct repeat *r, const char *file, bool needed, const struct rows_kind *kind, void *into);

struct run;
struct cell {
	const struct run *run;
	size_t index;			/* in run->cell */
	const char *name;
	struct repeat *repeat;		/* complete ones, ascending */
	size_t n;
	size_t complete, failed;	/* repeats, and trains of other series in complete ones */
	size_t flagged;			/* complete ones that are flagged */
	size_t tried;			/* repeats of which there is a cell.json */
	const char *reason;		/* of the last failure; NULL */
};
/* A parameter: NAN, NULL where there is none of that type. */
double cell_number(const struct cell *c, const char *key);
const char *cell_text(const struct cell *c, const char *key);
const char *cell_require_text(const struct cell *c, const char *key);	/* a text; without it the program ends */
bool cell_is_first(const struct cell *c, const char *key);		/* does no cell before it have the same text? */

struct run {
	const char *folder, *experiment;
	struct json *json;		/* run.json */
	int64_t repeats, seed;		/* seed: of the bootstrap */
	double threshold_ms;
	size_t draws;			/* of the bootstrap */
	struct cell *cell;		/* in the order of run.json */
	size_t n;
};

/* That series' train of a repeat, or the repeat itself where no repeat of the cell has such a train. NULL: others have one. */
const struct repeat *cell_train(const struct cell *c, const struct repeat *r, const char *series);

/* Rows of a table that an extractor writes. Cells by column name, in any order; those not written stay empty. A name that `table`
 * does not have for this table is an error that ends the program with one line. */
struct table_out;
void row_text(struct table_out *t, const char *column, const char *value);	/* NULL: empty */
void row_number(struct table_out *t, const char *column, double value);		/* with the column's decimals; NAN: empty */
void row_figure(struct table_out *t, const char *column, struct figure f);	/* column of estimator ends or ends+above */
/* All columns of this table whose name is a parameter of the cell, and `cell`, its name. */
void row_params(struct table_out *t, const struct cell *c);
/* `columns`: words COLUMN, COLUMN=PATH or COLUMN=PATH*FACTOR; PATH (the column's name, where it is not given) begins at the object
 * `prefix`. Numbers, wire_check values (0, 1) or texts; empty where there is none. */
void row_json(struct table_out *t, const struct json *j, const char *prefix, const char *columns);
void row_end(struct table_out *t);

/* Several numbers with their names: row_numbers(out, { "p50_ms", p50 }, { "max_ms", max }). row_finish() ends the row, too. */
struct named_value {
	const char *name;	/* NULL: the end of the array */
	double value;
};
#define NAMED_VALUES(...) ((const struct named_value[]){ __VA_ARGS__, { NULL, 0 } })
#define row_numbers(t, ...) row_number_list(t, NAMED_VALUES(__VA_ARGS__))
#define row_finish(t, ...) (row_numbers(t, __VA_ARGS__), row_end(t))
void row_number_list(struct table_out *t, const struct named_value *v);

/* What the extractor at hand keeps of the run, of each cell, of each complete repeat (those of a cell stand in one array): so many
 * bytes as it says, all zero at first. The program ends with the run, so nobody frees what hangs on it. */
void *run_data(void);
void *cell_data(const struct cell *c);
void *repeat_data(const struct repeat *r);

/* What columns EXTRACTOR:name ask for, of the repeat or the cell at hand; others are not kept. A number of each repeat is for
 * columns whose estimator makes the figure from repeats. */
void give_value(const char *name, double value);
#define give_values(...) give_value_list(NAMED_VALUES(__VA_ARGS__))
void give_value_list(const struct named_value *v);
void give_figure(const char *name, struct figure f);
void give_text(const char *name, const char *text);	/* NULL: empty */

/* A figure from n numbers, by the draws and the seed of the run. */
struct figure run_estimate(enum estimator e, const double *value, size_t n);

/* What may be 0 or NULL: all but the name. What goes wrong ends the program with one line (die()). */
struct extractor {
	const char *name;
	size_t run_size, cell_size, repeat_size;		/* bytes of what it keeps */
	void (*begin_run)(const struct run *run);			/* before any repeat is taken */
	void (*read_repeat)(const struct repeat *r);			/* reads the files of a complete repeat, gives its numbers */
	void (*finish_cell)(const struct cell *c);			/* gives figures and texts of a cell, when all cells are taken */
	/* For names that were not given. False: there is none of that name. */
	bool (*number_of)(const struct repeat *r, const char *name, double *out);
	bool (*figure_of)(const struct cell *c, const char *name, struct figure *out);
	struct {
		const char *table;				/* NULL: any */
		void (*write)(const struct cell *c, struct table_out *out);	/* called for each cell, in order */
	} tables[6];
	void (*report)(const struct run *run, struct rec *out);	/* keys in the report's result */
};
extern const struct extractor *const extractors[];	/* NULL-terminated (extractors.c) */

/* --- the engine as the program calls it ------------------------------------------------------------------------ */

/* What came of it: repeats. */
struct engine_counts {
	size_t complete, failed, flagged;
};
struct engine_options {
	const char *experiment;		/* folder of the experiment; NULL: looked for by its name */
	int64_t draws, seed;		/* seed < 0: that of the run */
};
/* Writes all tables; `out` gets the report's settings and result. */
struct engine_counts engine_summarize(const char *folder, const struct engine_options *options, struct rec *out);

#endif
