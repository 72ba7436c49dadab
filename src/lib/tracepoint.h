/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tracepoint - records of kernel tracepoints through perf_event_open: one ring buffer per CPU, times of CLOCK_MONOTONIC.
 *
 * Needs root or CAP_PERFMON. The rings end with the process. Records do not wake a reader: drain the rings in time. The
 * layout of records is in linux/perf_event.h. */
#pragma once

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli.h"
#include "why.h"

#define TRACEPOINTS 16 /* at most, in one ring */

/* Opens events on CPUs. `id`: ids of the events (tracefs_event_id), -1: skipped. The first event is required; further ones that
 * the kernel refuses are set to -1. `filter`: a filter expression of the kernel (Documentation/trace/events.rst), NULL: all
 * records. ring_bytes per CPU is rounded up to a power of two of pages. 0, or -errno with the reason in `why`. */
struct tracepoint_rings;
int tracepoint_open_rings(struct tracepoint_rings **out, const struct cli_cpus *cpus, int *id, size_t n, const char *filter,
			  size_t ring_bytes, struct why *why);
/* Sets another filter on every CPU. 0 or -errno. */
int tracepoint_set_filter(struct tracepoint_rings *t, const char *filter);
/* Calls `each` for all waiting records of a CPU, in the order of the ring, nearly that of time. Anything but 0 from `each`
 * ends the drain and is returned. 0 or -errno; -EINVAL: a CPU that was not opened. Not thread-safe. */
int tracepoint_drain(struct tracepoint_rings *t, int cpu, int (*each)(void *, const struct perf_event_header *), void *arg);
/* Records that found no room since the rings were opened, also those of which no PERF_RECORD_LOST tells yet; -1: not known. */
int64_t tracepoint_count_lost(const struct tracepoint_rings *t);
void tracepoint_close_rings(struct tracepoint_rings *t);

/* Writes the reason of a failed open to `why`. Returns err, -EACCES for any lack of rights. `cpu` below 0: no CPU was opened
 * yet. */
int tracepoint_explain(int err, int cpu, struct why *why);

/* ---- decoding of records; pure ---- */

struct tracepoint_sample {
	int64_t time_ns;
	int pid, tid;	 /* process and thread that ran, in our pid namespace; 0 or -1: not visible there, or exiting */
	const char *raw; /* fields of the event, at the offsets of tracefs_find_field() */
	size_t size;
};
/* Decodes a PERF_RECORD_SAMPLE. False: another record. */
bool tracepoint_decode_sample(const struct perf_event_header *header, struct tracepoint_sample *out);
/* The number of lost records in a PERF_RECORD_LOST; 0: another record. */
int64_t tracepoint_decode_lost(const struct perf_event_header *header, int64_t *time_ns);
