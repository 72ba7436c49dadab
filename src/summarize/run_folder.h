/* SPDX-License-Identifier: GPL-3.0-or-later */
/* run_folder - reads run.json with its cells, each cell.json in RUN/cells/NAME/REPEAT, and other JSON files; what is wrong with one
 * is one line. */
#ifndef THINPROBE_SUMMARIZE_RUN_FOLDER_H
#define THINPROBE_SUMMARIZE_RUN_FOLDER_H

#include "json_in.h"
#include "rows_in.h"

/* What cannot be read, or is no regular file, ends the program with one line. NULL: there is none, and it is not needed. */
struct json *run_folder_json(const char *folder, const char *name, bool needed);
/* The number or the text at a path, as by printf(); NAN, NULL: there is none, or no `j`. */
double json_number(const struct json *j, const char *path, ...) __attribute__((format(printf, 2, 3)));
const char *json_text(const struct json *j, const char *path, ...) __attribute__((format(printf, 2, 3)));

/* A table that a program wrote (rows_in.h). */
struct rows_cell {
	const char *text;	/* NULL: the file has no such column */
	int64_t count;		/* ROWS_IN_NONE: empty, or not there */
	double real;		/* NAN: likewise */
};
struct rows_kind {
	const char *schema;
	/* Words: columns of counts and of times in ns; % before a name: any number; $: text. Those behind a | may be missing. */
	const char *columns;
	int (*row)(void *into, const struct rows_cell *cell);	/* 0; -EPROTO: it cannot be */
	const struct rows_kind *otherwise;			/* what the file may be instead */
};
/* 0, or as rows_in_read(). */
int rows_read(FILE *in, const struct rows_kind *kind, void *into, unsigned long *line);

#define RUN_REPEATS_MAX 1000

struct run;
struct repeat;
/* run.json, without cells; what is wrong with it ends the program, as with those. */
void run_folder_read(const char *folder, struct run *out);
/* Its cells. A repeat without cell.json was interrupted and counts as failed; `found`: not where it has no folder either. */
void run_folder_read_cells(struct run *run, bool found);

/* Frees what repeat_file() holds of a repeat and its trains. */
void repeat_free_files(const struct repeat *r);

#endif
