/* SPDX-License-Identifier: GPL-3.0-or-later */
/* lost - the idle profile of one cell: events of lost time, who ran in them, and which of these are the system that is measured.
 *
 * idleprofile sees everything that takes the CPU. A task is the lab's own when it lives in a process namespace of the lab, which
 * the experiment looks up while it lives; all other tasks are somebody else's. "Of the system" is what the lab's own tasks, kernel
 * threads and interrupts took: other people's processes, the measurement itself and what has no record at all stand apart. Ticks,
 * which the profiler's loop keeps alive, are no events. Pure: reads streams, no folder. */
#ifndef THINPROBE_SUMMARIZE_LOST_H
#define THINPROBE_SUMMARIZE_LOST_H

#include "run_folder.h"

enum lost_class {
	LOST_OWN, LOST_KERNEL,					/* the system */
	LOST_FOREIGN, LOST_ITSELF, LOST_ENDED, LOST_UNEXPLAINED,	/* not: ended before anybody looked it up; stolen, or no record */
	LOST_CLASSES
};
extern const char *const lost_class_names[LOST_CLASSES];

bool lost_of_system(enum lost_class class);

struct lost_event {
	int64_t cpu, start, end;	/* CLOCK_MONOTONIC, ns; end: with the pauses inside */
	int64_t length;			/* ns lost: the sum of its parts */
	double system;			/* ns of it that are the system's, after lost_assign_system() */
};

struct lost_share {
	int64_t cpu, start, end, ns;
	enum lost_class class;
	size_t name;			/* place in names[] */
};

struct lost_name {
	char name[40], kind[16];
};

struct lost {
	struct lost_event *event;
	struct lost_share *share;
	struct lost_name *name;
	size_t events, shares, names;
	size_t rows;			/* events and ticks */
	int64_t tick_ns, first_ns;	/* ticks' time; when the first row began */
	bool named;			/* culprits were recorded: the caller says it */
	struct lost_process *process;
	size_t processes;
};

/* Rows add to a struct lost, all zero at first. Processes (process/1: pid, class[, process: the name of which it is a thread, put
 * behind the thread's own]) go before culprits (culprit/1), events (lost/1) whenever. */
extern const struct rows_kind lost_events, lost_processes, lost_culprits;
void lost_free(struct lost *l);

/* What of each event is the system's. One culprit over several events (a long burst that the
 * scheduler split) is spread by their lengths. Without culprits all is the system's. */
void lost_assign_system(struct lost *l);

/* ns of a class in all; NAN where culprits were not recorded. */
double lost_class_ns(const struct lost *l, enum lost_class class);
double lost_event_ns(const struct lost_event *e, bool system);	/* ns of it, or of the system's part */
/* Sum of max(0, length - x) over events (system: over their parts that are the system's), ns: divided by the time observed, the
 * share of moments at which whoever has to wait until what runs is done waits for longer than x (run-to-completion bound). */
double lost_excess_ns(const struct lost *l, double x_ns, bool system);

/* Adds to bin[i], ns, what was lost from start + i * width on, each event spread evenly over its
 * time: all of it, or the system's. */
void lost_bins(const struct lost *l, int64_t start, int64_t width, double *bin, size_t bins, bool system);

#endif
