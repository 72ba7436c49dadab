/* SPDX-License-Identifier: GPL-3.0-or-later */
/* quota - time that a CPU quota kept a process's cgroup, or one above it, off the CPUs (cpu.stat of version 1 or 2). */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define QUOTA_LEVELS 16 /* groups above each other, from the process's own up */

struct cpu_quota {
	char folder[1024];		 /* of the process's own group; empty: not known */
	size_t mount;			 /* length of the mount point in it */
	int64_t before_ns[QUOTA_LEVELS]; /* throttled so far, of each group; -1: not known */
};

/* Notes the counters of the groups of a process. `root` is put before all paths. */
void quota_begin(struct cpu_quota *q, const char *root, pid_t pid);

/* The longest time that one of the groups was throttled since quota_begin(), over all CPUs, and the name of that group. 0: none was
 * throttled, or not known. */
int64_t quota_throttled_ns(const struct cpu_quota *q, char *group, size_t size);
