/* SPDX-License-Identifier: GPL-3.0-or-later */
/* lost - the idle profile of one cell: events during which CPUs were not idle, the tasks that ran in them, and the share of the
 * measured system.
 *
 * idleprofile records everything that takes CPU time. A task belongs to the lab when it runs in a process namespace of the lab,
 * which the experiment looks up while the task lives; all other tasks are foreign. "System" is the time of the lab's tasks, of
 * kernel threads and of interrupts; foreign tasks, the measurement itself and time without a record are counted apart. Timer ticks,
 * which the profiler's loop keeps alive, are apart from the events. Pure: reads streams, no folder. */
#pragma once

#include "run_folder.h"

enum lost_class {
	/* the system under test: */
	LOST_OWN,    /* tasks of the lab */
	LOST_KERNEL, /* kernel threads and interrupts */
	/* others: */
	LOST_FOREIGN,	  /* tasks of no namespace of the lab */
	LOST_ITSELF,	  /* the measurement itself */
	LOST_ENDED,	  /* tasks that ended before they were looked up */
	LOST_UNEXPLAINED, /* time stolen by the hypervisor, or without a record */
	LOST_CLASSES
};
extern const char *const lost_class_names[LOST_CLASSES];

bool lost_class_is_under_test(enum lost_class class);

struct lost_event {
	int64_t cpu, start, end; /* CLOCK_MONOTONIC, ns; end: including pauses within the event */
	int64_t length;		 /* lost time in ns, without the pauses */
	/* Both set by lost_compute_system_share(): */
	double system; /* ns of `length` that the system took */
	int64_t reach; /* latest end of this event and of earlier ones on its CPU: an event may lie in a pause of another */
};

struct lost_culprit_share {
	int64_t cpu, start, end, ns;
	enum lost_class class;
	size_t name; /* index in lost.name */
};

struct lost_culprit_name {
	char name[40], kind[16];
};

struct lost_profile {
	struct lost_event *event, *tick; /* ticks: only their times */
	struct lost_culprit_share *share;
	struct lost_culprit_name *name;
	size_t events, ticks, shares, names;
	size_t rows;		   /* number of rows read: events and ticks */
	int64_t tick_ns, first_ns; /* tick_ns: time of all ticks; first_ns: when the first row began */
	bool named;		   /* culprits were recorded; set by the caller */
	struct lost_process *process;
	size_t processes;
};

/* Row kinds that add to a struct lost_profile, which starts all zero. Read processes (process/1: pid, class, and optionally the
 * name of the process whose thread it is, which is appended to the thread's name) before culprits (culprit/1); events (lost/1) at
 * any time. */
extern const struct input_table lost_events, lost_processes, lost_culprits;
void lost_free(struct lost_profile *l);

/* Computes the system's share of each event. The time of a culprit that covers several events (a long burst that the scheduler
 * split) is divided in proportion to their lengths. Without culprits, all time is the system's. */
void lost_compute_system_share(struct lost_profile *l);

/* Returns the ns that a class took; NAN: culprits were not recorded. */
double lost_class_ns(const struct lost_profile *l, enum lost_class class);
/* Returns the length of an event in ns; system: the system's share of it */
double lost_event_ns(const struct lost_event *e, bool system);
/* Returns the sum over events of max(0, length - x) in ns; system: by the system's shares. Divided by the observed time, it is the
 * probability that a task which waits until the running work is done waits for longer than x (run-to-completion bound). */
double lost_sum_excess(const struct lost_profile *l, double x_ns, bool system);

/* Adds to bin[i] the ns that events (or ticks) took from start + i * width on; each is spread evenly over its duration; system: the
 * system's share only. */
void lost_fill_bins(const struct lost_event *event, size_t n, int64_t start, int64_t width, double *bin, size_t bins, bool system);
