/* SPDX-License-Identifier: GPL-3.0-or-later */
/* busy - busy intervals: times in which, by the kernel's records, the idle loop of a CPU did not run, each divided into slices by
 * culprit. A bounded queue that drops the oldest; and the split of a gap of the loop over these intervals. */
#pragma once

#include "culprit.h"

/* The time of one culprit in one busy interval. */
struct busy_slice {
	enum culprit_kind kind;
	int id;	  /* task: thread id in the initial pid namespace; interrupt or softirq: its number */
	int here; /* thread id of a task in our pid namespace; 0: not known */
	char name[24];
	int64_t ns, start_ns, end_ns;
	bool resumed; /* the task was preempted before, and goes on with the same burst of work (struct culprit_share) */
	bool wants;   /* the task was still runnable when it last left the CPU */
};

/* Capacity: more than the trace's ring can hold between two drains, since a busy interval has at least two records. */
#define BUSY_INTERVALS 8192
#define BUSY_SLICES 16384
struct busy_interval {
	int64_t start_ns, end_ns;
	size_t first, n; /* first slice and number of slices, in the queue's ring of slices */
	/* The switch that began (ended) the interval has no record: the task just before (after) it is unknown. */
	bool begin_unrecorded, end_unrecorded;
};

struct busy_queue {
	size_t first, n;      /* oldest interval and number of intervals */
	size_t slices;	      /* slices used so far, including dropped ones */
	bool open;	      /* the newest interval has not ended */
	int64_t forgotten_ns; /* end of the newest interval that was dropped for lack of room */
	struct busy_interval interval[BUSY_INTERVALS];
	struct busy_slice slice[BUSY_SLICES];
};

struct busy_slice *busy_slice_at(struct busy_queue *q, const struct busy_interval *s, size_t i);
/* The interval that has not ended; NULL: none. */
struct busy_interval *busy_open_interval(struct busy_queue *q);
void busy_begin_interval(struct busy_queue *q, int64_t start_ns);
void busy_end_interval(struct busy_queue *q, int64_t end_ns);
/* Removes the open interval: it was not one. */
void busy_cancel_interval(struct busy_queue *q);
/* Drops the intervals that ended by `until_ns`. */
void busy_drop_intervals(struct busy_queue *q, int64_t until_ns);
/* The slice of this culprit in the open interval. A new slice starts at start_ns with an empty name. If there are too many, the
 * slice with the least time is merged into one named "others" of its kind. */
struct busy_slice *busy_ensure_slice(struct busy_queue *q, enum culprit_kind kind, int id, int64_t start_ns);

/* As attribution_split_gap(). An interval that extends beyond both ends of the gap by more than skew_ns is ignored:
 * the loop ran there. */
size_t busy_split_gap(struct busy_queue *q, int64_t start_ns, int64_t end_ns, int64_t skew_ns, struct culprit_share *out,
		      size_t max);

/* Cuts the shares of a gap, largest first, down to [from, to) within the gap. A share keeps the portion of its time that its span
 * (first to last moment) has there. Unrecorded time has no known position, so all shares are then scaled to sum to to - from
 * exactly. Returns the number of shares left (at least 1 if n > 0). */
size_t shares_clip(struct culprit_share *share, size_t n, int64_t from, int64_t to);
