/* SPDX-License-Identifier: GPL-3.0-or-later */
/* culprit - shares added up: over the parts of one event, and over the run. Pure, bounded memory. */
#ifndef THINPROBE_CULPRIT_H
#define THINPROBE_CULPRIT_H

#include "who.h"

/* One culprit of one event: a row of the culprit log. */
struct culprit {
	enum who_kind kind;
	int pid;
	char name[24];
	int64_t start_ns, end_ns;	/* its first and last moment in the event */
	int64_t ns;			/* its time, without what ran in between */
};

/* The culprits of the event at hand; zeroed = empty. */
#define CULPRITS 256
struct culprit_event {
	size_t n;
	struct culprit at[CULPRITS];
};

/* Adds a part's shares; tasks join by thread, all else by kind and name. Where there are too many, those with the
 * least time become "others". */
void culprit_add(struct culprit_event *e, const struct who_share *share, size_t n);
/* The one with the most time; NULL of an empty event. */
const struct culprit *culprit_main(const struct culprit_event *e);

/* Over the run, by kind and name (twenty xterms are one line). */
struct culprit_total {
	enum who_kind kind;
	char name[24];
	int64_t ns, longest_ns;		/* longest: its most time in one event */
	int64_t events;
};

struct culprit_table;
struct culprit_table *culprit_table_new(size_t max);	/* NULL: no memory; more than max names: "others" */
void culprit_table_add(struct culprit_table *t, const struct culprit_event *e);
/* All lines, most time first; valid until the next add. */
const struct culprit_total *culprit_table_lines(struct culprit_table *t, size_t *n);
void culprit_table_free(struct culprit_table *t);

#endif
