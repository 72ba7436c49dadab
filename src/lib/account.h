/* SPDX-License-Identifier: GPL-3.0-or-later */
/* account - single counters of the kernel: from /proc/meminfo, /proc/vmstat, /proc/PID/status and the files of a cgroup. */
#pragma once

#include <stdint.h>

/* Reads a number from FOLDER/FILE; "max" gives INT64_MAX. `key` NULL: the file holds one number. Else the number behind that
 * word at the start of a line ("total_swap", "VmSwap:"), converted to bytes if the line has kB. -1: missing, or no number. */
int64_t account_read_number(const char *folder, const char *file, const char *key);

/* Reads several such numbers, in one pass; one that is missing leaves its variable unchanged. Returns how many it found, or
 * -errno. */
struct account_entry {
	const char *key;
	int64_t *into;
};
int account_read_entries(const char *path, const struct account_entry *e, int n);

/* What the memory limits of a cgroup, of version 1 or 2 (with memory.high), and of those above it allow, in bytes; INT64_MAX: no
 * limit. */
struct memory_limits {
	int64_t lowest;
	int64_t room; /* the least that one of them leaves; file and kernel caches count as left, since they can be dropped */
};
/* `folder`: of the cgroup, an absolute path; parts of it that are not there are passed over. */
struct memory_limits account_read_limits(const char *folder);
