/* SPDX-License-Identifier: GPL-3.0-or-later */
/* table - the file `table` of an experiment: which tables summarize writes, and where the number of each column comes from.
 *
 *	table NAME cells|rows:EXTRACTOR|given [schema=WORD] [optional] [raw]
 *	COLUMN HEADING UNIT SOURCE ESTIMATOR [+-]DECIMALS BETTER
 *	counts WORD
 *	repeats found
 *	include FILE
 *
 * A line consists of words; a word with blanks stands in double quotes; "-" is an empty value; # begins a comment; a line that
 * begins with a blank continues the line before. Columns belong to the table above them.
 *	+-		a change or difference: a time that may be below 0, as with change+ci. Other times below 0 are left out
 *	given		the experiment writes the file; only its columns are described here
 *	optional	without rows there is no file
 *	raw		rows are points of curves or single runs, not figures: they are not in long.tsv
 *	counts		what the report calls a repeat (default: cells)
 *	repeats found	cells have different numbers of repeats; a repeat without a folder has not failed
 *	include		lines that several experiments share; path relative to the folder of this file
 * Sources: enum column_source; estimators: estimate.h. */
#pragma once

#include "engine.h"

enum column_source {
	SOURCE_ROW, /* -		written by the extractor of the table's rows */
	/* param[:KEY]	a parameter of the cell (KEY: the column's name); of rows that an extractor writes: what names the row */
	SOURCE_PARAM,
	SOURCE_COUNT,	  /* count:WORD	a count of the cell's repeats (enum count_kind) */
	SOURCE_RUN,	  /* run:PATH	a value of run.json */
	SOURCE_JSON,	  /* [SERIES/]FILE.json[!]:PATH[/PATH]	a number of each complete repeat; !: the file must exist */
	SOURCE_EXTRACTOR, /* EXTRACTOR:FIGURE	a figure that an extractor gives */
};
enum count_kind {
	COUNT_STATE,	/* complete, partial, failed or not measured */
	COUNT_MEASURED, /* measured, failed or not measured */
	COUNT_COMPLETE,
	COUNT_FAILED,
	COUNT_FLAGGED,
	COUNT_TRIED,
	COUNT_REASON,
	COUNT_NAME,
	COUNTS
};

#define TABLE_TEXT (-1) /* value of column.decimals for a column of text */
/* Cells that one column can have in a row: the value, then those with these ends of its name. */
enum table_end { TABLE_VALUE, TABLE_LOW, TABLE_HIGH, TABLE_BOTH, TABLE_ABOVE, TABLE_FROM, TABLE_TO, TABLE_WHY, TABLE_ENDS };

/* Values of one column for one cell. */
struct summary_column_values {
	double *value, *total;	 /* number of each complete repeat (or train); total: the number under the / of share+ci */
	double *late;		 /* of a JSON number that is a range or a lower bound, the late end; otherwise as value */
	bool ranged, overloaded; /* a number is a range or a lower bound; a repeat has none as it was overloaded */
	size_t n;
	char *text;
	struct figure figure;
};

/* A column of a table. Its texts point into tables.text. */
struct column {
	const char *name, *heading, *unit, *from, *path,
		*over;		   /* from: FILE.json or the extractor's name; over: the path after the / */
	char *end[TABLE_ENDS + 1]; /* names of the column's cells in a row, then NULL; owned */
	size_t place;		   /* index of the first of these cells in the row */
	enum column_source source;
	enum count_kind count;
	enum estimator estimator;
	bool needed; /* a repeat without the file ends the program */
	/* folder of the trains to read (repeat_pick_train() in engine.h); "*": of all trains; NULL: the repeats themselves */
	const char *series;
	int decimals;
	bool negative;	    /* may be below 0 */
	const char *better; /* lower, higher or "" */
	const struct extractor_hooks *extractor;
	struct summary_column_values *cell; /* values for each cell of the run; owned by the engine */
};

struct table {
	const char *name, *rows; /* rows: the extractor's name, or "given"; NULL: one row for each cell */
	char schema[128];
	const struct extractor_hooks *extractor; /* extractor that writes the rows; NULL: none */
	bool given, optional, raw;
	struct column *column;
	size_t n, places; /* n: columns; places: cells of a row */
};

struct tables {
	struct table *table;
	size_t n;
	const char *counts;
	bool skip_missing; /* "repeats found": a repeat without a folder is not counted */
	char **text;	   /* text of each file that was read; names point into it */
	size_t texts;
};

/* Reads the file `table` at `path`. A mistake in the file ends the program with one line. */
void tables_read_definitions(const char *path, struct tables *out);

const struct column *table_find_column(const struct table *t, const char *name); /* NULL: no such column */

/* --- table_out.c: writes them as NAME.tsv, which take their names when all are whole --------------------------- */

#define TABLE_PATH 4400

struct table_out {
	const struct table *table;
	struct row_file *file; /* NULL: not open */
	char path[TABLE_PATH], temporary[TABLE_PATH + 32];
	char **cell;			  /* cells of the current row; NULL: empty */
	struct figure *figure;		  /* figure of each column in the current row */
	const struct experiment_cell *of; /* whose row it is */
	size_t rows;			  /* number of rows written */
};

/* Opens NAME.tsv in `folder` under a temporary name. A write error ends the program. */
void table_out_open(struct table_out *t, const struct table *table, const char *folder);
/* Closes the table. keep: rename it to NAME.tsv, or remove both if it is optional and has no rows; otherwise discard it and leave
 * the old file. */
void table_out_close(struct table_out *t, bool keep);
/* Open and close long.tsv (schema long/1): while it is open, each row of a table that is not raw adds a row for each figure to
 * it. */
void table_out_open_long(const struct experiment_run *run, const struct tables *tables);
void table_out_close_long(bool keep);
/* Writes schema.tsv (schema/1: all columns). */
void table_out_write_schema(const struct experiment_run *run, const struct tables *tables);
void table_out_print_schema(const struct tables *tables); /* the same to standard output */
