/* SPDX-License-Identifier: GPL-3.0-or-later */
/* stretch - times in which a CPU's idle loop did not run, each with its pieces by culprit. A bounded queue, oldest out. */
#ifndef THINPROBE_STRETCH_H
#define THINPROBE_STRETCH_H

#include "who.h"

/* What one culprit had of one stretch. */
struct piece {
	enum who_kind kind;
	int id;			/* a task's thread id in the initial pid namespace; an interrupt's or softirq's number */
	int here;		/* a task's thread id in ours, 0: not known */
	char name[24];
	int64_t ns, start_ns, end_ns;
	bool resumed, wants;	/* as in struct who_share */
};

/* More than a trace's ring can hold between two drains: a stretch has two records at least. */
#define STRETCHES 8192
#define PIECES 16384
struct stretch {
	int64_t start_ns, end_ns;
	size_t first, n;	/* pieces, in the queue's ring */
	bool came_unseen, went_unseen;	/* a switch before, after it has no record: nobody knows who ran there */
};

struct stretch_queue {
	size_t first, n;	/* of stretch[] */
	size_t pieces;		/* given out so far */
	bool open;		/* the last one still grows */
	int64_t forgotten_ns;	/* end of the latest that had to go for room */
	struct stretch stretch[STRETCHES];
	struct piece piece[PIECES];
};

/* i from the oldest, below q->n. */
struct stretch *stretch_get(struct stretch_queue *q, size_t i);
struct piece *stretch_piece(struct stretch_queue *q, const struct stretch *s, size_t i);
/* The open one, or NULL. */
struct stretch *stretch_last(struct stretch_queue *q);
struct stretch *stretch_open(struct stretch_queue *q, int64_t start_ns);
void stretch_close(struct stretch_queue *q, int64_t end_ns);
/* The open stretch never was. */
void stretch_undo(struct stretch_queue *q);
/* Forgets those that ended by then. */
void stretch_drop(struct stretch_queue *q, int64_t until_ns);
/* This culprit's piece of the open stretch, made at start_ns where there is none: its name is empty then. Where there are
 * too many, the one with the least time goes to one named "others" of its kind. */
struct piece *stretch_find(struct stretch_queue *q, enum who_kind kind, int id, int64_t start_ns);

#endif
