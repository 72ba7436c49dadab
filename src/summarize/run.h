/* SPDX-License-Identifier: GPL-3.0-or-later */
/* run - reads a run folder: run.json and cells/APP-LOAD/REPEAT/[stall/|wire/]{cell,keyrepeat,prototap}.json, samples.tsv, and where
 * they are there, wire.tsv and echo.tsv. */
#ifndef THINPROBE_SUMMARIZE_RUN_H
#define THINPROBE_SUMMARIZE_RUN_H

#include "estimates.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum series { SERIES_LATENCY, SERIES_STALL, SERIES_WIRE, SERIES };	/* the last: blocks, as the wire alone tells of them */
enum competitor { COMPETITOR_SESSION, COMPETITOR_APP, COMPETITOR_SINKS, COMPETITORS };

/* All repeats of one application beside one number of sinks. Numbers that no file gave are NAN. */
struct cell {
	char *protocol, *app;		/* owned */
	char *setting, *part;		/* owned; of an experiment that compares settings, else empty */
	double asked_cost_ms;		/* parameter of such a cell; NAN: it has none */
	int64_t sinks;
	struct train *train[SERIES];	/* owned; complete repeats only */
	size_t n[SERIES], room[SERIES];
	size_t failed;			/* repeats that failed or were interrupted, of any series */
	size_t marked;			/* complete trains with too much foreign and stolen CPU time together */
	size_t foreign_unknown;		/* complete trains of which that is not known */
	char *reason;			/* owned; of the last failure, or NULL */
	double foreign_max, steal_max, disturbed_max;	/* percent; the last: of their sum in one train */
	double busy_mean, probe_max, capture_max, capture_dropped;	/* percent; packets */
	size_t busy_n;
	double cost_ms, period_ms;
	double schedule_jitter_ms[SERIES];	/* standard deviation of inter-arrival times that the schedule itself has */
	int same_group;			/* do the application and the sinks compete in one scheduling group? -1: not known */
	char *competes[COMPETITORS];	/* owned; "autogroup=... nice=... policy=... cpus=... cgroup=...", or NULL; what was not
					 * the same in all trains "varies" */
};

struct idle {
	char *app;			/* owned */
	double updates, seconds;
};

struct run {
	int64_t repeats, threshold_ns, seed;
	char *protocol;			/* owned */
	struct cell *cell;		/* owned; sorted by protocol, application, sinks */
	size_t n, room;
	struct idle *idle;		/* owned */
	size_t n_idle;
	size_t complete, failed, marked;	/* trains */
};

/* 0, or -errno with "FILE: what is wrong with it" in `why`. A repeat without cell.json was interrupted: counted as
 * failed. A file of a complete repeat that is missing or broken is an error, except prototap.json (no capture). */
int run_read(const char *folder, struct run *out, char *why, size_t size);
void run_free(struct run *r);

/* The trains that latency and stall figures come from: their own series, or the only one there is. */
enum series run_series(const struct cell *c, enum series wanted);

#endif
