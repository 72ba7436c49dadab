/* SPDX-License-Identifier: GPL-3.0-or-later */
/* attribution - splits a gap (a time in which the idle loop did not get its CPU) among the culprits: tasks and interrupts that
 * ran in it. Pure: kernel records of one CPU come in, shares go out.
 *
 * Interrupts and softirqs form a stack over the running task; time belongs to the innermost. Time in a gap that no record covers
 * (entering and leaving the kernel) belongs to the interrupt before it in that gap, else to the one after it, else to the task.
 * Unexplained are only gaps without any record (time stolen by a hypervisor, a firmware interrupt) and the time between two
 * switches that contradict each other.
 * The loop is trusted more than the records: it ran before and after each gap, so a state that says otherwise (a record is
 * missing) ends there. Memory is bounded, however long a gap. */
#pragma once

#include "busy.h"
#include "trace.h"

#define ATTRIBUTION_DEPTH 16 /* nested interrupts at most: a device over a softirq over a task needs 3 */
#define ATTRIBUTION_WAITING 16

struct attribution {
	int loop_tid;	 /* thread id of the loop in our pid namespace */
	int loop_pid;	 /* thread id of the loop in the initial pid namespace; 0: not seen yet */
	int64_t last_ns; /* time of the last record */
	bool begun;
	bool blind;	/* the state is unknown: there was no record yet, or some were lost */
	int task, here; /* thread id of the task on the CPU, in the initial pid namespace and in ours; valid while `away` */
	char comm[16];
	bool away; /* a task other than the loop is on the CPU */
	struct nested_interrupt {
		enum culprit_kind kind;
		int id;
		char name[24];
	} stack[ATTRIBUTION_DEPTH];
	int depth;
	/* Tasks preempted by the loop while runnable; since_ns and away_ns: time, and sum of all busy intervals, at the preemption. */
	struct preempted_task {
		int task; /* thread id; 0: free slot */
		int64_t since_ns, away_ns;
	} waiting[ATTRIBUTION_WAITING];
	int64_t away_ns; /* length of all busy intervals so far */
	/* Gaps that were asked for after the busy intervals in them had been dropped for lack of room; 0 if gaps are asked for as often
	 * as the trace is drained. */
	int64_t late;
	/* Task switches without a record: a recorded switch left a task that, by the records before, was not on the CPU. The time before
	 * it is CULPRIT_UNEXPLAINED, with the name MISSED_SWITCH_NAME. */
	int64_t missed;
	struct busy_queue queue;
};

/* `loop_tid`: gettid() of the idle loop's thread on this CPU. Freed by free(). */
struct attribution *attribution_new(int loop_tid);
/* Takes records in the order of trace_drain; a record with an earlier time than the one before counts at that
 * one's time. */
void attribution_add_record(struct attribution *w, const struct trace_record *r);
/* Splits the gap [start_ns, end_ns) into shares, largest first; they sum to end_ns - start_ns exactly. Gaps must be asked for in
 * order, each after the trace was drained beyond the gap's end. Returns the number of shares (at least 1 for a gap of positive
 * length and max > 0). */
size_t attribution_split_gap(struct attribution *w, int64_t start_ns, int64_t end_ns, struct culprit_share *out, size_t max);
