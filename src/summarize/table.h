/* SPDX-License-Identifier: GPL-3.0-or-later */
/* table - the file `table` of an experiment: which tables summarize writes, and where the number of each column comes from.
 *
 *	table NAME cells|rows:EXTRACTOR|given [schema=WORD] [optional]
 *	COLUMN HEADING UNIT SOURCE ESTIMATOR DECIMALS BETTER
 *	counts WORD
 *	repeats found
 *	view ID TABLE TITLE [by=COLUMN] [only=COLUMN] [rank=COLUMN [at=COLUMN:least|most|VALUE,...]] COLUMN...
 *	include FILE
 *
 * A line is words; a word with blanks stands in double quotes; "-" is nothing; # begins a comment; a line that begins with a blank
 * goes on with the one before. Columns belong to the table above them. `given`: the experiment writes the file, and only its
 * columns are described here. In a view COLUMN? is shown only where it has several values, and TABLE:COLUMN is of another table's
 * row with the same first column. A view with `rank` sorts the rows by that column, least first, at one value of each column of
 * `at`. `optional`: without rows there is no file. `counts`: what the report calls a repeat (cells). `repeats found`: cells have
 * not all as many repeats as the run; those without a folder are not failed ones. `include`: lines that several experiments share,
 * named from the folder of this file. Sources: see enum column_source; estimators: estimate.h. */
#ifndef THINPROBE_SUMMARIZE_TABLE_H
#define THINPROBE_SUMMARIZE_TABLE_H

#include "engine.h"
#include "estimate.h"

enum column_source {
	SOURCE_ROW,		/* -		written by the extractor of the table's rows */
	SOURCE_PARAM,		/* param[:KEY]	a parameter of the cell (KEY: the column's name) */
	SOURCE_COUNT,		/* count:WORD	of the cell's repeats (enum count_kind) */
	SOURCE_RUN,		/* run:PATH	of run.json */
	SOURCE_JSON,		/* [SERIES/]FILE.json[!]:PATH[/PATH]	of each complete repeat; !: the file must be there */
	SOURCE_EXTRACTOR,	/* EXTRACTOR:FIGURE */
};
enum count_kind {
	COUNT_STATE,		/* complete, partial, failed */
	COUNT_MEASURED,		/* measured, failed, not measured */
	COUNT_COMPLETE, COUNT_FAILED, COUNT_FLAGGED, COUNT_TRIED, COUNT_REASON, COUNT_NAME, COUNTS
};

#define TABLE_TEXT (-1)		/* decimals of a column of text */
#define TABLE_ENDS 4		/* names of a column: its own, and those of estimate_ends() */

/* What the engine took for one cell of a column. */
struct column_values {
	double *value, *total;	/* of each complete repeat (or train) */
	size_t n;
	char *text;
	struct figure figure;
};

/* Its texts are parts of tables.text. */
struct column {
	const char *name, *heading, *unit, *from, *path, *over;	/* from: FILE.json or the extractor's name; over: the path under the / */
	char *end[TABLE_ENDS + 1];	/* names of its cells in a row, NULL behind the last; owned */
	size_t place;		/* of the first of them in the row */
	enum column_source source;
	enum count_kind count;
	enum estimator estimator;
	bool needed;		/* the file must be there */
	const char *series;	/* of the trains of that series (cell_train() in engine.h); "*": of all trains; NULL: of the repeats */
	int decimals;
	const char *better;	/* lower, higher, "" */
	const struct extractor *extractor;
	struct column_values *cell;	/* the engine's: of each cell of the run */
};

struct table {
	const char *name, *rows;		/* rows: the extractor's name, or "given"; NULL: a row for each cell */
	char schema[128];
	const struct extractor *extractor;	/* of the rows */
	bool given, optional;
	struct column *column;
	size_t n, places;			/* columns; cells of a row */
};

struct tables {
	struct table *table;
	size_t n;
	const char *counts;
	bool found;
	char **text;		/* whole text of each file that was read; names point into it */
	size_t texts;
};

/* What is wrong in the file ends the program with one line. */
void tables_read(const char *path, struct tables *out);

const struct column *table_column(const struct table *t, const char *name);	/* NULL: none */

/* --- table_out.c: writes them as NAME.tsv, which take their names when all are whole --------------------------- */

#define TABLE_PATH 4400

struct table_out {
	const struct table *table;
	struct rows *file;		/* NULL: not open */
	char path[TABLE_PATH], temporary[TABLE_PATH + 8];
	char **cell;			/* of the row at hand; NULL: empty */
	size_t rows;			/* written */
};

/* What cannot be written ends the program. */
void table_out_open(struct table_out *t, const struct table *table, const char *folder);
/* keep: the file takes its name (an optional table without rows: it goes, and an older one too); else the old file stays. */
void table_out_close(struct table_out *t, bool keep);
/* long.tsv (schema long/1) of the tables of cells and schema.tsv (schema/1) of all columns. */
void table_out_long(const struct run *run, const struct tables *tables);
void table_out_schema(const struct run *run, const struct tables *tables);

#endif
