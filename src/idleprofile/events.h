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

#include "culprit.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define EVENTS_JOIN_NS 100000

struct part {
	int64_t start_ns, end_ns;
	int64_t lost_ns;		/* end - start less the loop's own step and what this program itself took */
	bool tick;
	const struct who_share *share;	/* array of `shares` culprits that took lost_ns; NULL, 0: unknown */
	size_t shares;
};

struct event {
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
	void (*each)(void *arg, const struct event *e);	/* called for every event when it is over */
	void *arg;
	struct event held, open;
};

/* join_ns: EVENTS_JOIN_NS, and less than half a tick. `tick_ns` 0: not known. */
void events_init(struct events *e, int64_t tick_ns, void (*each)(void *, const struct event *), void *arg);
/* Parts in ascending order, not overlapping. */
void events_part(struct events *e, const struct part *p);
/* The loop has run until `now_ns` and no part before it is missing: what is over is handed out. */
void events_until(struct events *e, int64_t now_ns);
/* No more parts will come. */
void events_end(struct events *e);

#endif
