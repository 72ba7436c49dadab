/* SPDX-License-Identifier: GPL-3.0-or-later */
/* slices - slices of time, in each of which a task ran on a CPU at one go; from the kernel's task switches. Pure. */
#ifndef VAMP_SLICES_H
#define VAMP_SLICES_H

#include "sample.h"
#include "trace.h"

struct slice {
	int64_t start_ns, ran_ns;	/* interrupts within count as the task's */
	int cpu, pid, tid;	/* process and thread, as we count; 0: not known, or not visible in our pid namespace */
	char comm[16];
	bool wanted_more;	/* taken off the CPU while it still wanted it; false too where that is not known: not whole */
	bool whole;		/* else cut by the begin or the end of the trace: it ran longer, before or after */
};

/* A CPU of which records are read. Begins as { .cpu = ..., .since_ns = the begin of the trace }. */
struct slices_cpu {
	int cpu;
	int64_t since_ns;	/* 0: not known, records were lost */
	int running;		/* its thread, as the kernel counts; -1: not known */
	int here, process;
	char comm[16];
	bool cut;		/* it ran before `since_ns` */
	/* Switches away from a task whose switch to the CPU is missing, and how long these tasks ran at most: kernels leave out some
	 * switches, mostly from the idle task. They make no slices. */
	int64_t beginless, beginless_ns;
};
void slices_begin(struct slices_cpu *s, int cpu, int64_t now_ns);
/* True: *out is a slice that has ended. There is none of the idle task, and none for the time in which records were lost. */
bool slices_add_record(struct slices_cpu *s, const struct trace_record *r, struct slice *out);
/* At the end: the slice of the task that still runs. */
bool slices_end(struct slices_cpu *s, int64_t now_ns, struct slice *out);

/* Sums by process. */
struct slices_process {
	int pid;
	char comm[16];		/* of its last slice */
	int64_t ran_ns, slices, wanted_more;	/* cut ones, too */
	struct sample quanta;	/* ns, of whole slices */
};
struct slices_sums {
	struct slices_process *process;
	size_t n;
};
int slices_sums_add(struct slices_sums *sums, const struct slice *s);	/* 0 or -ENOMEM */
void slices_sums_sort(struct slices_sums *sums);	/* the one that ran most first */
void slices_sums_free(struct slices_sums *sums);

#endif
