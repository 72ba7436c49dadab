/* SPDX-License-Identifier: GPL-3.0-or-later */
/* headcount - the most users for whom a criterion holds: what was measured with each number of users, in each repeat.
 *
 * A repeat has samples.tsv (each user at each number of users; user 1 is the one in front), machine.tsv (the machine at each
 * number) and in cell.json the limits that a search found. What the tables hold: headcount_extract.c. */
#ifndef THINPROBE_SUMMARIZE_HEADCOUNT_H
#define THINPROBE_SUMMARIZE_HEADCOUNT_H

#include "engine.h"

enum headcount_figure {
	HEADCOUNT_MEAN, HEADCOUNT_P50, HEADCOUNT_P95, HEADCOUNT_APDEX, HEADCOUNT_LATE,	/* of the user in front */
	HEADCOUNT_ALL_P95, HEADCOUNT_ALL_MEAN,		/* the largest p95 of any user, the mean of the users' means */
	HEADCOUNT_JAIN, HEADCOUNT_WORST,		/* fairness */
	HEADCOUNT_KEYS,					/* a second, of all users */
	HEADCOUNT_BUSY, HEADCOUNT_CLIENT, HEADCOUNT_FOREIGN, HEADCOUNT_WAITING,
	HEADCOUNT_AVAILABLE, HEADCOUNT_SWAP_IN, HEADCOUNT_LINK,
	HEADCOUNT_OWN, HEADCOUNT_MAJOR, HEADCOUNT_DROPS,
	HEADCOUNT_CLIENT_WAITING, HEADCOUNT_STALL,
	HEADCOUNT_MORE, HEADCOUNT_WAIT,			/* ms that a key takes longer than with one user; that it waits for a CPU */
	HEADCOUNT_WAIT_SHARE, HEADCOUNT_OVER_QUEUE,	/* percent of it; times what a queue makes wait, where that is half of it */
	HEADCOUNT_VIEWERS_SHARE, HEADCOUNT_MEMORY_SHARE,
	HEADCOUNT_FAULTS, HEADCOUNT_DROPPED,		/* per 100 keys */
	HEADCOUNT_FIGURES
};

/* One number of users in one repeat. NAN: not known. */
struct headcount_step {
	int64_t users, repeat;
	double of[HEADCOUNT_FIGURES];
	double sum, squares, *p95;	/* of the users' means; p95 of each (owned) */
	size_t n;
};

/* What a search found. Texts are those of cell.json. */
struct headcount_limit {
	const char *criterion, *ended, *resource;	/* why nobody could be added, and what there was too little of; "" */
	int64_t repeat;
	double users, beyond;		/* the most for which it held, the first for which it did not (NAN: it held for all) */
};

struct headcount_system {
	const struct cell *cell;
	int64_t repeat;			/* that is read */
	struct headcount_step *step;	/* ascending by users, then by repeat */
	size_t steps;
	struct headcount_limit *limit;	/* those of a criterion together, ascending by repeat */
	size_t limits;
	double servers;			/* CPUs of the server */
};

/* When a resource counts as full: settings.limits of run.json (data/limits.tsv). */
struct headcount_rule {
	const char *name, *unless, *unit;	/* unless: another rule's name */
	int figure;				/* of enum headcount_figure, or HEADCOUNT_ALONE */
	double at_least;
};
#define HEADCOUNT_ALONE HEADCOUNT_FIGURES	/* percent of a criterion that one user alone takes */
#define HEADCOUNT_RULES 16

struct headcount {
	struct headcount_rule rule[HEADCOUNT_RULES];
	size_t rules;
	double rate, typing;		/* keys a second of the user in front, and of each other */
	double *value;			/* room for one of each repeat */
};

void headcount_begin_row(struct table_out *out, const struct cell *c);	/* the first columns of a row */
bool headcount_criterion(const char *text, bool *apdex, double *value);		/* "p95:100ms", "apdex:0.85" */

/* Of n limits of one criterion: columns forecast... of a row of points; the rows of slope (headcount_write_forecast.c). */
typedef void headcount_write(const struct headcount_system *s, const struct headcount_limit *l, size_t n, struct table_out *out);
headcount_write headcount_write_forecast, headcount_write_slopes;

#endif
