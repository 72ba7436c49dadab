/* SPDX-License-Identifier: GPL-3.0-or-later */
/* idle - a run of the idle experiment: RUN/cells/SYSTEM-NNN/REPEAT/{cell.json,idleprofile.json,lost.tsv[,culprits.tsv,processes.tsv]
 * [,wakeups.json]} to tables.
 *
 *	summary.tsv	(idle/1) a row for each system: time lost per minute by whose it was, ticks apart; what it is above the machine
 *			without a session; the run-to-completion bound and the measured waits
 *	slope.tsv	(idle-slope/1) what one more session costs: the slope of a least-squares line over the numbers of sessions
 *	curve.tsv	(idle-curve/1) time lost to events no longer than x
 *	who.tsv		(idle-who/1) who ran
 *	utilisation.tsv	(idle-utilisation/1) the first ten seconds of the first complete repeat
 *
 * A figure is the mean over the complete repeats; its interval is Student's t over the repeats (BCa bootstrap from ten on), none from one.
 * What is above the machine without a session is a difference within each repeat; a slope is one within each repeat, too. */
#ifndef THINPROBE_SUMMARIZE_IDLE_H
#define THINPROBE_SUMMARIZE_IDLE_H

#include "inputs.h"
#include "lost.h"

#include <stdbool.h>
#include <stddef.h>

#define IDLE_WAITS 5
extern const int idle_wait_ms[IDLE_WAITS];	/* the x of P(wait > x) */

/* One repeat of one system. Times per minute of wall-clock time, all CPUs together, in ms; NAN: not known. */
struct idle_cell {
	bool complete, marked;
	double wall_s, cpu_s;		/* observed; cpu_s: of all CPUs together */
	double all, system, class[LOST_CLASSES], tick;
	double events, longest_ms;	/* of the system: a minute; in ms */
	double bound[IDLE_WAITS], bound_all[IDLE_WAITS];	/* shares */
	double wakeups, waited[IDLE_WAITS];	/* tried; how many of them waited for longer */
	double accounted;		/* what the kernel accounts to the lab's own tasks */
	double foreign_percent, steal_percent;
};

struct idle_system {
	char name[64];
	int64_t sessions;
	struct idle_cell *cell;		/* one for each repeat */
};

struct idle_run {
	struct idle_system *system;
	size_t systems;
	int64_t repeats, seed;
	char protocol[64];		/* of which several sessions were measured */
};

/* 0 or -errno with "FILE: what is wrong with it" in `why`. A cell that is not complete is counted as failed; a file of a complete one
 * that is missing or broken is an error, but for those in brackets above (no culprits without root; no wake-ups asked for). */
int idle_summarize(const char *folder, struct inputs_counts *out, char *why, size_t size);

/* summary.tsv and slope.tsv; 0 or -errno, *file: which one. */
int idle_tables(const char *folder, const struct idle_run *run, const char **file);

#endif
