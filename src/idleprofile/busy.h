/* SPDX-License-Identifier: GPL-3.0-or-later */
/* busy - times in which a CPU's idle loop did not run, each with its pieces by culprit. A bounded queue, oldest out. */
#ifndef THINPROBE_BUSY_H
#define THINPROBE_BUSY_H

#include "attribution.h"

/* What one culprit had of one stretch. */
struct busy_slice {
	enum culprit_kind kind;
	int id;			/* a task's thread id in the initial pid namespace; an interrupt's or softirq's number */
	int here;		/* a task's thread id in ours, 0: not known */
	char name[24];
	int64_t ns, start_ns, end_ns;
	bool resumed, wants;	/* as in struct culprit_share */
};

/* More than a trace's ring can hold between two drains: a stretch has two records at least. */
#define BUSY_INTERVALS 8192
#define BUSY_SLICES 16384
struct busy_interval {
	int64_t start_ns, end_ns;
	size_t first, n;	/* pieces, in the queue's ring */
	bool begin_unrecorded, end_unrecorded;	/* a switch before, after it has no record: nobody knows who ran there */
};

struct busy_queue {
	size_t first, n;	/* of stretch[] */
	size_t pieces;		/* given out so far */
	bool open;		/* the last one still grows */
	int64_t forgotten_ns;	/* end of the latest that had to go for room */
	struct busy_interval stretch[BUSY_INTERVALS];
	struct busy_slice piece[BUSY_SLICES];
};

struct busy_slice *busy_get_slice(struct busy_queue *q, const struct busy_interval *s, size_t i);
/* The open one, or NULL. */
struct busy_interval *busy_open_interval(struct busy_queue *q);
struct busy_interval *busy_open(struct busy_queue *q, int64_t start_ns);
void busy_close(struct busy_queue *q, int64_t end_ns);
/* The open stretch never was. */
void busy_cancel_open(struct busy_queue *q);
/* Forgets those that ended by then. */
void busy_drop_until(struct busy_queue *q, int64_t until_ns);
/* This culprit's piece of the open stretch, made at start_ns where there is none: its name is empty then. Where there are
 * too many, the one with the least time goes to one named "others" of its kind. */
struct busy_slice *busy_find_slice(struct busy_queue *q, enum culprit_kind kind, int id, int64_t start_ns);

/* As who_part. A stretch that sticks out by more than skew_ns at both ends cannot be true: the loop ran there. */
size_t shares_of_gap(struct busy_queue *q, int64_t start_ns, int64_t end_ns, int64_t skew_ns, struct culprit_share *out,
		   size_t max);

/* Shares of a part, largest first, cut down to [from, to) within it. Each has the portion of its
 * time that its own span, from its first to its last moment, has there; residues have no known
 * place, so all are made to fit: they sum to to - from exactly. Returns how many are left (at least
 * 1 of n > 0). */
size_t shares_clip(struct culprit_share *share, size_t n, int64_t from, int64_t to);

#endif
