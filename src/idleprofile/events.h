/* SPDX-License-Identifier: GPL-3.0-or-later */
/* events - lost parts of one CPU joined to events. Pure: times come in as numbers, nothing is allocated.
 *
 * Parts less than `join_ns` apart (from the end of one to the start of the next) are one event; its length is the sum of
 * its parts, not the time from its start to its end. Ticks are events of their own class: they neither join nor part what
 * lies around them. With culprits, a part that continues a task which the loop only interrupted joins that task's
 * event, however far apart; small events that came in between stay events of their own.
 * Method: Endo et al. 1996 (lost time of an idle loop). */
#ifndef THINPROBE_EVENTS_H
#define THINPROBE_EVENTS_H

#include "attribution.h"

#define LENGTH_BINS 82		/* 1 us * 10^(i/10) for i = 0..80, and what is longer */
#define WAIT_BOUNDS 17

struct length_histogram {
	int64_t bin_ns[LENGTH_BINS];	/* time lost in events of that bin */
	int64_t bin_events[LENGTH_BINS];
	int64_t beyond_ns[WAIT_BOUNDS];
};

extern const int64_t wait_bounds_ns[WAIT_BOUNDS];	/* ns, ascending */

/* Upper edge of a bin in ns; INT64_MAX for the last. */
int64_t length_histogram_edge(int bin);
/* The bin of an event so long. */
int length_histogram_bin(int64_t length_ns);
void length_histogram_add(struct length_histogram *l, int64_t length_ns);
/* P(wait > wait_bounds_ns[i]) over `total_ns` of wall-clock time (of all CPUs together). */
double lengths_wait_bound(const struct length_histogram *l, int i, int64_t total_ns);

/* One culprit of one event: a row of the culprit log. */
struct culprit {
	enum culprit_kind kind;
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
void culprit_event_add_shares(struct culprit_event *e, const struct culprit_share *share, size_t n);
/* The one with the most time; NULL of an empty event. */
const struct culprit *culprit_event_largest(const struct culprit_event *e);

/* Over the run, by kind and name (twenty xterms are one line). */
struct culprit_total {
	enum culprit_kind kind;
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

#define EVENTS_JOIN_NS 100000

struct gap {
	int64_t start_ns, end_ns;
	int64_t lost_ns;		/* end - start less the loop's own step and what this program itself took */
	bool tick;
	const struct culprit_share *share;	/* array of `shares` culprits that took lost_ns; NULL, 0: unknown */
	size_t shares;
};

struct lost_event {
	int64_t start_ns, end_ns;	/* first and last moment; the span */
	int64_t lost_ns;		/* the length: the sum of its parts */
	int64_t parts;			/* 0: no event */
	bool tick;
	bool wants;			/* its last part ended while its task still wanted the CPU */
	struct culprit_event who;
};

struct events {
	int64_t join_ns;
	int64_t hold_ns;		/* how long an event whose task still wants the CPU stays open */
	void (*each)(void *arg, const struct lost_event *e);	/* called for every event when it is over */
	void *arg;
	struct lost_event held, open;
};

/* join_ns: EVENTS_JOIN_NS, and less than half a tick. `tick_ns` 0: not known. */
void events_init(struct events *e, int64_t tick_ns, void (*each)(void *, const struct lost_event *), void *arg);
/* Parts in ascending order, not overlapping. */
void events_add_gap(struct events *e, const struct gap *p);
/* The loop has run until `now_ns` and no part before it is missing: what is over is handed out. */
void events_advance(struct events *e, int64_t now_ns);
/* No more parts will come. */
void events_end(struct events *e);

#endif
