/* SPDX-License-Identifier: GPL-3.0-or-later */
/* starts - a run of the startup experiment: RUN/cells/CELL/REPEAT/{cell.json,startup.json} to tables.
 *
 *	summary.tsv	(startup/1) a row for each cell of run.json's settings.cells, in that order: start-up time, what of it paging adds, and
 *			what of that is input and output
 *	events.tsv	(startup-events/1) a row for each cell and event of the application after its start, under the same pressure
 *	runs.tsv	(startup-run/1) every start
 *
 * A figure is the median over the starts of all complete repeats. Its interval: medians.h. A start that had not come
 * to rest at the ceiling is "later than" it: it stays in, and a median that it reaches is a lower bound (NAME_above = 1).
 *
 * T0 is the median start-up time of the same application, started alike, without pressure (axis "none"); its spread the standard deviation of
 * these starts. e = (T_startup - T0 - T_IO) / (T_startup - T0) from the medians, where T_startup - T0 exceeds three times the spread of T0,
 * else e is not given: it would be a quotient of noise; nor beside a hog that goes on (axis "left"), whose own traffic is in T_IO. The interval of e is Student's t over the starts, each with its own T_IO. */
#ifndef THINPROBE_SUMMARIZE_STARTS_H
#define THINPROBE_SUMMARIZE_STARTS_H

#include "inputs.h"
#include "rec.h"
#include "sample.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define STARTS_SPREADS 3
#define STARTS_EVENTS 16	/* names in one cell */

enum starts_figure {
	STARTS_MAPPED, STARTS_PAINT, STARTS_IO,						/* ms */
	STARTS_BLKIO, STARTS_SWAPIN, STARTS_THRASHING, STARTS_FREEPAGES,		/* ms, the kernel's delay accounting */
	STARTS_IN, STARTS_OUT, STARTS_MAJOR, STARTS_MINOR, STARTS_READS, STARTS_DISCARDED,	/* bytes, counts */
	STARTS_FIGURES
};

/* One start. NAN: not known. */
struct starts_run {
	double stable_ms;		/* where `above`: the ceiling */
	bool above;
	double of[STARTS_FIGURES];
};

struct starts_event {
	char name[64];
	struct sample stable, first;	/* ns */
	size_t unchanged;		/* nothing was seen to change */
};

/* One cell: all its starts. Zeroed is empty. */
struct starts_pool {
	struct sample stable;			/* ns */
	struct sample of[STARTS_FIGURES];	/* ms: ns; bytes and counts: thousandths */
	double *startup_ms, *io_ms;		/* of the starts that came to rest and have both; owned */
	size_t both, room;
	struct starts_event event[STARTS_EVENTS];
	size_t events, repeats, failed, marked, broken;	/* broken: starts without a window, or that ended */
	double swap_sum, left_sum;		/* over the repeats that know them */
	size_t swap_known, left_known;
	double foreign_max;			/* NAN: not known */
};

struct starts_cell {
	char cell[128], app[64], start[16], axis[16], swap[32];
	int64_t step;		/* axis used: MB in swap; left: percent of the application's memory at rest */
};

/* False: no memory. */
bool starts_pool_add(struct starts_pool *p, const struct starts_run *run);
struct starts_event *starts_event_find(struct starts_pool *p, const char *name);	/* NULL: no room */
void starts_pool_free(struct starts_pool *p);

struct starts_base {
	double t0_ms, spread_ms;	/* NAN: not known */
};
struct starts_base starts_base_of(struct starts_pool *none);

/* e, and its interval (NAN: none, or no e). */
struct starts_share {
	double e, low, high;
};
struct starts_share starts_share_of(struct starts_pool *p, const struct starts_base *base);

extern const char *const starts_summary_columns[], *const starts_event_columns[], *const starts_run_columns[];
void starts_write_cell(struct rows *t, const struct starts_cell *c, struct starts_pool *p, const struct starts_base *base, uint64_t seed);
void starts_write_events(struct rows *t, const struct starts_cell *c, struct starts_pool *p, uint64_t seed);
void starts_write_run(struct rows *t, const struct starts_cell *c, int64_t repeat, int64_t number, const struct starts_run *run);

/* 0, or -errno with one line in `why`. */
int starts_summarize(const char *folder, struct inputs_counts *out, char *why, size_t size);

#endif
