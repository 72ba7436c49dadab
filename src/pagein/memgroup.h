/* SPDX-License-Identifier: GPL-3.0-or-later */
/* memgroup - a memory cgroup of version 1 or 2: who is in it, emptying it, and what it counts. */
#ifndef PAGEIN_MEMGROUP_H
#define PAGEIN_MEMGROUP_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define MEMGROUP_WHY 300

struct memgroup {
	const char *path;	/* its folder; borrowed */
	int version;		/* 1 or 2; 0: there is no group */
};

/* 0, or -1 with a line in `why` that names the cure. */
int memgroup_open(struct memgroup *g, const char *path, char why[MEMGROUP_WHY]);

/* Whether it is in the group or in one below. */
bool memgroup_holds(const struct memgroup *g, pid_t pid);

/* 0 when emptying the group would write anonymous memory to swap; -1 with a line in `why`: no swap,
 * swappiness 0, a file that cannot be written. */
int memgroup_can_evict(const struct memgroup *g, char why[MEMGROUP_WHY]);
/* Asks the kernel to take out what can go: version 1 memory.force_empty, version 2 memory.reclaim
 * of all there is. What cannot go stays, which is no error. 0 or -errno. */
int memgroup_evict(const struct memgroup *g);

/* In bytes; -1: not known. Swapped in so far: of the group where it counts that, else of the machine. */
int64_t memgroup_swapped_in(const struct memgroup *g, bool *machine);
int64_t memgroup_swap_cached(const struct memgroup *g);		/* in memory although in swap; also of the machine without a group */
int64_t memgroup_used(const struct memgroup *g);

#endif
