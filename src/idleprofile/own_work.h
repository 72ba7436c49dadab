/* SPDX-License-Identifier: GPL-3.0-or-later */
/* own_work - recognizes this program's own work on the CPUs that it profiles, so that it is not counted as lost time.
 *
 * With kernel records: by thread id, of its own threads and of the processes of --ignore. Without: by notes of the times in which
 * it worked. */
#pragma once

#include "culprit.h"
#include "cli.h"

#define OWN_WORK_REST_NS 50000 /* a gap with less than this beside own work (task switches, the timer) is own work */
#define OWN_WORK_NOTES 4096
#define OWN_WORK_TIDS (1 << 22) /* thread ids of Linux are below this (PID_MAX_LIMIT) */

struct own_work_time {
	bool there;
	int64_t ns;
};

/* The latest notes of one CPU, in a ring. */
struct own_work_notes {
	uint32_t first, n;
	struct {
		int64_t from, to, cpu_ns;
	} note[OWN_WORK_NOTES];
};
/* Notes that this program worked between these times and used `cpu_ns` of CPU time. */
void own_work_note(struct own_work_notes *w, int64_t from, int64_t to, int64_t cpu_ns);
/* Own work in [from, to]. Must be asked for in ascending order: notes that end before `from` are dropped. The CPU time of a note
 * is counted once, in the gaps that ask first. */
struct own_work_time own_work_find(struct own_work_notes *w, int64_t from, int64_t to);

/* The calling thread's own work, to be noted. cpu -1: the thread was moved to another CPU meanwhile. */
struct own_work_span {
	int cpu;
	int64_t from, to, cpu_ns;
};
void own_work_start(struct own_work_span *w);
void own_work_stop(struct own_work_span *w);

struct own_work_tids {
	uint64_t own[OWN_WORK_TIDS / 64],
		ignored[OWN_WORK_TIDS / 64]; /* a bit for each thread id: no number of threads is too many */
	const struct cli_pids *ignore;	     /* NULL: none */
	int64_t refreshed_ns;
};
/* Starts with the calling thread and the threads of the processes in `ignore` (not owned; NULL: none). */
void own_work_tids_init(struct own_work_tids *t, const struct cli_pids *ignore);
void own_work_tids_add(struct own_work_tids *t, int tid);
/* Reads the threads of the ignored processes again, at most once a second. */
void own_work_tids_refresh(struct own_work_tids *t);
/* Removes the shares of this program's and the ignored threads from the list, and returns their time. */
struct own_work_time own_work_remove_shares(const struct own_work_tids *t, struct culprit_share *share, size_t *n);
