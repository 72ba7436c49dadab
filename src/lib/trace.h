/* SPDX-License-Identifier: GPL-3.0-or-later */
/* trace - the work of the kernel on some CPUs: task switches, interrupts, softirqs.
 *
 * Fifteen tracepoints through perf_event_open, clock CLOCK_MONOTONIC, one ring per CPU into which all of that CPU's
 * events are redirected. Nothing is left behind: the rings die with the process, and where tracefs (which holds the
 * events' ids and field offsets) is not mounted, a short-lived child mounts it in a mount namespace of its own.
 * Needs root or CAP_PERFMON with a readable tracefs. A system-wide cost of 1-2 us a task switch while it is open. */
#ifndef THINPROBE_TRACE_H
#define THINPROBE_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli.h"

enum trace_kind {
	TRACE_SWITCH,	/* the *_pid, *_here, *_comm and prev_wants fields */
	TRACE_ENTER,	/* class, id, name */
	TRACE_EXIT,	/* class, id; name is empty */
	TRACE_LOST	/* records before this one did not fit into the ring: the running task is unknown until the next switch */
};

enum trace_class {
	TRACE_IRQ,	/* a device's handler; id = interrupt number, name = the handler's */
	TRACE_SOFTIRQ,	/* id = vector, name = the kernel's word for it (TIMER, NET_RX) */
	TRACE_TIMER,	/* the CPU's own timer: the tick, high-resolution timers */
	TRACE_RESCHED,	/* another CPU woke a task here */
	TRACE_CALL	/* another CPU had a function called here; on arm also an IPI, by its name */
};

struct trace_record {
	int64_t time_ns;	/* CLOCK_MONOTONIC */
	enum trace_kind kind;
	enum trace_class class;
	int id;
	char name[24];
	/* Thread ids. *_pid: as the kernel counts, in the initial pid namespace. *_here: the same thread in ours, 0 where it
	 * is not visible there or not known yet (next_here, until the thread leaves a CPU for the first time). */
	int prev_pid, next_pid, prev_here, next_here;
	/* The process of that thread, as we count; 0: not known, as with *_here (here also in the initial namespace). */
	int prev_process, next_process;
	char prev_comm[16], next_comm[16];
	bool prev_wants;	/* taken off the CPU while it still wanted it (preempted, throttled), not asleep or gone */
};

struct trace;

/* Opens and starts; switches_only: of the tracepoints just sched_switch. ring_bytes per CPU is rounded up to pages times a power of
 * two. 0, or -errno with `why` in words and without a full stop ("only root may trace the kernel ..."): -EACCES no right, -ENOENT
 * no tracefs or no sched_switch.
 * Free with trace_close. Forks once: call it before there are threads that hold locks. */
int trace_open(struct trace **out, const struct cli_cpus *cpus, bool switches_only, size_t ring_bytes, char *why,
	       size_t why_size);
/* The tracepoints this kernel lacks, "reschedule call_function"; empty where all are there. Valid until trace_close. */
const char *trace_missing(const struct trace *t);
/* All records of one CPU that are there now, in time order; `each` returns 0 to go on, anything else ends the
 * drain (the rest of that batch is gone) and is returned. 0 or -errno; -EINVAL: a CPU that was not asked for.
 * One thread at a time. */
int trace_drain(struct trace *t, int cpu, int (*each)(void *, const struct trace_record *), void *arg);
/* Records that did not fit into the rings, as far as drained. */
int64_t trace_lost(const struct trace *t);
void trace_close(struct trace *t);

#endif
