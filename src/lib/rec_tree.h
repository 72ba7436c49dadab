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
};

/* Writes what is below `root`; its first leaf is the schema. May make texts plain in place. */
void rec_write(FILE *out, enum rec_format format, const struct rec_node *root);
/* A tab or a line end inside a value would make a row of its own: each becomes a space; other controls, which a terminal would
 * obey, and bytes that are no UTF-8 become a question mark. NULL is nothing. */
void rec_write_plain(FILE *out, const char *text);

#endif
