/* SPDX-License-Identifier: GPL-3.0-or-later */
/* logs_in - the times of requests out of a log: JMeter's JTL, the Common and Combined Log Formats, tables with tabs. */
#ifndef THINPROBE_ARRIVALS_LOGS_IN_H
#define THINPROBE_ARRIVALS_LOGS_IN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum logs_in_kind { LOGS_IN_AUTO, LOGS_IN_JTL, LOGS_IN_CLF, LOGS_IN_TSV };
extern const char *const logs_in_kinds[];

#define LOGS_IN_WHERE 8

struct logs_in_cfg {
	int kind;			/* enum logs_in_kind */
	/* of the times; NULL: timeStamp, or the first of the usual ones that is there. Not of CLF. Columns
	 * of a table without a header line are called 1, 2, ... */
	const char *column;
	int64_t unit_ns;		/* 0: as the column's name ends */
	const char *source;		/* the column of who asked; NULL: nobody wants to know. CLF: host, whatever is given */
	struct {
		const char *column, *value;
	} where[LOGS_IN_WHERE];		/* rows that have all of these; not of CLF */
	size_t wheres;
};

struct logs_in_arrival {
	int64_t time_ns;
	/* 0, 1, ...: in the order of their names: in that of first appearance the first few would all have asked together */
	uint32_t source;
};

struct logs_in {
	struct logs_in_arrival *arrival;	/* owned; in the order of the file */
	size_t n, passed;			/* passed over by `where`, or without a time (an empty cell) */
	int64_t tick_ns;			/* what the log's times can tell: a power of ten of ns up to 1 s */
	enum logs_in_kind kind;
	uint32_t sources;			/* how many; 0: not asked for */
	char name[64];				/* of the column that was read; not of CLF */
	void *names;				/* owned; tree of the sources' names (tsearch()) */
};

/* 0; -EPROTO with `why`, and the line in *line; -ENOMEM, -EIO. To be freed either way. */
int logs_in_read(FILE *in, const struct logs_in_cfg *cfg, struct logs_in *out, unsigned long *line, const char **why);
void logs_in_free(struct logs_in *l);

/* A decimal number ("1700000000.123") times `unit_ns`, exactly; what is below a ns is cut off. *tick_ns: the smallest step that so
 * many decimals can express, 1 at the least. False for anything else, and for a number below 0 or over INT64_MAX / 4. */
bool logs_in_number(const char *text, int64_t unit_ns, int64_t *out, int64_t *tick_ns);
/* A text that begins with "10/Oct/2000:13:55:36 -0700" (Apache's %t, without the brackets), as ns since 1970. False for any other
 * text and for years other than 1970 to 2200. */
bool logs_in_date(const char *text, int64_t *out);

#endif
