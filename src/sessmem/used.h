/* SPDX-License-Identifier: GPL-3.0-or-later */
/* used - what the machine and a memory group have in use, by the kernel's own accounts.
 *
 * Sums over processes miss what belongs to no process (page tables, stacks in the kernel, buffers
 * of sockets and pipes) and count once more what groups of processes share; these accounts hold all
 * of it once. All figures in bytes; -1: not told here. */
#ifndef THINPROBE_SESSMEM_USED_H
#define THINPROBE_SESSMEM_USED_H

#include "rec.h"

/* /proc/meminfo. `used` is what could not be dropped at once: all but free memory, the file cache
 * and slabs that can be reclaimed; memory that is shared (tmpfs too) is in it. */
struct used_machine {
	int64_t total, available, used;
	int64_t processes;	/* of used: anonymous pages and shared memory */
	int64_t kernel;		/* of used: slabs that stay, stacks, page tables, per-CPU data */
	int64_t cache;		/* not in used: file cache and buffers */
	int64_t swapped;	/* swap in use */
};

/* A group of the memory controller, cgroup v1 or v2, with the groups below it. File pages are charged to who touched them first. */
struct used_group {
	int version;			/* 0: no group of that controller */
	int64_t charged;		/* all that is charged to it */
	int64_t anonymous, shared_memory, kernel, cache, swapped;	/* cache: files, without shared memory */
};

/* 0, or -errno; -EPROTO for text that is not what is expected. */
int used_machine_read(const char *meminfo, struct used_machine *out);
int used_group_read(const char *folder, struct used_group *out);

/* Write the object "machine", or "cgroup", of the report. */
void used_machine_report(struct rec *r, const struct used_machine *m);
void used_group_report(struct rec *r, const struct used_group *g);

#endif
