/* SPDX-License-Identifier: GPL-3.0-or-later */
/* memgroup - a memory cgroup of version 1 or 2: its processes, paging it out, and its counters. */
#pragma once

#include "why.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct memgroup {
	const char *path; /* folder of the cgroup; not owned */
	int version;	  /* cgroup version 1 or 2; 0: no group is used */
};

/* Takes `path` as the folder of a memory cgroup. 0, or -1 with a line in `why` that names the cure. */
int memgroup_open(struct memgroup *g, const char *path, struct why *why);

/* Whether a process is in the group or in a group below it. */
bool memgroup_has_process(const struct memgroup *g, pid_t pid);

/* 0 if reclaim of the group would write anonymous memory to swap; -1 with a line in `why`: no swap, swappiness 0, no right to
 * write the control file. */
int memgroup_check_swappable(const struct memgroup *g, struct why *why);
/* Describes the swap devices in the text of /proc/swaps by kind and name, "zram /dev/zram0; file /swap"; "" if there are none. */
void memgroup_describe_swap(const char *swaps, char *text, size_t size);
/* Whether swapped pages may stay in memory, compressed (zswap); -1: not known. */
int memgroup_zswap_is_on(void);
/* Asks the kernel to page out the group: memory.force_empty (version 1) or memory.reclaim of all its memory (version 2). Memory
 * that cannot be paged out stays, which is no error. 0 or -errno. */
int memgroup_page_out(const struct memgroup *g);

/* Bytes swapped in so far; -1: not known. Of the group if it counts them (version 2), else of the machine (*machine true). */
int64_t memgroup_swapin_bytes(const struct memgroup *g, bool *machine);
/* bytes in the swap cache, without a group of the machine; -1: not known */
int64_t memgroup_swap_cache_bytes(const struct memgroup *g);
int64_t memgroup_used_bytes(const struct memgroup *g); /* bytes charged to the group; -1: not known */

/* The most that one major fault reads, in bytes: a page and those read ahead with it (vm.page-cluster, which may change at
 * any time). */
int64_t memgroup_max_fault_bytes(void);
