/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tracepoint - records of the kernel's tracepoints, through perf_event_open: one ring per CPU, clock CLOCK_MONOTONIC.
 *
 * Needs root or CAP_PERFMON. Nothing is left behind: the rings die with the process. A record wakes no task: drain in time.
 * Layout of the records: linux/perf_event.h. */
#ifndef THINPROBE_TRACEPOINT_H
#define THINPROBE_TRACEPOINT_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli.h"

#define TRACEPOINTS 16		/* at most, in one ring */

/* `id`: events by number (tracefs_id), -1: not wanted. The first must be had; of the others, those that the kernel refuses are set
 * to -1. `filter`: which records are wanted, in the kernel's words (Documentation/trace/events.rst), or NULL: all.
 * ring_bytes per CPU is rounded up to pages times a power of two. 0, or -errno with `why` in words and without a full stop. */
struct tracepoint;
int tracepoint_open(struct tracepoint **out, const struct cli_cpus *cpus, int *id, size_t n, const char *filter,
		    size_t ring_bytes, char *why, size_t why_size);
/* Another filter, on every CPU. 0 or -errno. */
int tracepoint_filter(struct tracepoint *t, const char *filter);
/* Calls `each` with every record that is there now, in the ring's order, which is nearly that of time. It returns 0 to go on;
 * anything else ends the drain and is returned. 0 or -errno; -EINVAL: a CPU that was not asked for. One thread at a time. */
int tracepoint_drain(struct tracepoint *t, int cpu, int (*each)(void *, const struct perf_event_header *), void *arg);
void tracepoint_close(struct tracepoint *t);

/* Why the kernel may not be traced, in words; returns -EACCES for all that is no right. `cpu` below 0: before any was opened. */
int tracepoint_refused(int err, int cpu, char *why, size_t size);

/* ---- decoding of records; pure ---- */

struct tracepoint_sample {
	int64_t time_ns;
	int pid, tid;		/* of the task that ran then, in our pid namespace: process and thread. 0 or -1: not visible there, or ending */
	const char *raw;	/* the event's fields, at the offsets of tracefs_field */
	size_t size;
};
/* false: no sample. */
bool tracepoint_read(const struct perf_event_header *header, struct tracepoint_sample *out);
/* How many records did not fit into the ring before this one; 0: another kind of record. */
int64_t tracepoint_read_lost(const struct perf_event_header *header, int64_t *time_ns);

#endif
