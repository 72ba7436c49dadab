/* SPDX-License-Identifier: GPL-3.0-or-later */
/* timeline - resident and swapped memory of processes over time, sampled by a thread during the runs.
 *
 * Only counters are read (/proc/PID/status and stat, usage of the memory cgroup), not smaps: walking page tables would delay the
 * page faults under measurement. The kernel updates some of these counters a few pages late. */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct timeline_cfg {
	const char *path; /* output table: schema timeline/1, a row for each sample, times of CLOCK_MONOTONIC */
	const pid_t *pid; /* processes, summed up; an ended one counts 0. Must stay valid until timeline_stop() */
	size_t pids;
	const char *group; /* folder of a memory cgroup, v1 or v2; NULL: the cells of the group stay empty */
	int64_t period_ns;
};

/* One sample, the sum over all processes: bytes and page faults; -1: not known. */
struct timeline_sample {
	int64_t resident, file, swap, major, minor;
	int64_t group, group_swap, group_major;
};
/* Reads one sample; `proc` is the folder /proc, or another one in tests. */
void timeline_take_sample(const struct timeline_cfg *cfg, const char *proc, struct timeline_sample *out);

struct timeline;
struct timeline *timeline_start(const struct timeline_cfg *cfg); /* NULL with errno set */
int timeline_stop(struct timeline *t);				 /* 0, or -errno: the table is incomplete. t may be NULL */
