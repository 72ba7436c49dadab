/* SPDX-License-Identifier: GPL-3.0-or-later */
/* interval_write - rows of intervals to a table that is rotated, to a file for node_exporter, and as a line on a terminal. */
#pragma once

#include "interval.h"
#include "rec.h"
#include "who.h"

struct interval_cfg {
	const char *table, *metrics; /* paths; NULL: none. The table "-" is standard output */
	int64_t rotate_bytes,
		keep;	    /* a table of this size, or of another day (UTC), is renamed to TABLE.1; so many are kept, 0: all */
	bool append;	    /* add rows to the file of the table instead of renaming it to TABLE.1 */
	bool line;	    /* a line an interval on standard error, and one of totals at the end */
	bool terminal;	    /* which is a terminal: so a line an interval also while no packet comes */
	bool who;	    /* the line tells who had the CPU where the server is blamed */
	bool tells_silence; /* warn where no packet ever came */
	const char *ports, *interface; /* in words, for the line */
};

struct interval_writer {
	struct interval_cfg cfg;
	struct row_file *table;
	int64_t day;
	bool table_warned, metrics_warned; /* of a file that cannot be written; reset once it can */
	bool rotate_warned;		   /* of a table that cannot be renamed; it grows on */
	uint64_t unwritten;		   /* how often one could not */
	struct interval_row *row; /* owned; of the current interval; the last one may be that of connections not followed */
	int rows;
	uint64_t others; /* of the current interval */
	bool others_warned, chaff_warned, silence_warned;
	struct who who;
	/* since the start */
	uint64_t wire_bytes[CHANNELS], inputs, updates, unanswered, retransmitted, verdicts[VERDICTS];
	/* hidden: rows with updates and without an input, in which messages that were taken for acknowledgements may be input */
	uint64_t packets, other_packets, untimed, clock_sets, hidden;
	int64_t start_ns, end_ns, dropped; /* dropped: -1: not known */
	struct response_times to_next, to_latest;
};

extern const char *const interval_columns[]; /* schema watch/1 */

int writer_open(struct interval_writer *w, const struct interval_cfg *cfg); /* 0 or -errno */
/* Replaces the file of metrics as a whole: whoever reads it never sees half of it. Before the first interval `start_ns` is -1.
 * Returns 0 or -errno. */
int writer_write_metrics(const struct interval_writer *w, int64_t start_ns);
/* Functions of struct intervals. */
void writer_add_row(void *writer, const struct interval_row *row);
void writer_end_interval(void *writer, int64_t start_ns, int64_t length_ns, int64_t dropped, bool clock_set);
uint64_t writer_close(struct interval_writer *w); /* how often a file could not be written */
