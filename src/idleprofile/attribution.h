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

#include "culprit.h"
#include "trace.h"

struct attribution;

/* `loop_tid`: gettid() of the idle loop's thread on this CPU. NULL: no memory. */
struct attribution *attribution_new(int loop_tid);
/* Takes records in the order of trace_drain; a record with an earlier time than the one before counts at that
 * one's time. */
void attribution_add_record(struct attribution *w, const struct trace_record *r);
/* Splits the gap [start_ns, end_ns) into shares, largest first; they sum to end_ns - start_ns exactly. Gaps must be asked for in
 * order, each after the trace was drained beyond the gap's end. Returns the number of shares (at least 1 for a gap of positive
 * length and max > 0). */
size_t attribution_split_gap(struct attribution *w, int64_t start_ns, int64_t end_ns, struct culprit_share *out, size_t max);
/* Number of task switches without a record: a recorded switch left a task that, by the records before, was not on the CPU. The
 * time before it is CULPRIT_UNEXPLAINED, with the name MISSED_SWITCH_NAME. */
int64_t attribution_missed_switches(const struct attribution *w);
/* Number of gaps that were asked for after the busy intervals in them had been dropped for lack of room; 0 if gaps are asked for
 * as often as the trace is drained. */
int64_t attribution_late_gaps(const struct attribution *w);
void attribution_free(struct attribution *w);
