/* SPDX-License-Identifier: GPL-3.0-or-later */
/* logs - the rows that a profile writes while it runs: events, who ran in them, and lost time over time. */
#ifndef THINPROBE_LOGS_H
#define THINPROBE_LOGS_H

#include "events.h"
#include "rec.h"

struct timeline_bins {
	int64_t bin_ns, start_ns;	/* of the bin at hand */
	int64_t lost_ns, tick_ns;
	void (*each)(void *arg, int64_t start_ns, int64_t bin_ns, int64_t lost_ns, int64_t tick_ns);
	void *arg;
};

void timeline_bins_init(struct timeline_bins *b, int64_t start_ns, int64_t bin_ns,
	       void (*each)(void *, int64_t, int64_t, int64_t, int64_t), void *arg);
/* A part in which `lost_ns` were lost (at most end - start; less: spread evenly). Parts in ascending order, from the
 * start on. */
void timeline_bins_add_gap(struct timeline_bins *b, int64_t start_ns, int64_t end_ns, int64_t lost_ns, bool tick);
/* No part before `now_ns` is missing. */
void timeline_bins_advance(struct timeline_bins *b, int64_t now_ns);
/* Ends at `end_ns`: the last bin is handed out with the length that it has come to. */
void timeline_bins_end(struct timeline_bins *b, int64_t end_ns);

enum logs_table { LOGS_EVENTS, LOGS_CULPRITS, LOGS_BINS, LOGS };

struct profile_logs {
	const char *path[LOGS];		/* NULL: not wanted; not owned */
	struct rows *table[LOGS];
	int err[LOGS];
	int64_t rows;			/* written so far, all together */
};

/* Opens those with a path. 0, or -errno with the path in *failed; what was opened stays so. */
int logs_open(struct profile_logs *l, const char **failed);
/* Schema lost/1; `named`: with the main culprit. */
void logs_write_event(struct profile_logs *l, int cpu, const struct lost_event *e, bool named);
/* Schema culprit/1: one row each. */
void logs_write_culprits(struct profile_logs *l, int cpu, const struct lost_event *e);
/* Schema utilisation/1. */
void logs_write_bin(struct profile_logs *l, int cpu, int64_t start_ns, int64_t bin_ns, int64_t lost_ns, int64_t tick_ns);
/* What was written is in the files: killed is usable. One that cannot be written is closed and its error kept. */
void logs_flush(struct profile_logs *l);
/* What could not be written and was not asked for yet: -errno with its path in *failed; 0: no more. */
int logs_next_failure(struct profile_logs *l, const char **failed);
/* Closes all that are open. 0, or the first -errno, which logs_failed tells. */
int logs_close(struct profile_logs *l);

#endif
