/* SPDX-License-Identifier: GPL-3.0-or-later */
/* search - how many users fit: which number of users is measured next, and what is known in the end. Pure.
 *
 * A criterion holds with a number of users by most of its measurements; two of at most three that agree are enough. First larger
 * numbers are measured, until the criterion is broken; then the middle of the gap; then both sides of it, until they are sure.
 * A side that turns out otherwise moves the gap, or opens it to more users again. At last the same for the slowest user, where
 * only the upper side must be sure. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define SEARCH_CRITERIA 16

enum { SEARCH_LATE, SEARCH_EARLY, SEARCH_SLOWEST, SEARCH_ENDS };

/* One measurement. Of the user in front both ends of a range: the one against the criterion, and the other; and the worst user. */
struct search_try {
	int64_t users;
	/* p95: INFINITY, of the slowest apdex: 0 if not known; SEARCH_LATE NAN: it was not measured, and does not count */
	double p95_ms[SEARCH_ENDS], apdex[SEARCH_ENDS];
	double own_percent;	/* of the server's CPUs that the sessions took; NAN: not known */
	char *ended, *resource; /* not "": why no session could be added, so that nothing was measured; owned */
};

struct search_criterion {
	char name[32]; /* such as p95:100ms, apdex:0.85 */
	bool apdex;    /* at least `limit`; otherwise a p95 of at most `limit` ms */
	double limit;
};

struct search {
	struct search_try *try; /* in the order of measurement */
	size_t tries;
	struct search_criterion criterion[SEARCH_CRITERIA];
	size_t criteria;
	int64_t most; /* users */
};

struct search_bounds {
	int64_t good, bad; /* smallest number with which the criterion does not hold, and the next smaller measured one; 0: none */
	bool untold;	   /* at `bad` the other end of a range would have held */
};

/* slowest: of the worst user, in place of the user in front */
struct search_bounds search_find_bounds(const struct search *s, const struct search_criterion *c, bool slowest);
/* Measurements, of so many users (0: all), that give no figure of a criterion and no reason. */
size_t search_count_unmeasured(const struct search *s, int64_t users);
/* 0: all is known that can be measured */
int64_t search_choose_next(const struct search *s);
/* The first measurement with so many users that ended without figures; NULL. */
const struct search_try *search_find_end(const struct search *s, int64_t users);

/* Of a list with commas; -EINVAL. */
int search_parse_criteria(struct search *s, const char *list);
/* Reads a table of capacity-try/1. 0, -EPROTO with *line, -EIO. */
int search_read(FILE *in, struct search *s, unsigned long *line);
void search_free(struct search *s);
