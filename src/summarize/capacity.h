/* SPDX-License-Identifier: GPL-3.0-or-later */
/* capacity - a run of the capacity experiment: RUN/cells/SYSTEM-NNN/REPEAT/{cell.json,samples.tsv,machine.tsv} to tables.
 *
 *	summary.tsv	(capacity/1) a row for each system and number of users that was measured: what the user in front had, all users together, how
 *			alike they fared, and how busy everything was
 *	points.tsv	(capacity-limit/1) a row for each system and criterion: the most users, over the repeats, what was at its limit with the first number
 *			for which it did not hold, and what the first third of the curve foretold (capacity_model.h)
 *	compare.tsv	(capacity-compare/1) for each criterion and repeat, what every rule of settings.limits looks at: at the last number of users for which the
 *			criterion held and at the first for which it did not
 *	slope.tsv	(capacity-slope/1) for each criterion, what a key needs of each resource by the first third, and the users with whom that is full
 *
 * A figure is the mean over the repeats that measured that number of users; intervals are Student's t over them (BCa bootstrap from ten on), none from
 * one. Fairness: the largest p95 of a user over the median of all users', and Jain's index (Jain, Chiu & Hawe 1984) of their mean latencies, which is 1
 * where all are alike and 1/n where one has all of it. */
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
	CAPACITY_OWN, CAPACITY_MAJOR, CAPACITY_DROPS,					/* percent of the CPUs; faults and dropped packets a second */
	CAPACITY_CLIENT_WAITING, CAPACITY_STALL,					/* viewers that wait for a CPU, on average; ms a second that some process waits for memory */
	CAPACITY_MORE, CAPACITY_WAIT,							/* ms that a key takes longer than with one user; that it waits for a CPU */
	CAPACITY_WAIT_SHARE, CAPACITY_OVER_QUEUE,					/* percent of what it takes longer; times what a queue makes wait, where that is half of it */
	CAPACITY_VIEWERS_SHARE, CAPACITY_MEMORY_SHARE,					/* percent of what it takes longer */
	CAPACITY_FAULTS, CAPACITY_DROPPED,						/* for 100 keys */
	CAPACITY_FIGURES
};
extern const char *const capacity_names[CAPACITY_FIGURES];	/* of their columns */

/* One number of users in one repeat. NAN: not known. */
struct capacity_step {
	int64_t users, repeat;
	double of[CAPACITY_FIGURES];
	double *means, *p95s;	/* of each user; owned */
	size_t n;
};

struct capacity_limit {
	char criterion[32];
	char ended[400], resource[32];	/* why nobody could be added, and of what there was too little; "" */
	int64_t repeat;
	double users, beyond;		/* the most for which it held, the first for which it did not (NAN) */
	bool reached;			/* false: it held for all users that were tried */
};

struct capacity_system {
	char name[64], protocol[48], app[16];
	struct capacity_step *step;
	size_t steps;
	struct capacity_limit *limit;
	size_t limits;
	int64_t complete, failed, marked;
	double servers;			/* CPUs of the server */
};

/* When a resource counts as full: settings.limits (data/limits.tsv). */
struct capacity_rule {
	char name[32], unless[32], unit[32];	/* unless: another rule's name */
	int figure;				/* of enum capacity_figure, or CAPACITY_ALONE */
	double at_least;
};
#define CAPACITY_ALONE CAPACITY_FIGURES		/* percent of a criterion that one user alone takes */
#define CAPACITY_RULES_MAX 16

struct capacity_run {
	struct capacity_system *system;
	size_t systems;
	struct capacity_rule rule[CAPACITY_RULES_MAX];
	size_t rules;
	double rate, typing;			/* keys a second of the user in front, and of every other */
	int64_t repeats, seed, most;
};

double capacity_jain(const double *v, size_t n);		/* NAN for none */
double capacity_worst(double *v, size_t n);			/* the largest over the median; sorts */
/* What comes of a step's users, and of two of its figures together; the user in front has `rate` keys a second. Needs that step of the same repeat with one
 * user. */
void capacity_finish(const struct capacity_system *s, struct capacity_step *p, double rate);
const struct capacity_step *capacity_find(const struct capacity_system *s, double users, int64_t repeat);	/* NULL */

/* p95:TIMEms or apdex:SCORE. */
bool capacity_criterion(const char *text, bool *apdex, double *value);

/* capacity_rules.c: what a rule looks at for a limit at a number of users (NAN: not known), and whether that makes the resource full. */
double capacity_value(const struct capacity_system *s, const struct capacity_limit *l, const struct capacity_rule *r, double users);
bool capacity_full(const struct capacity_run *run, const struct capacity_system *s, const struct capacity_limit *l, const struct capacity_rule *r, double users);
/* What was full at the first number for which a criterion did not hold, over the repeats that reached it: "CPU", "CPU (2 of 3), run queue (1 of 3)": those that
 * were full most often first, of these the fullest. "" where none reached it. */
void capacity_words(const struct capacity_run *run, const struct capacity_system *s, const char *criterion, char *text, size_t size);

/* 0 or -errno with "FILE: what is wrong with it" in `why`. */
int capacity_summarize(const char *folder, struct inputs_counts *out, char *why, size_t size);

/* The four tables; 0 or -errno, *file: which one, *rows: of the first. (capacity_table.c, capacity_foretold.c) */
int capacity_tables(const char *folder, const struct capacity_run *run, const char **file, size_t *rows);

struct rows;
struct means;
/* Cells of points.tsv, from forecast on. */
void capacity_write_forecast(struct rows *t, const struct capacity_run *run, const struct capacity_system *s, const char *criterion, struct means *m);
int capacity_write_slopes(const char *folder, const struct capacity_run *run);
bool capacity_seen_before(const struct capacity_system *s, size_t limit);	/* an earlier limit has the same criterion */

#endif
