/* SPDX-License-Identifier: GPL-3.0-or-later */
/* history - the CPU load of a process in the last sub-epochs, and whether it makes the process a background task. Pure.
 *
 * The load is the share of a CPU that the process would use if it never had to wait for one (Kim et al. 2014, 3.1.2: time taken
 * by others counts in proportion). It is the greater of two figures, from the times that the process's threads ran and waited for
 * a CPU:
 *   A  the sum over the threads of run / (span - wait): threads that run in parallel, or sleep independently;
 *   B  R / (span - W), where R and W are sums over the threads, W at most span - R: threads that take turns. Waits of threads that
 *      run in parallel overlap, and their sum means nothing: B counts only if in three of four samples some thread wanted a CPU.
 * A thread that did not sleep between two samples wanted a CPU all that time, whatever the counters say: a wait that still lasts
 * is in no counter.
 *
 * A process that had a low load while it could get a CPU is exempt later, when it competes with others: see KNOWN_LOAD_WAIT_MAX. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define HISTORY_SUBS 4	/* sub-epochs in the period before an input by which processes are judged */
#define HISTORY_SLOTS 8 /* samples kept: more than HISTORY_SUBS + 2, a power of two */

/* Times of the samples. The last sample may be an extra one, taken at an input (`fresh`); the next regular sample overwrites it. */
struct sample_times {
	int64_t at_ns[HISTORY_SLOTS];
	int64_t last; /* number of the last sample, from 0; -1: none yet */
	bool fresh;   /* the last sample is an extra one */
};
/* Begins a sample: stores its time in the next slot. */
void history_begin_sample(struct sample_times *m, int64_t now_ns, bool fresh);
size_t history_slot(int64_t sample);

struct thread_history {
	pid_t tid;
	int64_t first; /* the first sample that has this thread */
	bool born;     /* the thread did not exist at the sample before: its counters were 0 then */
	struct {
		int64_t run_ns, wait_ns; /* counters since the thread's start */
		int64_t sleeps;		 /* voluntary context switches; -1: not read */
		bool wants;		 /* the thread had a CPU or waited for one */
	} at[HISTORY_SLOTS];
};

/* The known load of a process: the highest load of any sub-epoch in a period in which it could get a CPU, that is, waited for
 * less than KNOWN_LOAD_WAIT_MAX of each sub-epoch, or slept half of it. If the known load is below the threshold, and the process
 * does not run more than half as much again, it is not a background task. Without this rule a light task that competes with CPU
 * hogs, and so never sleeps, would look like a hog. The price: a light process that becomes a hog while it competes is found only
 * once it runs more. */
#define KNOWN_LOAD_WAIT_MAX 0.1
#define KNOWN_LOAD_AWAKE_MAX 0.5
#define KNOWN_LOAD_GROWTH_MAX 1.5
#define KNOWN_LOAD_SLACK 0.02 /* share of a CPU */

struct process_history {
	pid_t pid;
	uint64_t start;
	char comm[16];
	int64_t born_ns;	       /* start of the process, on the clock of the samples */
	int64_t first;		       /* the first sample that has this process */
	int64_t run_ns[HISTORY_SLOTS]; /* CPU time of all its threads, including ended ones */
	double known;		       /* known load, as a share of a CPU; below 0: not known */
	struct thread_history *thread; /* owned */
	size_t n;
};

struct process_load {
	double load, run; /* shares of one CPU; may be above 1 */
	int64_t span_ns;
};
/* Load from the last sample back, over at most HISTORY_SUBS sub-epochs and the time since their end. All 0 if less than half a
 * sub-epoch (`sub_ns`) is known. A younger process is judged by its whole life, at least one sub-epoch. */
struct process_load history_load(const struct process_history *p, const struct sample_times *m, int64_t sub_ns);

/* Did the process start after the sample before its first one? To be asked while that sample is kept. */
bool history_is_new(const struct process_history *p, const struct sample_times *m);

/* Updates the known load; after each regular sample. */
void history_update_known_load(struct process_history *p, const struct sample_times *m);

enum load_verdict { VERDICT_LOW, VERDICT_KNOWN, VERDICT_BACKGROUND }; /* KNOWN: above the threshold, but the known load is below */
enum load_verdict history_judge(const struct process_history *p, const struct process_load *load, double threshold);
