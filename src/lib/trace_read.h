/* SPDX-License-Identifier: GPL-3.0-or-later */
/* trace_read - finds tracepoints by name and decodes perf samples into records, by the format files of the kernel. */
#pragma once

#include "trace.h"
#include "tracefs.h"
#include "tracepoint.h"

#define TRACE_POINTS 15 /* the first is sched_switch */

/* Maps thread ids of the initial pid namespace to ours, as seen at task switches. */
#define TRACE_THREADS 1024
struct thread_ids {
	int pid, here, process;
};

struct tracepoint_formats {
	int id[TRACE_POINTS]; /* -1: missing in this kernel */
	struct tracefs_field type, number[TRACE_POINTS], name[TRACE_POINTS];
	struct tracefs_field prev_pid, prev_comm, prev_state, next_pid, next_comm;
	char missing[256];
	bool initial; /* this process is in the initial pid namespace */
	struct thread_ids thread[TRACE_THREADS];
};

/* Reads the first n tracepoints from tracefs. 0 or -errno; -ENOENT: no sched_switch. */
int tracepoint_formats_read(struct tracepoint_formats *p, size_t n);
/* Parses the texts of their format files; "" for a missing one. Pure. */
int tracepoint_formats_parse(struct tracepoint_formats *p, char (*text)[TRACEFS_TEXT]);
/* Marks tracepoint i > 0 and its partner (entry or exit) as missing. Returns the index of the partner. */
int tracepoint_drop_pair(struct tracepoint_formats *p, int i);

/* Decodes a sample. False: not of these tracepoints. The count of a PERF_RECORD_LOST is added to *lost. */
bool trace_decode_record(struct tracepoint_formats *p, const struct perf_event_header *header, struct trace_record *out,
			 int64_t *lost);
