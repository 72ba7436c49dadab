/* SPDX-License-Identifier: GPL-3.0-or-later */
/* startup - startup.json of each repeat: start-up times under memory pressure, what paging adds, what of that is input and
 * output, later events.
 *
 * T0 is the median start-up time of the same application, started alike, without pressure (axis "none"); its spread the
 * standard deviation of these starts. e = (T_startup - T0 - T_IO) / (T_startup - T0) from the medians, where T_startup - T0
 * exceeds three times the spread of T0, else it would be a quotient of noise; and only on axis "used": beside a hog that goes
 * on, its own traffic is in T_IO. The interval of e is Student's t over the starts, each with its own T_IO. A start that had
 * not come to rest at the ceiling is "later than" it. */
#ifndef THINPROBE_SUMMARIZE_STARTUP_H
#define THINPROBE_SUMMARIZE_STARTUP_H

#include "trials.h"

enum startup_group { STARTUP_STARTED, STARTUP_BROKEN };	/* broken: without a window, or ended by itself */
enum startup_value {
	STARTUP_TIME, STARTUP_MAPPED, STARTUP_PAINT, STARTUP_IO, STARTUP_BLKIO, STARTUP_SWAPIN, STARTUP_THRASHING, STARTUP_FREEPAGES,
	STARTUP_SWAP_IN, STARTUP_SWAP_OUT, STARTUP_MAJOR, STARTUP_MINOR, STARTUP_READS, STARTUP_DISCARDED,
	STARTUP_SWAP_IN_MB, STARTUP_SWAP_OUT_MB,
};
enum startup_event_value { STARTUP_EVENT, STARTUP_FIRST_CHANGE, STARTUP_UNCHANGED };	/* unchanged: 1, nothing was seen to change */

struct startup {
	const struct run *run;
	double ceiling_ms;
	struct trials starts, events;	/* an event's text is its name */
};

struct startup_base {
	double t0_ms, spread_ms;	/* NAN: not known */
};
struct startup_base startup_base_of(const struct startup *s, const struct cell *c);
struct figure startup_share(const struct startup *s, const struct cell *c, struct startup_base base);	/* e */
struct figure startup_time(const struct startup *s, const struct cell *c);	/* the median, without its interval */
const struct cell *startup_find(const struct run *run, const char *app, const char *start, const char *axis);	/* the first; NULL */

/* Tables (startup_rows.c): runs, events, applications, felt. */
int startup_rows(void *state, const char *table, struct table_out *out, struct why *why);

#endif
