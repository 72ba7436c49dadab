/* SPDX-License-Identifier: GPL-3.0-or-later */
/* culprit - what took the CPU from the idle loop in one gap: tasks and interrupts, with their shares of it. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum culprit_kind { CULPRIT_TASK, CULPRIT_IRQ, CULPRIT_SOFTIRQ, CULPRIT_TIMER, CULPRIT_RESCHED, CULPRIT_CALL, CULPRIT_UNEXPLAINED };
/* Returns "task", "irq", "softirq", "timer", "reschedule", "call" or "unexplained". */
const char *culprit_kind_name(enum culprit_kind kind);

/* Name of the CULPRIT_UNEXPLAINED share for time beside a task switch that the kernel left out of its records. */
#define MISSED_SWITCH_NAME "missed switch"

/* Extends the span [*start_ns, *end_ns] so that it covers the other span too. */
static inline void span_extend(int64_t *start_ns, int64_t *end_ns, int64_t other_start_ns, int64_t other_end_ns)
{
	if (other_start_ns < *start_ns)
		*start_ns = other_start_ns;
	if (other_end_ns > *end_ns)
		*end_ns = other_end_ns;
}

/* The time that one culprit took of one gap. Each culprit has one share in a gap. */
struct culprit_share {
	enum culprit_kind kind;
	int pid;       /* task: thread id in our pid namespace; -N: thread N of the initial namespace, invisible to us; else 0 */
	char name[24]; /* comm of the task, or name of the interrupt handler or softirq; never empty */
	int64_t ns;
	int64_t residue_ns;	  /* part of `ns` that no record covers */
	int64_t start_ns, end_ns; /* when the culprit first and last ran in the gap; others may have run in between */
	bool resumed; /* preempted before this gap, and the loop has run less than BURST_PAUSE_NS since: the same burst of work */
	bool wants;   /* the gap ended while this task was still runnable: a later gap may continue it as `resumed` */
};

/* How long the loop may run in the middle of one task's burst: a scheduler's time slice, rounded up for a slow tick. Gaps further
 * apart are separate bursts. */
#define BURST_PAUSE_NS (20 * INT64_C(1000000))
/* Maximum number of shares of a gap; the smallest are summed as "others" of their kind. */
#define SHARES_MAX 64

/* Does a gap with these shares continue the burst of the event before it, which the scheduler cut by a time slice for the loop?
 * Such a gap joins that event. (An event whose last gap has a share that `wants` stays open for BURST_PAUSE_NS of loop time;
 * ticks in between do not belong to it.) */
bool shares_continue_burst(const struct culprit_share *share, size_t n);
#define TICK_UNRECORDED_NS INT64_C(100000)
/* Is a gap with these shares the kernel's tick: the CPU's own timer, and only softirqs that a tick raises? Not if more than
 * TICK_UNRECORDED_NS of it has no record: time stolen by a hypervisor ends with an overdue tick, and would look like one. */
bool shares_are_tick(const struct culprit_share *share, size_t n);
