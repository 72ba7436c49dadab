/* SPDX-License-Identifier: GPL-3.0-or-later */
/* history - the CPU load of a process in the last sub-epochs, and whether that makes it background. Pure.
 *
 * The load of a process is the share of the time in which it had, or waited for, a CPU (Kim et al. 2014, 3.1.2: time stolen by
 * others is counted in proportion). From the times that its threads ran and waited for a CPU, the greater of
 *   A  the sum over its threads of run / (span - wait): threads that run side by side, or sleep each for itself;
 *   B  R / (span - W), R and W the sums, W at most span - R: threads that take turns, one at a time. Waits of threads that do not
 *      take turns overlap, and their sum says nothing: B counts only where in three of four samples some thread wanted a CPU.
 * A thread that did not sleep between two samples wanted a CPU all the time between them, whatever the kernel has counted: a wait
 * that still lasts is in no counter.
 *
 * A process that was light while it could have a CPU is spared later, when it competes with others: see KNOWN_LOAD. */
#ifndef VAMP_HISTORY_H
#define VAMP_HISTORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define HISTORY_SUBS 4			/* sub-epochs in the pre-I/O period */
#define HISTORY_SLOTS 8			/* samples kept: more than HISTORY_SUBS + 2, and a power of two */

/* When the samples were taken. The last one may be fresh: out of turn, to judge by, and overwritten by the next regular one. */
struct sample_times {
	int64_t at_ns[HISTORY_SLOTS];
	int64_t last;			/* number of the last sample, from 0; -1: none yet */
	bool fresh;			/* the last one is */
};
/* Begins a sample. */
void sample_times_add(struct sample_times *m, int64_t now_ns, bool fresh);
size_t sample_slot(int64_t sample);

struct thread_history {
	pid_t tid;
	int64_t first;			/* the first sample that has it */
	bool born;			/* it was not there at the sample before: its counters were 0 then */
	int fd[2];			/* the sampler's */
	struct {
		int64_t run_ns, wait_ns;	/* counters since its birth */
		int64_t sleeps;			/* voluntary context switches; -1: not read */
		bool wants;			/* it had or waited for a CPU */
	} at[HISTORY_SLOTS];
};

/* The load of a process is known from a period in which it waited below a tenth of the time, or slept half of it, in every
 * sub-epoch: the highest of these counts. While that is below the threshold and the process runs no more than half as much again,
 * it is no background task. Without this rule a light task that competes with CPU hogs, and therefore never sleeps, would look like
 * one of them. The price: a light process that becomes a CPU hog while it competes is found only once it ran more. */
#define KNOWN_LOAD_WAIT_MAX 0.1
#define KNOWN_LOAD_AWAKE_MAX 0.5
#define KNOWN_LOAD_GROWTH_MAX 1.5
#define KNOWN_LOAD_SLACK 0.02		/* of a CPU */

struct process_history {
	pid_t pid;
	uint64_t start;
	char comm[16];
	int64_t born_ns;		/* on the clock of the samples */
	int64_t first;			/* the first sample that has it */
	int64_t run_ns[HISTORY_SLOTS];	/* of all its threads, those that ended too */
	double known;			/* share of a CPU; below 0: not known */
	struct thread_history *thread;	/* owned */
	size_t n;
};

struct process_load {
	double load, run;		/* shares of one CPU: may be above 1 */
	int64_t span_ns;
};
/* Up to the last sample, at most a pre-I/O period and what has passed since its end. All 0 where less than half a sub-epoch,
 * `sub_ns`, is known. A process that is younger than the period is judged by its life, at least one sub-epoch. */
struct process_load history_compute_load(const struct process_history *p, const struct sample_times *m, int64_t sub_ns);

/* Was it born after the sample before its first one? (Asked while that one is kept.) */
bool history_is_young(const struct process_history *p, const struct sample_times *m);

/* After a regular sample: updates `known`. */
void history_learn_known_load(struct process_history *p, const struct sample_times *m);

enum load_verdict { VERDICT_LOW, VERDICT_KNOWN, VERDICT_BACKGROUND };	/* KNOWN: above the threshold, but known as light */
enum load_verdict history_judge(const struct process_history *p, const struct process_load *load, double threshold);

#endif
