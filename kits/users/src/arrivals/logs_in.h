/* SPDX-License-Identifier: GPL-3.0-or-later */
/* logs_in - reads the arrival times of requests from a log: JMeter's JTL, the Common and Combined Log Formats (CLF), the W3C's
 * extended log, tables with tabs. */
#pragma once

#include "why.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum logs_in_kind { LOGS_IN_AUTO, LOGS_IN_JTL, LOGS_IN_CLF, LOGS_IN_TSV, LOGS_IN_W3C };
extern const char *const logs_in_kinds[];

#define LOGS_IN_WHERE 8

struct log_reader_cfg {
	int kind; /* enum logs_in_kind */
	/* column of the times; NULL: timeStamp, or the first column with one of the usual names. Not for CLF. Columns of a table without a
	 * header line are called 1, 2, ... */
	const char *column;
	int64_t unit_ns;    /* unit of the times; 0: as the column's name ends */
	const char *source; /* column that names the source of a request; NULL: do not read it. For CLF any name means the host. */
	struct {
		const char *column, *value;
	} where[LOGS_IN_WHERE]; /* only rows with all of these values are read; not for CLF */
	size_t wheres;
};

struct logged_arrival {
	int64_t time_ns;
	/* index of the source in the order of names (in the order of first appearance, the first few sources would all have sent their
	 * first requests together) */
	uint32_t source;
	uint32_t held; /* it is a transaction of so many samples; 0: a request */
	char *name;    /* of the source, while the log is read; NULL: none */
};

struct logged_arrivals {
	struct logged_arrival *arrival; /* owned; in the order of the file */
	size_t n, passed;		/* passed: rows left out by `where`, without a time (an empty cell), or of transactions */
	size_t untimed, transactions;	/* those of them without a time; of transactions whose samples have rows of their own */
	int64_t tick_ns;		/* resolution of the log's times: a power of ten of ns, at most 1 s */
	int64_t step_ns;		/* largest power of ten of ns, at most 1 s, of which all times are multiples */
	enum logs_in_kind kind;
	uint32_t sources; /* number of sources; 0: not read */
	char name[64];	  /* name of the column of times; not for CLF */
	struct why why;	  /* a reason that names a column */
};

/* Reads a log. 0; -EPROTO with the reason in `why` and the line in *line; -ENOMEM, -EIO. Call logs_in_free() either way. */
int logs_in_read(FILE *in, const struct log_reader_cfg *cfg, struct logged_arrivals *out, unsigned long *line, const char **why);
void logs_in_free(struct logged_arrivals *l);

/* Reads a decimal number ("1700000000.123") times `unit_ns`, exactly; fractions of a ns are cut off. *tick_ns: the smallest step
 * that so many decimals can express, at least 1. False for anything else, and for numbers below 0 or over INT64_MAX / 4. */
bool logs_in_parse_time(const char *text, int64_t unit_ns, int64_t *out, int64_t *tick_ns);
/* Reads ns since 1970 from a text that begins with a date, to *end: "10/Oct/2000:13:55:36 -0700" (Apache's %t without brackets),
 * "2026-01-05 08:00:00.123", "2026-01-05T08:00:00Z", "2026/01/05 08:00:00", "01/05/26 08:00:00"; without a time zone it is UTC.
 * *tick_ns as above. False for any other text and for years other than 1970 to 2200. */
bool logs_in_parse_date(const char *text, int64_t *out, int64_t *tick_ns, const char **end);
