/* SPDX-License-Identifier: GPL-3.0-or-later */
/* rec_tree - the tree a report is until it is written: built by rec.c, written by rec_write.c. Private to rec. */
#ifndef THINPROBE_REC_TREE_H
#define THINPROBE_REC_TREE_H

#include "rec.h"

enum rec_kind { OBJECT, ARRAY, NUMBER, STRING, WORD };	/* NUMBER and WORD (true, false, null) print as they are */

struct rec_node {
	enum rec_kind kind;
	char *key, *text;
	struct rec_node *first, *last, *next;
	struct rec_node *header;	/* ARRAY: an element that is never printed but names columns of --tsv; NULL: none */
};

/* The short report, in the order in which it was told. */
enum rec_line_kind { LINE_SAID, LINE_WARNED, LINE_HEAD, LINE_ROW };

struct rec_line {
	enum rec_line_kind kind;
	char *text;		/* cells of a table between tabs */
	const char *align;	/* LINE_HEAD: a letter a column, 'l' or 'r' */
	double rank;		/* LINE_ROW: NAN: no worse than others */
	bool shown;
	struct rec_line *next;
};

struct rec_lines {
	struct rec_line *first, *last;
};

struct rec_lines *rec_lines(struct rec *r);
/* What JSON calls "summary": the first warning, else the first sentence; NULL: neither. */
const char *rec_summary(const struct rec_lines *lines);
/* Warnings first. `all`: every row of a table, at any width. Whether anything but warnings was written. */
bool rec_write_lines(FILE *out, const struct rec_lines *lines, bool warnings_only, bool all);
void rec_drop_lines(struct rec_lines *lines);

/* Writes what is below `root`; its first leaf is the schema. May make texts plain in place. REC_ROWS: the elements
 * of `table`, an array of the result; keys and values as REC_TSV has them where it is NULL or not there. 0 or -ENOMEM. */
int rec_write(FILE *out, enum rec_format format, const struct rec_node *root, const char *table);
/* A tab or a line end inside a value would make a row of its own: each becomes a space; other controls, which a terminal would
 * obey, and bytes that are no UTF-8 become a question mark. NULL is nothing. */
void rec_write_plain(FILE *out, const char *text);
/* The same in lines of at most 80 columns, broken between words: `mark` begins the first line, `indent` blanks each further one. */
void rec_write_wrapped(FILE *out, const char *mark, const char *text, int indent);

#endif
