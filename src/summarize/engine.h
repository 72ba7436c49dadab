/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine - the contract between the summarize engine and its extractors.
 *
 * The engine reads the cells of a run folder (run.json's `cells`) and the experiment's `table`
 * (table.h), and writes the tables that it describes, long.tsv and schema.tsv. Columns from JSON
 * files need no code. What needs code is an extractor: it reads the files of each complete repeat,
 * and gives figures to columns whose source is EXTRACTOR:figure, or whole rows to tables of
 * rows:EXTRACTOR.
 *
 * Order of calls: open; for each cell in the order of the run, for each of its complete repeats:
 * read, then number for each column that asks for it; after the last cell: figure and text for each
 * column of each cell, rows for each table, report; close. Calls that fail return -errno and have
 * one line in `why`. */
#ifndef THINPROBE_SUMMARIZE_ENGINE_H
#define THINPROBE_SUMMARIZE_ENGINE_H

#include "figure.h"
#include "inputs.h"
#include "rec.h"
#include "why.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* A complete repeat. All of it belongs to the engine. */
struct repeat {
	int64_t number;
	size_t index;			/* among the cell's complete ones, from 0 */
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
/* FILE of the repeat's folder as JSON, until the next repeat is read; *out is NULL where there is
 * no such file. 0 or -errno: it cannot be read. */
int repeat_json(const struct repeat *r, const char *file, const struct json **out, struct why *why);
bool repeat_has(const struct repeat *r, const char *file);
/* Reads the rows of FILE. *line: number of the row that is wrong, for -EPROTO. A file that is not
 * there is an error only if `needed`. */
typedef int repeat_reader(FILE *in, void *into, unsigned long *line);
int repeat_rows(const struct repeat *r, const char *file, bool needed, repeat_reader *read, void *into, struct why *why);

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
	char *reason;			/* of the last failure; NULL */
};
/* A parameter: NAN, NULL where there is none of that type. */
double cell_number(const struct cell *c, const char *key);
const char *cell_text(const struct cell *c, const char *key);

struct run {
	const char *folder, *experiment;
	struct json *json;		/* run.json */
	int64_t repeats, seed;		/* seed: of the bootstrap */
	double threshold_ms;
	size_t draws;			/* of the bootstrap */
	struct cell *cell;		/* in the order of run.json */
	size_t n;
};

/* That series' train of a repeat, or the repeat itself where no repeat of the cell has such a
 * train. NULL: others have one. */
const struct repeat *cell_train(const struct cell *c, const struct repeat *r, const char *series);

/* Rows of a table that an extractor writes. Cells by column name, in any order; those not written
 * stay empty. A name that `table` does not have for this table is an error that ends the program
 * with one line. */
struct table_out;
void row_text(struct table_out *t, const char *column, const char *value);	/* NULL: empty */
void row_number(struct table_out *t, const char *column, double value);		/* with the column's decimals; NAN: empty */
void row_figure(struct table_out *t, const char *column, const struct figure *f);	/* column of estimator ends or ends+above */
void row_params(struct table_out *t, const struct cell *c);	/* all columns of this table whose name is a parameter of the cell */
void row_end(struct table_out *t);

/* A state for `open`, all zero: a struct of `size` bytes that begins with `const struct run *run`, and behind it `each` bytes
 * for each cell. NULL: no memory. */
void *run_state(const struct run *run, size_t size, size_t each, struct why *why);

/* What may be NULL: all but name, open and close. */
struct extractor {
	const char *name;
	void *(*open)(const struct run *run, struct why *why);	/* state of a run; NULL: why */
	int (*read)(void *state, const struct cell *c, const struct repeat *r, struct why *why);
	/* A number of the repeat that was just read, for a column whose estimator makes the figure from repeats. -ENOENT: no such path. */
	int (*number)(void *state, const struct cell *c, const struct repeat *r, const char *path, double *out);
	/* A figure of the cell. -ENOENT: no such path. */
	int (*figure)(void *state, const struct cell *c, const char *path, struct figure *out);
	/* Of text columns; NULL: empty. */
	const char *(*text)(void *state, const struct cell *c, const char *path);
	int (*rows)(void *state, const char *table, struct table_out *out, struct why *why);
	void (*report)(void *state, struct rec *out);		/* keys in the report's result */
	void (*close)(void *state);
};
extern const struct extractor *const extractors[];	/* NULL-terminated (extractors.c) */

#endif
