/* SPDX-License-Identifier: GPL-3.0-or-later */
/* smaps - what a process has in memory and in swap: one pass over /proc/PID/smaps, summed and told mapping by mapping.
 *
 * All figures are bytes, of pages of this process as the kernel counts them (whole kB; proc(5),
 * "smaps"). "Private" means mapped once: a page that only this process maps, through one mapping.
 * Pss and SwapPss are truncated to a kB in every mapping, so that their sums may be below those of
 * smaps_rollup by up to 1 kB a mapping.
 * A read is not one instant: the kernel lets the process go on between mappings. Who needs a consistent picture stops it first. */
#ifndef THINPROBE_SMAPS_H
#define THINPROBE_SMAPS_H

#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

struct smaps_figures {
	int64_t size;			/* address space, in memory or not */
	int64_t rss;			/* = the next four together */
	int64_t private_dirty, private_clean, shared_dirty, shared_clean;
	int64_t pss;
	int64_t anonymous;		/* of rss: belongs to no file, copies of changed file pages included */
	int64_t swap, swap_pss;		/* not in rss. Of shared memory: its pages in swap, whoever mapped them, in ours */
	int64_t locked;			/* Pss of the mappings that are locked */
	int64_t huge;			/* of anonymous: in transparent huge pages */
};

enum smaps_kind {
	SMAPS_ANONYMOUS,	/* heap, stacks, private mappings without a file */
	SMAPS_FILE,		/* program, libraries, data files */
	SMAPS_SHARED_MEMORY,	/* System V, memfd, /dev/shm, shared mappings without a file: goes to swap, not to a file */
	SMAPS_SPECIAL		/* [vdso] [vvar] [vsyscall]: the kernel's */
};

struct smaps_mapping {
	uint64_t start, end, offset, inode;
	char perms[5];			/* "r-xp" */
	enum smaps_kind kind;
	const char *name;		/* as the kernel writes it, "" where it has none; valid until the callback returns */
	struct smaps_figures is;
};

struct smaps_sum {
	struct smaps_figures all;
	int64_t mappings;
	/* Of private mappings, program and library data included: what only swap can hold. Memory that a fork still shares is in it. */
	int64_t anonymous_resident;	/* in memory */
	int64_t anonymous_swap;		/* in swap (or on its way: a page in the swap cache counts here, and comes back without a read) */
	/* Pages that belong to the files of SMAPS_FILE mappings: rss without anonymous. */
	int64_t file_resident;		/* = shared + private */
	int64_t file_shared;		/* mapped by others too (or twice): reclaim of this process's memory leaves them */
	int64_t file_private;
	int64_t file_private_clean;	/* Private_Clean of these mappings as it stands */
	/* Of SMAPS_SHARED_MEMORY. */
	int64_t shared_memory_resident, shared_memory_swap;
};

/* Called for each mapping in order of address; anything but 0 ends the reading and is returned. */
typedef int smaps_each(void *context, const struct smaps_mapping *mapping);

/* Reads the text of an smaps file to its end. `each` may be NULL. 0, what `each` returned, -EPROTO
 * for text that is no smaps, -EIO. Nothing in `sum` is to be used after an error. An empty text
 * (kernel threads, zombies) is a sum of zeros with 0 mappings. */
int smaps_parse(FILE *in, struct smaps_sum *sum, smaps_each *each, void *context);

/* The same of a running process: also -ENOENT or -ESRCH when there is none (any more), -EACCES without the right to trace it. */
int smaps_read(pid_t pid, struct smaps_sum *sum, smaps_each *each, void *context);

#endif
