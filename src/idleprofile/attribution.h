/* SPDX-License-Identifier: GPL-3.0-or-later */
/* attribution - what ran in a lost part of an idle loop. Pure: records of one CPU in, shares out.
 *
 * Interrupts and softirqs are a stack over the running task; time belongs to the innermost. A part's time without any of
 * them (the way into and out of the kernel) belongs to the interrupt before it in that part, else to the one after it,
 * else to the task; only a part without a record at all is unexplained (stolen by a hypervisor, a firmware interrupt), and
 * what lies between two switches that contradict each other.
 * What the records say is not trusted against the loop: it ran at both ends of a part, so a state that says otherwise
 * (a record went missing) ends there. Memory is bounded, however long a part. */
#ifndef THINPROBE_ATTRIBUTION_H
#define THINPROBE_ATTRIBUTION_H

#include "trace.h"

enum culprit_kind { CULPRIT_TASK, CULPRIT_IRQ, CULPRIT_SOFTIRQ, CULPRIT_TIMER, CULPRIT_RESCHED, CULPRIT_CALL, CULPRIT_UNEXPLAINED };
/* "task" "irq" "softirq" "timer" "reschedule" "call" "unexplained" */
const char *culprit_kind_name(enum culprit_kind kind);

/* The name of CULPRIT_UNEXPLAINED where the kernel left a switch out of its records. */
#define MISSED_SWITCH_NAME "missed switch"

/* Of two that become one: from the first moment of either to the last. */
static inline void span_extend(int64_t *start_ns, int64_t *end_ns, int64_t other_start_ns, int64_t other_end_ns)
{
	if (other_start_ns < *start_ns)
		*start_ns = other_start_ns;
	if (other_end_ns > *end_ns)
		*end_ns = other_end_ns;
}

/* One culprit of one part; each culprit stands once. */
struct culprit_share {
	enum culprit_kind kind;
	int pid;		/* tasks: thread id in our pid namespace; -N: thread N of the initial one, invisible to us. Else 0 */
	char name[24];		/* a task's comm, the handler's name, the softirq's; never empty */
	int64_t ns;
	int64_t residue_ns;	/* of ns: time near it that no record covers */
	int64_t start_ns, end_ns;	/* from when to when it ran, others in between or not */
	bool resumed;		/* this task had been taken off the CPU before this part while it still wanted it, and the
				 * loop has run less than BURST_PAUSE_NS since: the same burst, cut by the scheduler */
	bool wants;		/* the part ended while this task still wanted the CPU: more of it may follow as `resumed` */
};

/* How long the loop may run on beside a task that wants the CPU: a scheduler's slice, rounded up to slow ticks. Two parts
 * further apart are not one burst. */
#define BURST_PAUSE_NS (20 * INT64_C(1000000))
/* The most shares of a part; the smallest are summed under the name "others" of their kind. */
#define SHARES_MAX 64

struct attribution;

/* loop_tid: the idle loop's thread on this CPU, as gettid() in it says. NULL: no memory. */
struct attribution *attribution_new(int loop_tid);
/* Records in the order of trace_drain; one out of order counts as of its predecessor's time. */
void attribution_add_record(struct attribution *w, const struct trace_record *r);
/* The shares of [start_ns, end_ns), largest first; they sum to end_ns - start_ns exactly. Ask for parts in order, each once
 * the trace is drained beyond its end: drain, then ask for parts that ended before the drain began.
 * Returns how many shares (at least 1 for a part of positive length and max > 0). */
size_t attribution_split_gap(struct attribution *w, int64_t start_ns, int64_t end_ns, struct culprit_share *out, size_t max);
/* Does a part with these shares continue the event before it, across a slice of the loop itself? Then it joins that event,
 * however far apart. (An event whose last part has a share that `wants` stays open for BURST_PAUSE_NS of the loop's time;
 * ticks in between are no part of it.) */
bool shares_continue_burst(const struct culprit_share *share, size_t n);
/* Is a part with these shares the kernel's tick: the CPU's own timer, with nothing but the softirqs that a tick raises? Not
 * where more than TICK_UNRECORDED_NS of it has no record: what a hypervisor stole ends in a tick that is due, and would pass for it. */
#define TICK_UNRECORDED_NS INT64_C(100000)
bool shares_are_tick(const struct culprit_share *share, size_t n);
/* Switches from a task that, by the records before, was not on the CPU: another one has no record. The time since the last
 * record is nobody's then: unexplained, by the name MISSED_SWITCH_NAME. */
int64_t attribution_missed_switches(const struct attribution *w);
/* Parts that were asked for when what ran in them had had to go already, for room; 0 when parts are
 * asked for as often as drained. */
int64_t attribution_late_gaps(const struct attribution *w);
void attribution_free(struct attribution *w);

#endif
