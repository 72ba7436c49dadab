/* capacity - a run of the capacity experiment: RUN/cells/SYSTEM-NNN/REPEAT/{cell.json,samples.tsv,machine.tsv} to tables.
 *
 *	summary.tsv	(capacity/1) a row for each system and number of users that was measured: what the user in front had, all users together, how
 *			alike they fared, and how busy everything was
 *	points.tsv	(capacity-limit/1) a row for each system and criterion: the most users, over the repeats, what was at its limit with one more step
 *			of users, and what the model foretold from the first third of the curve
 *
 * A figure is the mean over the repeats that measured that number of users; intervals are Student's t over them (BCa bootstrap from ten on), none from
 * one. Fairness is of the users' mean latencies: the largest over the median, and Jain's index (Jain, Chiu & Hawe 1984), which is 1 where all are alike and
 * 1/n where one has all of it. */
#ifndef THINPROBE_SUMMARIZE_CAPACITY_H
#define THINPROBE_SUMMARIZE_CAPACITY_H

#include "inputs.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum capacity_figure {
	CAPACITY_MEAN, CAPACITY_P50, CAPACITY_P95, CAPACITY_APDEX, CAPACITY_LATE,	/* the user in front: ms; 0 to 1; percent */
	CAPACITY_ALL_P95, CAPACITY_ALL_MEAN,						/* the largest p95 of any user, the mean of the users' means */
	CAPACITY_JAIN, CAPACITY_WORST,							/* fairness */
	CAPACITY_KEYS,									/* a second, of all users */
	CAPACITY_BUSY, CAPACITY_CLIENT, CAPACITY_FOREIGN, CAPACITY_WAITING,		/* percent of the CPUs; processes that wait for one, on average */
	CAPACITY_AVAILABLE, CAPACITY_SWAP_IN, CAPACITY_LINK,				/* bytes, bytes a second, percent of its rate */
	CAPACITY_FIGURES
};

/* One number of users in one repeat. NAN: not known. */
struct capacity_step {
	int64_t users, repeat;
	double of[CAPACITY_FIGURES];
	double *means;	/* of each user; owned */
	size_t n;
};

struct capacity_limit {
	char criterion[32], limit[32];	/* limit: what was full beyond; "" */
	int64_t repeat;
	double users, forecast;		/* NAN: no forecast */
	bool reached;			/* false: it held for all users that were tried */
};

struct capacity_system {
	char name[64], protocol[48], app[16];
	struct capacity_step *step;
	size_t steps;
	struct capacity_limit *limit;
	size_t limits;
	int64_t complete, failed, marked;
};

struct capacity_run {
	struct capacity_system *system;
	size_t systems;
	int64_t repeats, seed, most;
};

double capacity_jain(const double *v, size_t n);		/* NAN for none */
double capacity_worst(double *v, size_t n);			/* the largest over the median; sorts */

/* 0 or -errno with "FILE: what is wrong with it" in `why`. */
int capacity_summarize(const char *folder, struct inputs_counts *out, char *why, size_t size);

/* The two tables; 0 or -errno, *file: which one, *rows: of the first. */
int capacity_tables(const char *folder, const struct capacity_run *run, const char **file, size_t *rows);

#endif
