/* SPDX-License-Identifier: GPL-3.0-or-later */
/* watch - looks at an application while it runs: what it shows, what it costs. What start.c makes its phases of. */
#ifndef STARTUP_WATCH_H
#define STARTUP_WATCH_H

#include "start.h"

#define WATCH_TICK (10 * NS_PER_MS)	/* how often swap traffic is looked at, and whether anything runs */

struct start_watch {
	const struct start_cfg *cfg;
	struct nanny *nanny;
	struct start_result *out;
	struct rest rest;
	struct delays delays;
	struct tree tree;
	struct tree_counts counts;
	struct traffic_refaults refaults;
	struct watchdog watchdog;	/* of the display */
	int64_t exec_ns, tick_ns, tree_ns, busy_ns;	/* busy_ns: when it last was */
	uint64_t picture, set;
	bool unnoted;		/* a change of which no counts were taken yet */
	bool settled;		/* the start is over, as far as is known: its counts stay */
	bool was_mapped, was_painted;
	size_t steps_noted;
};

void watch_note(struct start_watch *r, int64_t time_ns, const char *kind, const char *name, const struct traffic_counts *moved);
/* Waits for what comes next, until `until_ns` at most, and takes it in. 0; 1 on a stop signal; -EPIPE when the display has gone. */
int watch_pass(struct start_watch *r, int64_t until_ns);
/* Asks the kernel about its processes. */
void watch_tree(struct start_watch *r, int64_t now);
/* The figures so far are those of the last change. */
void watch_keep_counts(struct start_watch *r);
/* Does anything of it run, as far as we can know? */
bool watch_any(const struct start_watch *r);
/* Within the last quiet time it used more than a tenth of a CPU, had major faults, or waited for a device. */
bool watch_busy(const struct start_watch *r, int64_t now);
/* Is it at rest? Not while something that was drawn has not been looked at, by us or, on a busy machine, by the display. */
bool watch_rest(struct start_watch *r);

#endif
