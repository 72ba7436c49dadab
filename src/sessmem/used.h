/* SPDX-License-Identifier: GPL-3.0-or-later */
/* used - memory in use by the machine, and by a memory cgroup, as the kernel accounts for it.
 *
 * Sums over processes miss memory of no process (page tables, kernel stacks, socket and pipe buffers) and count shared memory
 * more than once; these accounts count everything once. All figures in bytes; -1: not known. */
#pragma once

#include "rec.h"

/* From /proc/meminfo. `used`: memory that cannot be dropped at once, that is, all but free memory, the file cache and reclaimable
 * slabs; shared memory (also tmpfs) is included. */
struct machine_use {
	int64_t total, available, used;
	int64_t processes; /* part of used: anonymous pages and shared memory */
	int64_t kernel;	   /* part of used: unreclaimable slabs, kernel stacks, page tables, per-CPU data */
	int64_t cache;	   /* not in used: file cache and buffers */
	int64_t swapped;   /* swap in use */
};

/* A group of the memory controller, cgroup v1 or v2, including the groups below it. A file page is charged to the group that
 * first used it. */
struct group_use {
	int version;						  /* 1 or 2; 0: not a group of the memory controller */
	int64_t charged;					  /* all memory charged to the group */
	int64_t anonymous, shared_memory, kernel, cache, swapped; /* cache: file pages, without shared memory */
};

/* 0, or -errno; -EPROTO: the file does not have the expected lines. */
int used_read_machine(const char *meminfo, struct machine_use *out);
int used_read_group(const char *folder, struct group_use *out);

/* PSS of a process without the pages of files, from its smaps_rollup; -1: the kernel does not tell. */
int64_t used_read_nonfile_pss(const char *smaps_rollup);

/* Writes the object "machine" of the report; used_report_group() writes "cgroup". */
void used_report_machine(struct rec_report *r, const struct machine_use *m);
void used_report_group(struct rec_report *r, const struct group_use *g);
