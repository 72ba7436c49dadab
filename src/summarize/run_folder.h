/* SPDX-License-Identifier: GPL-3.0-or-later */
/* run_folder - reads run.json with its cells, RUN/cells/NAME/REPEAT/cell.json and other JSON files. Errors end the program with one
 * line. */
#pragma once

#include "json_in.h"
#include "rows_in.h"

/* Reads FOLDER/NAME. NULL: the file does not exist, and is not `needed`. A file that cannot be read, or is no regular file, ends
 * the program with one line. */
struct json_document *run_folder_read_json(const char *folder, const char *name, bool needed);
/* Return the number or the text at a path, which is formatted as by printf(). NAN or NULL: there is none, or `j` is NULL. */
double json_number(const struct json_document *j, const char *path, ...) __attribute__((format(printf, 2, 3)));
const char *json_get_text(const struct json_document *j, const char *path, ...) __attribute__((format(printf, 2, 3)));

/* One cell of a row in a table that a program of thinprobe wrote (rows_in.h). */
struct input_cell {
	const char *text; /* NULL: the file has no such column */
	int64_t count;	  /* whole number; ROWS_IN_NONE: empty, or no such column */
	double real;	  /* the same as a real number, or any number of a column marked %; NAN: empty, or no such column */
};
struct input_table {
	const char *schema;
	/* Names of columns: plain names are counts and times in ns, %NAME any number, $NAME text. Columns after a | may be missing. */
	const char *columns;
	int (*row)(void *into, const struct input_cell *cell); /* called for each row; 0, or -EPROTO: the row cannot be right */
	const struct input_table *otherwise;		       /* schema to try next if the file has another one; NULL: none */
};
/* Returns 0, or an error as rows_in_read() does. */
int rows_read(FILE *in, const struct input_table *kind, void *into, unsigned long *line);

#define RUN_REPEATS_MAX 1000

struct experiment_run;
struct experiment_repeat;
/* Reads run.json without its cells. Errors end the program. */
void run_folder_read_run(const char *folder, struct experiment_run *out);
/* Reads the cells. A repeat without cell.json was interrupted and counts as failed; with skip_missing, a repeat without a folder is
 * not counted at all. */
void run_folder_read_cells(struct experiment_run *run, bool skip_missing);

/* Frees the JSON files of a repeat and of its trains. */
void repeat_free_json(const struct experiment_repeat *r);
