/* SPDX-License-Identifier: GPL-3.0-or-later */
/* table_out - writes a table of `table` (table.h): NAME.tsv, which takes its name when all tables
 * are whole. */
#ifndef THINPROBE_SUMMARIZE_TABLE_OUT_H
#define THINPROBE_SUMMARIZE_TABLE_OUT_H

#include "table.h"
#include "whole.h"

struct table_out {
	const struct table *table;
	struct whole whole;
	const char **names;		/* with those of ends, NULL-terminated */
	char **made;			/* the names of ends; owned */
	char **cell;			/* of the row at hand, by column of `names`; NULL: empty */
	size_t n, n_made, rows;
	bool open;
};

/* 0 or -errno. */
int table_out_open(struct table_out *t, const struct table *table, const char *folder, struct why *why);
/* keep: the file takes its name (an optional table without rows: it goes, and an older one too);
 * else the old file stays. */
int table_out_close(struct table_out *t, bool keep, const char *folder, struct why *why);

#define TABLE_ENDS 4
extern const char *const table_ends[TABLE_ENDS];	/* "", "_low", "_high", "_above" */

/* long.tsv (schema long/1) of the tables of cells and schema.tsv (schema/1) of all columns. 0 or
 * -errno. */
int table_out_long(const struct run *run, const struct tables *tables, struct why *why);
int table_out_schema(const struct run *run, const struct tables *tables, struct why *why);

#endif
