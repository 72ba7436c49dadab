/* SPDX-License-Identifier: GPL-3.0-or-later */
/* events - joins the gaps of one CPU (times in which the idle loop did not get it) to events, sums their culprits, and counts the
 * lengths of events. Pure: times come in as numbers; only the table of culprits allocates.
 *
 * Gaps less than `join_ns` apart (end of one to start of the next) are one event. The length of an event is the sum of its gaps,
 * not the time from its start to its end. A tick is an event of its own class: it neither joins nor separates the gaps around it.
 * With culprits, a gap that continues a preempted task joins that task's event, however far apart; small events in between stay
 * separate. Method: Endo et al. 1996 (lost time of an idle loop).
 *
 * Histogram of lengths: ten bins a decade from 1 us to 100 s. An event is in the first bin whose upper edge is not below its
 * length.
 * Run-to-completion bound: if a task became ready at a random time and had to wait until the event at hand ended, it would wait
 * longer than x with probability sum(max(0, length - x)) / T. The sum is exact, event by event, for a fixed list of x. */
#pragma once

#include "culprit.h"

#define LENGTH_BINS 82 /* upper edges 1 us * 10^(i/10) for i = 0..80, and one bin for longer events */
#define WAIT_BOUNDS 17

struct event_lengths {
	int64_t bin_ns[LENGTH_BINS]; /* time lost in the events of each bin */
	int64_t bin_events[LENGTH_BINS];
	int64_t beyond_ns[WAIT_BOUNDS];
};

extern const int64_t wait_bounds_ns[WAIT_BOUNDS]; /* the values of x in the run-to-completion bound, in ns, ascending */

/* Upper edge of a bin in ns; INT64_MAX for the last bin. */
int64_t lengths_edge_ns(int bin);
/* The bin for an event of this length. */
int lengths_find_bin(int64_t length_ns);
void lengths_add(struct event_lengths *l, int64_t length_ns);
/* The run-to-completion bound P(wait > wait_bounds_ns[i]), over `total_ns` of wall-clock time (summed over all CPUs). */
double lengths_wait_bound(const struct event_lengths *l, int i, int64_t total_ns);

/* One culprit of one event: a row of the culprit log. */
struct event_culprit {
	enum culprit_kind kind;
	int pid;
	char name[24];
	int64_t start_ns, end_ns; /* when the culprit first and last ran in the event */
	int64_t ns;		  /* CPU time of the culprit, without other tasks that ran in between */
};

#define CULPRITS 256
/* All culprits of one event. All zero: empty. */
struct event_culprits {
	size_t n;
	struct event_culprit at[CULPRITS];
};

/* Adds the shares of a gap. Tasks are joined by thread id, other culprits by kind and name. If there are too many, those with the
 * least time become "others". */
void event_culprits_add(struct event_culprits *e, const struct culprit_share *share, size_t n);
/* The culprit with the most time; NULL: the event has none. */
const struct event_culprit *event_culprits_largest(const struct event_culprits *e);

/* A culprit summed over the run, by kind and name (twenty xterms are one line). */
struct culprit_total {
	enum culprit_kind kind;
	char name[24];
	int64_t ns, longest_ns; /* longest_ns: the most time it had in one event */
	int64_t events;
};

struct culprit_table;
struct culprit_table *culprit_table_new(size_t max); /* beyond `max` names: "others" */
void culprit_table_add(struct culprit_table *t, const struct event_culprits *e);
/* All lines, most time first; valid until the next culprit_table_add(). */
const struct culprit_total *culprit_table_sort(struct culprit_table *t, size_t *n);
void culprit_table_free(struct culprit_table *t);

#define EVENTS_JOIN_NS 100000

struct lost_time_gap {
	int64_t start_ns, end_ns;
	int64_t lost_ns; /* end - start, less the loop's own turn and this program's own work */
	bool tick;
	const struct culprit_share *share; /* the culprits (`shares` of them) that took lost_ns; NULL: not known */
	size_t shares;
};

struct lost_time_event {
	int64_t start_ns, end_ns; /* begin of the first gap and end of the last gap */
	int64_t lost_ns;	  /* length of the event: the sum of its gaps */
	int64_t parts;		  /* number of gaps; 0: no event */
	bool tick;
	bool wants; /* the last gap ended while the task in it was still runnable */
	struct event_culprits who;
};

struct event_collector {
	int64_t join_ns;
	int64_t hold_ns;					  /* how long an event whose task is still runnable stays open */
	void (*each)(void *arg, const struct lost_time_event *e); /* called for every event when it has ended */
	void *arg;
	struct lost_time_event held, open;
};

/* `tick_ns`: the tick's period; 0: not known. Gaps are joined up to EVENTS_JOIN_NS, or half a tick if that is less. */
void events_init(struct event_collector *e, int64_t tick_ns, void (*each)(void *, const struct lost_time_event *), void *arg);
/* Gaps must come in ascending order and not overlap. */
void events_add_gap(struct event_collector *e, const struct lost_time_gap *p);
/* Says that no gap before `now_ns` is missing: events that have ended by then are handed to `each`. */
void events_flush(struct event_collector *e, int64_t now_ns);
/* Ends all events: no more gaps will come. */
void events_finish(struct event_collector *e);
