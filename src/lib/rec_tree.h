/* SPDX-License-Identifier: GPL-3.0-or-later */
/* rec_tree - the tree and lines of a report in memory: built by rec.c, the lines by rec_say.c, written by rec_write.c. Private to
 * rec. */
#pragma once

#include "rec.h"

#include <stdarg.h>

enum rec_kind { OBJECT, ARRAY, NUMBER, STRING, WORD }; /* WORD: true, false or null */

struct rec_node {
	enum rec_kind kind;
	char *key, *text;
	struct rec_node *first, *last, *next;
	struct rec_node *header; /* ARRAY: an element that is never printed but names columns of --tsv; NULL: none */
};

/* A line of the short report, in the order of the calls. */
struct rec_line {
	enum rec_line_kind kind;
	char *text;	   /* cells of a table between tabs */
	const char *align; /* LINE_HEAD: a letter a column, 'l' or 'r' */
	double rank;	   /* LINE_ROW: badness by rec_rank_row(); NAN: none */
	bool shown;	   /* LINE_ROW: one of the rows to print */
	struct rec_line *next;
};

struct rec_lines {
	struct rec_line *first, *last;
	struct rec_line *ahead; /* the last of the warnings and summaries, which stand first; NULL: none */
};

void rec_append_line(struct rec_lines *to, enum rec_line_kind kind, const char *align, const char *format, va_list args)
	__attribute__((format(printf, 4, 0)));
/* The text of "summary" in JSON: the first warning, else that of rec_set_summary(), else the first line of
 * rec_say(); NULL: none. */
const char *rec_find_summary(const struct rec_lines *lines);
/* Writes the lines, warnings first. `all`: every row of tables, at full width. Returns whether anything but warnings was
 * written. */
bool rec_write_lines(FILE *out, const struct rec_lines *lines, bool warnings_only, bool all);
void rec_free_lines(struct rec_lines *lines);

/* Writes the tree below `root`, whose first leaf is the schema. REC_TSV: the
 * elements of `table`, an array of the result, or the result as one row if `table` is NULL or missing. */
void rec_write_tree(FILE *out, enum rec_format format, const struct rec_node *root, const char *table);
