/* SPDX-License-Identifier: GPL-3.0-or-later */
/* trace - records task switches, interrupts and softirqs on chosen CPUs.
 *
 * Fifteen tracepoints through perf_event_open, with times of CLOCK_MONOTONIC and one ring buffer per CPU. Nothing is left
 * behind, whatever ends the process: the rings are its own, and a tracefs (which has the ids and field offsets of events) that is
 * not mounted is opened without a mount. Needs root, or CAP_PERFMON and a readable tracefs. While open, each task switch costs
 * 1-2 us more.
 *
 * Not by libtracefs: its instances are folders of tracefs, which record on after kill -9, and their records lack thread ids of our
 * pid namespace. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli.h"
#include "why.h"

enum trace_kind {
	TRACE_SWITCH, /* a task switch: sets *_pid, *_here, *_comm and prev_wants */
	TRACE_ENTER,  /* start of an interrupt or softirq: sets class, id and name */
	TRACE_EXIT,   /* its end: sets class and id */
	TRACE_LOST    /* records before this one were lost: the running task is unknown until the next switch */
};

enum trace_class {
	TRACE_IRQ,     /* device interrupt; id: its number, name: of the handler */
	TRACE_SOFTIRQ, /* softirq; id: its vector, name: TIMER, NET_RX ... */
	TRACE_TIMER,   /* local timer interrupt: tick, high-resolution timers */
	TRACE_RESCHED, /* rescheduling interrupt: another CPU woke a task on this CPU */
	TRACE_CALL     /* function call interrupt from another CPU; on arm also other IPIs, by name */
};

struct trace_record {
	int64_t time_ns; /* CLOCK_MONOTONIC */
	enum trace_kind kind;
	enum trace_class class;
	int id;
	char name[24];
	/* Thread ids. *_pid: in the initial pid namespace. *_here: the same thread in our pid namespace; 0: not visible there, or
	 * not known yet (next_here, until the thread leaves a CPU for the first time). */
	int prev_pid, next_pid, prev_here, next_here;
	/* Process of that thread in our pid namespace; 0: not known yet. */
	int prev_process, next_process;
	char prev_comm[16], next_comm[16];
	bool prev_wants; /* the previous task was still runnable (preempted or throttled), not asleep or ended */
};

struct scheduling_trace;

/* Opens the tracepoints (switches_only: only sched_switch) and starts recording. ring_bytes per CPU is rounded up to a power
 * of two of pages. 0, or -errno with the reason in `why`: -EACCES (no right), -ENOENT (no tracefs or no sched_switch). Freed
 * by trace_close(). */
int trace_open(struct scheduling_trace **out, const struct cli_cpus *cpus, bool switches_only, size_t ring_bytes, struct why *why);
/* The tracepoints that this kernel lacks, as "reschedule call_function"; "" if it has all. Valid until trace_close(). */
const char *trace_missing_points(const struct scheduling_trace *t);
/* Calls `each` for all waiting records of one CPU, in time order. Anything but 0 from `each` ends the drain, drops the rest
 * of its batch, and is returned. 0 or -errno; -EINVAL: a CPU that was not opened. Not thread-safe. */
int trace_drain(struct scheduling_trace *t, int cpu, int (*each)(void *, const struct trace_record *), void *arg);
/* Number of records lost to full rings, as far as drained. */
int64_t trace_lost_records(const struct scheduling_trace *t);
/* Further ones since then: the ring tells of them only with its next record. -1: not known (before Linux 6.0). Interrupts CPUs. */
int64_t trace_unread_losses(const struct scheduling_trace *t);
void trace_close(struct scheduling_trace *t);
