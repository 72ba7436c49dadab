/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine - the interface between the summarize engine and its extractors.
 *
 * The engine reads the cells of a run folder (run.json's `cells`) and the experiment's file `table` (table.h), and writes the
 * tables that this file describes, long.tsv and schema.tsv. Columns that come from JSON files need no code. All other columns need
 * an extractor: C code that reads the files of each complete repeat, and gives figures to columns whose source is EXTRACTOR:figure,
 * or writes whole rows of tables of rows:EXTRACTOR.
 *
 * Order of calls: begin_run; read_repeat for each complete repeat of each cell, in the order of the run; then finish_cell for each
 * cell, the writers of tables, report. */
#pragma once

#include "estimate.h"
#include "rec.h"
#include "memory.h"
#include "run_folder.h"

/* A complete repeat. The engine owns all members. */
struct experiment_repeat {
	const struct experiment_cell *cell;
	int64_t number;
	size_t place; /* index of this repeat among the complete repeats of all cells */
	size_t index; /* index of this repeat among the complete repeats of its cell */
	char *folder;
	struct json_document *json;	 /* cell.json of the repeat; valid until the end of the run */
	bool flagged;			 /* cell.json flags the repeat as disturbed (key `marked`) */
	const char *series;		 /* "" for a repeat; for one of the trains in `train`, the name of its folder */
	struct experiment_repeat *train; /* complete trains: subfolders of the repeat with a cell.json of their own */
	size_t trains;
	struct cached_json *files;
};
/* Returns the repeat's train whose folder is `series`; NULL: there is none. */
const struct experiment_repeat *repeat_find_train(const struct experiment_repeat *r, const char *series);
/* Returns FILE of the repeat's folder as JSON, valid until the next repeat is read; NULL: no such file. A file that cannot be read,
 * or is no regular file, ends the program with one line. */
const struct json_document *repeat_get_json(const struct experiment_repeat *r, const char *file);
bool repeat_has_file(const struct experiment_repeat *r, const char *file);
/* Reads the rows of FILE in the repeat's folder. A missing file is an error only if `needed`. */
void repeat_read_table(const struct experiment_repeat *r, const char *file, bool needed, const struct input_table *kind,
		       void *into);

struct experiment_run;
struct experiment_cell {
	const struct experiment_run *run;
	size_t index; /* index of this cell in run->cell */
	const char *name;
	struct experiment_repeat *repeat; /* complete repeats, in ascending order of their numbers */
	size_t n;
	size_t complete, failed; /* number of repeats, plus their trains in subfolders */
	size_t kept;		 /* of `failed`: those with figures of the time before, which count as complete, too */
	size_t flagged;		 /* number of complete repeats and trains that are flagged as disturbed */
	size_t cut_off;		 /* of `failed`: repeats that were interrupted */
	size_t tried;		 /* number of repeats that have a cell.json */
	const char *reason;	 /* why the last failed repeat failed; NULL: none failed */
};
/* Parameter `key` of a cell as number or text; NAN or NULL: the cell has no such parameter of that type. */
double cell_number(const struct experiment_cell *c, const char *key);
const char *cell_text(const struct experiment_cell *c, const char *key);
/* ends the program where the cell has no such text */
const char *cell_require_text(const struct experiment_cell *c, const char *key);
/* true: no earlier cell has the same text under `key` */
bool cell_is_first(const struct experiment_cell *c, const char *key);
/* Of a cell without figures: "failed", or "not measured" where the run ended before a repeat was complete. */
const char *cell_explain_absence(const struct experiment_cell *c);

struct experiment_run {
	const char *folder, *experiment;
	struct json_document *json; /* run.json */
	int64_t repeats, seed;	    /* seed: of the bootstrap */
	double threshold_ms;
	size_t draws;		      /* resamples of the bootstrap */
	struct experiment_cell *cell; /* cells in the order of run.json */
	size_t n;
};

/* Returns the repeat's train of that series; the repeat itself, if no repeat of the cell has such a train; NULL: only other repeats
 * have one. */
const struct experiment_repeat *repeat_pick_train(const struct experiment_cell *c, const struct experiment_repeat *r,
						  const char *series);

/* Row of a table that an extractor writes. Cells are set by column name, in any order; cells not set stay empty. A column that the
 * table does not have ends the program with one line. */
struct table_out;
void row_set_text(struct table_out *t, const char *column, const char *value); /* NULL: an empty cell */
/* rounded to the column's decimals; NAN: an empty cell */
void row_set_number(struct table_out *t, const char *column, double value);
/* for columns of estimator ends or ends+above */
void row_set_figure(struct table_out *t, const char *column, struct figure f);
/* Sets `cell`, the cell's name, and all columns of this table that are named like a parameter of the cell. */
void row_set_parameters(struct table_out *t, const struct experiment_cell *c);
/* Copies values of the JSON object at path `prefix` into the row. `columns`: words COLUMN, COLUMN=PATH or COLUMN=PATH*FACTOR;
 * without PATH the key is the column's name. Values are numbers, booleans (0, 1) or texts; a missing value leaves the cell
 * empty. */
void row_set_json(struct table_out *t, const struct json_document *j, const char *prefix, const char *columns);
void row_write(struct table_out *t);

/* Sets several numbers of a row: row_numbers(out, { "p50_ms", p50 }, { "max_ms", max }). row_finish() ends the row, too. */
struct named_value {
	const char *name; /* NULL: the end of the array */
	double value;
};
#define NAMED_VALUES(...) ((const struct named_value[]){ __VA_ARGS__, { NULL, 0 } })
#define row_numbers(t, ...) row_set_numbers(t, NAMED_VALUES(__VA_ARGS__))
#define row_finish(t, ...) (row_numbers(t, __VA_ARGS__), row_write(t))
void row_set_numbers(struct table_out *t, const struct named_value *v);

/* Memory that the current extractor keeps for the run, for each cell and for each complete repeat (repeats of a cell: one array);
 * sizes as in struct extractor_hooks, all zero at first. What extractors allocate beside it is never freed: the program ends with
 * the run. */
void *extractor_run_data(void);
void *extractor_cell_data(const struct experiment_cell *c);
void *extractor_repeat_data(const struct experiment_repeat *r);

/* Give the figure or text of columns with source EXTRACTOR:name, for the current repeat (in read_repeat) or cell (in finish_cell).
 * Names that no column asks for are ignored. Values given per repeat are for columns whose estimator combines repeats. */
void extractor_set_value(const char *name, double value);
#define give_values(...) extractor_set_values(NAMED_VALUES(__VA_ARGS__))
void extractor_set_values(const struct named_value *v);
void extractor_set_figure(const char *name, struct figure f);
void extractor_set_text(const char *name, const char *text); /* NULL: empty */

/* Returns the figure of n numbers, with the run's number of bootstrap draws and its seed. */
struct figure engine_estimate(enum estimator e, const double *value, size_t n);

/* An extractor. All members but the name may be 0 or NULL. Errors end the program with one line (die()). */
struct extractor_hooks {
	const char *name;
	/* bytes of extractor_run_data(), extractor_cell_data(), extractor_repeat_data() */
	size_t run_size, cell_size, repeat_size;
	void (*begin_run)(const struct experiment_run *run);	/* called before any repeat is read */
	void (*read_repeat)(const struct experiment_repeat *r); /* reads the files of a complete repeat and gives its values */
	/* gives figures and texts of a cell, when all repeats of all cells have been read */
	void (*finish_cell)(const struct experiment_cell *c);
	/* Compute a value of a repeat, or a figure of a cell, that was not given. False: no such name. */
	bool (*number_of)(const struct experiment_repeat *r, const char *name, double *out);
	bool (*figure_of)(const struct experiment_cell *c, const char *name, struct figure *out);
	struct {
		const char *table; /* NULL: any table */
		void (*write)(const struct experiment_cell *c,
			      struct table_out *out); /* called for each cell, in the order of the run */
	} tables[6];
	void (*report)(const struct experiment_run *run, struct rec_report *out); /* adds keys to the report's result */
};
extern const struct extractor_hooks *const extractors[]; /* NULL-terminated; defined in extractors.c */

/* --- the engine as the program calls it ------------------------------------------------------------------------ */

/* Numbers of repeats in the run. */
struct repeat_counts {
	size_t complete, failed, flagged;
};
struct engine_options {
	const char *experiment; /* folder of the experiment; NULL: found by the name of the experiment */
	int64_t draws, seed;	/* seed < 0: take the seed of the run */
};
/* Writes all tables of the run in `folder`. `out` gets the settings and the result of the report. */
struct repeat_counts engine_summarize(const char *folder, const struct engine_options *options, struct rec_report *out);
