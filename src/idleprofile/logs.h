/* SPDX-License-Identifier: GPL-3.0-or-later */
/* logs - the log files that a profile writes while it runs: events (schema lost/1), culprits (culprit/1), and lost time per CPU
 * in bins of equal length (utilisation/1). The bins are pure. */
#pragma once

#include "events.h"
#include "rec.h"

struct timeline_bins {
	int64_t bin_ns;		  /* length of a bin */
	int64_t start_ns, end_ns; /* the current one; it starts late after time that was not watched */
	int64_t lost_ns, tick_ns;
	void (*each)(void *arg, int64_t start_ns, int64_t bin_ns, int64_t lost_ns, int64_t tick_ns);
	void *arg;
};

void bins_init(struct timeline_bins *b, int64_t start_ns, int64_t bin_ns, void (*each)(void *, int64_t, int64_t, int64_t, int64_t),
	       void *arg);
/* Adds a gap with `lost_ns` of lost time (at most end - start), spread evenly over the bins that it touches. Gaps must come in
 * ascending order. */
void bins_add_gap(struct timeline_bins *b, int64_t start_ns, int64_t end_ns, int64_t lost_ns, bool tick);
/* Says that no gap before `now_ns` is missing: `each` is called for the bins that are complete. */
void bins_flush(struct timeline_bins *b, int64_t now_ns);
/* Says that [from, to] was not watched: it is in no bin, so the one before it ends early and the one after it starts late.
 * Ascending, as gaps. */
void bins_skip(struct timeline_bins *b, int64_t from_ns, int64_t to_ns);
/* Ends the series at `end_ns`: the last bin may be shorter. */
void bins_finish(struct timeline_bins *b, int64_t end_ns);

enum logs_table { LOGS_EVENTS, LOGS_CULPRITS, LOGS_BINS, LOGS };

struct profile_logs {
	const char *path[LOGS]; /* NULL: this log is not wanted; not owned */
	struct row_file *table[LOGS];
	int err[LOGS];
	int64_t rows; /* rows written so far, in all logs */
};

/* Opens the logs that have a path. 0, or -errno with the path in *failed; logs opened before it stay open. */
int logs_open(struct profile_logs *l, const char **failed);
/* Writes a row of schema lost/1. `named`: with the main culprit. */
void logs_write_event(struct profile_logs *l, int cpu, const struct lost_time_event *e, bool named);
/* Writes a row of schema culprit/1 for each culprit of the event. */
void logs_write_culprits(struct profile_logs *l, int cpu, const struct lost_time_event *e);
/* Writes a row of schema utilisation/1. */
void logs_write_bin(struct profile_logs *l, int cpu, int64_t start_ns, int64_t bin_ns, int64_t lost_ns, int64_t tick_ns);
/* Flushes all logs, so that they are valid even after a kill. A log that cannot be written is closed and its error kept. */
void logs_flush(struct profile_logs *l);
/* Takes the next kept error: -errno with the path in *failed; 0: no more. */
int logs_take_error(struct profile_logs *l, const char **failed);
/* Closes all open logs; logs_take_error() has their errors. */
void logs_close(struct profile_logs *l);
