/* SPDX-License-Identifier: GPL-3.0-or-later */
/* slices - time slices, in each of which a task ran on a CPU without interruption by another task; from the kernel's task
 * switches. Pure. */
#pragma once

#include "sample.h"
#include "trace.h"

struct cpu_time_slice {
	int64_t start_ns, ran_ns; /* ran_ns includes interrupts */
	int cpu, pid, tid;	  /* pid: process, tid: thread, in our pid namespace; 0: not known, or not visible there */
	char comm[16];
	bool wanted_more; /* preempted while it was still runnable; false if not known */
	bool whole;	  /* false: cut by the start or the end of the trace */
};

/* State of a CPU whose records are read; start_ns of the trace goes into since_ns. */
struct traced_cpu {
	int cpu;
	int64_t since_ns; /* start of the current slice; 0: not known, records were lost */
	int running;	  /* running thread, in the initial pid namespace; -1: not known */
	int here, process;
	char comm[16];
	bool cut; /* the task already ran before since_ns */
	/* Switches away from a task whose switch to the CPU has no record, and how long these tasks ran at most: the kernel omits some
	 * switches, mostly from the idle task. They are not in any slice. */
	int64_t beginless, beginless_ns;
};
void slices_init(struct traced_cpu *s, int cpu, int64_t now_ns);
/* Adds a record. True: *out is a slice that has ended. The idle task, and time in which records were lost, give no slices. */
bool slices_add_record(struct traced_cpu *s, const struct trace_record *r, struct cpu_time_slice *out);
/* Ends the trace. True: *out is the slice of the task that still runs. */
bool slices_end(struct traced_cpu *s, int64_t now_ns, struct cpu_time_slice *out);

/* Sums of one process. */
struct process_slices {
	int pid;
	char comm[16];			     /* name in its last slice */
	int64_t ran_ns, slices, wanted_more; /* including slices cut by the trace */
	struct sample quanta;		     /* lengths in ns of the slices that were not cut */
};
struct slices_sums {
	struct process_slices *process;
	size_t n;
};
int slices_add(struct slices_sums *sums, const struct cpu_time_slice *s); /* 0 or -ENOMEM */
void slices_sort(struct slices_sums *sums);				  /* sorts by run time, longest first */
void slices_free(struct slices_sums *sums);
