/* SPDX-License-Identifier: GPL-3.0-or-later */
/* headcount - the largest number of users for whom a criterion holds: what was measured in each repeat with each number of users.
 *
 * Files of a repeat: samples.tsv (each user at each number of users; user 1 is the measured user at the screen), machine.tsv (the
 * machine at each number of users); cell.json has the limits that a search found. Tables: headcount_extract.c. */
#pragma once

#include "engine.h"

enum headcount_figure {
	HEADCOUNT_MEAN,
	HEADCOUNT_P50,
	HEADCOUNT_P95,
	HEADCOUNT_APDEX,
	HEADCOUNT_LATE, /* of user 1, the measured user */
	HEADCOUNT_ALL_P95,
	HEADCOUNT_ALL_MEAN, /* largest p95 of any user; mean over all users */
	HEADCOUNT_JAIN,
	HEADCOUNT_WORST,      /* fairness: Jain's index; largest p95 over median p95 of the users */
	HEADCOUNT_MEDIAN_P95, /* median p95 of the users */
	HEADCOUNT_KEYS,	      /* keys per second of all users */
	HEADCOUNT_BUSY,
	HEADCOUNT_CLIENT,
	HEADCOUNT_FOREIGN,
	HEADCOUNT_WAITING,
	HEADCOUNT_AVAILABLE,
	HEADCOUNT_SWAP_IN,
	HEADCOUNT_LINK,
	HEADCOUNT_OWN,
	HEADCOUNT_MAJOR,
	HEADCOUNT_DROPS,
	HEADCOUNT_CLIENT_WAITING,
	HEADCOUNT_STALL,
	HEADCOUNT_MORE,
	HEADCOUNT_WAIT, /* ms by which a key takes longer than with one user; ms that a key waits for a CPU */
	/* HEADCOUNT_WAIT in percent of HEADCOUNT_MORE; HEADCOUNT_WAIT over the wait in a queue with random arrivals, if that percentage is
	 * at least 50 */
	HEADCOUNT_WAIT_SHARE,
	HEADCOUNT_OVER_QUEUE,
	HEADCOUNT_VIEWERS_SHARE,
	HEADCOUNT_MEMORY_SHARE,
	HEADCOUNT_FAULTS,
	HEADCOUNT_DROPPED, /* major page faults and dropped packets per 100 keys */
	HEADCOUNT_FIGURES
};

/* What was measured with one number of users in one repeat. NAN: not known. */
struct headcount_step {
	int64_t users, repeat;
	double of[HEADCOUNT_FIGURES];
	double sum, squares, *p95; /* sum, squares: of the users' mean latencies; p95: of each user (owned) */
	size_t n;
	bool partial; /* the latency of a user whose keys were due is not known */
};

/* A limit that a search found. Texts are those of cell.json. */
struct headcount_limit {
	/* ended: why no user could be added; resource: what there was too little of; "" for neither */
	const char *criterion, *ended, *resource;
	int64_t repeat;
	/* largest number of users for which the criterion held; smallest for which it did not (NAN: it always held) */
	double users, beyond;
	double users_all; /* largest measured number up to `users` with which each user met it; NAN: not known */
	bool untold;	  /* a range at `beyond`, whose early end would have met the criterion, counted against it */
};

struct headcount_cell {
	const struct experiment_cell *cell;
	int64_t repeat;		     /* number of the repeat that is being read */
	struct headcount_step *step; /* ascending by users, then by repeat */
	size_t steps;
	struct headcount_limit *limit; /* grouped by criterion, ascending by repeat */
	size_t limits;
	double servers; /* number of CPUs of the server */
};

/* A rule that says when a resource counts as full: an element of settings.limits in run.json (data/limits.tsv). */
struct headcount_rule {
	const char *name, *unless, *unit; /* unless: name of a rule that, if fulfilled, overrules this one */
	int figure;			  /* enum headcount_figure, or HEADCOUNT_ALONE */
	double at_least;
};
#define HEADCOUNT_ALONE HEADCOUNT_FIGURES /* rule on what one user alone takes of a criterion's limit, in percent */
#define HEADCOUNT_RULES 16

struct headcount_run {
	struct headcount_rule rule[HEADCOUNT_RULES];
	size_t rules;
	double rate, typing; /* keys per second of user 1, and of each other user */
	double *value;	     /* scratch array with room for one number of each repeat */
};

/* reads "p95:100ms" or "apdex:0.85"; false: neither */
bool headcount_parse_criterion(const char *text, bool *apdex, double *value);

/* Predictions from the first third of the curves of n limits of one criterion (headcount_forecast.c). */
struct user_forecast {
	struct figure users;
	const char *of, *why; /* of: the resource at its limit; why: reason why there is no forecast */
	double most;	      /* largest number of users in the first third */
};
struct user_forecast headcount_forecast_users(const struct headcount_run *h, const struct headcount_cell *s,
					      const struct headcount_limit *l, size_t n);

/* What a key takes of a resource, and the number of users that fill it. */
struct resource_slope {
	const char *name;
	size_t points;
	double none; /* what is taken without a key */
	struct figure slope, users;
};
#define HEADCOUNT_RESOURCES 4
/* Returns how many slopes are known. */
size_t headcount_fit_slopes(const struct headcount_run *h, const struct headcount_cell *s, const struct headcount_limit *l,
			    size_t n, struct resource_slope out[static HEADCOUNT_RESOURCES]);
