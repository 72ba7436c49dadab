/* SPDX-License-Identifier: GPL-3.0-or-later */
/* timeline - what processes have in memory and in swap, over time, while somebody else measures: sampled by a thread of its own.
 *
 * Only counters that the kernel keeps are read (/proc/PID/status and stat, the group's usage), not
 * smaps: walking page tables would hold up the faults that are being watched. The kernel may keep
 * some of these counters a few pages behind. */
#ifndef PAGEIN_TIMELINE_H
#define PAGEIN_TIMELINE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct timeline_cfg {
	const char *path;	/* the table: schema timeline/1, a row for each sample, times of the monotonic clock */
	const pid_t *pid;	/* summed up; one that is gone counts 0. Valid until timeline_stop() */
	size_t pids;
	const char *group;	/* folder of a memory group, cgroup v1 or v2; NULL: those cells stay empty */
	int64_t period_ns;
};

/* What one sample is made of, for all processes together. Bytes; -1: not known. */
struct timeline_sample {
	int64_t resident, file, swap, major, minor;
	int64_t group, group_swap, group_major;
};
/* Reads one, from PROC (/proc). */
void timeline_read(const struct timeline_cfg *cfg, const char *proc, struct timeline_sample *out);

struct timeline;
struct timeline *timeline_start(const struct timeline_cfg *cfg);	/* NULL with errno */
int timeline_stop(struct timeline *t);	/* 0, or -errno: the table is not whole. NULL is no error */

#endif
