/* SPDX-License-Identifier: GPL-3.0-or-later */
/* smaps - resident and swapped memory of a process from one pass over /proc/PID/smaps: sums, and a callback for each mapping.
 *
 * All values are bytes, multiples of 1 kB as the kernel counts (proc(5), "smaps"). "Private": mapped once, by this process. Pss is
 * truncated to kB in every mapping: its sum may be below that of smaps_rollup by up to 1 kB per mapping.
 * The read is not atomic: the process runs between mappings. For a consistent snapshot stop the process first. */
#pragma once

#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

struct smaps_values {
	int64_t rss;					   /* resident */
	int64_t private_dirty, shared_dirty, shared_clean; /* parts of it */
	int64_t pss;
	int64_t anonymous; /* part of rss without a file, including modified copies of file pages */
	int64_t swap;	   /* in swap, not in rss; of shared memory all its swapped pages */
	int64_t locked;	   /* Pss of the locked mappings */
	int64_t huge;	   /* part of `anonymous` in transparent huge pages */
};

enum smaps_kind {
	SMAPS_ANONYMOUS,     /* heap, stacks, private mappings without a file */
	SMAPS_FILE,	     /* program, libraries, data files */
	SMAPS_SHARED_MEMORY, /* System V, memfd, /dev/shm, shared mappings without a file: paged to swap, not to a file */
	SMAPS_SPECIAL	     /* [vdso] [vvar] [vsyscall]: the kernel's */
};

struct smaps_mapping {
	uint64_t start, end, offset, inode;
	char perms[5]; /* "r-xp" */
	enum smaps_kind kind;
	const char *name; /* "" if it has none; valid until the callback returns */
	struct smaps_values is;
};

struct smaps_sum {
	struct smaps_values all;
	int64_t mappings;
	/* Anonymous memory of private mappings (including data of programs and libraries, and pages shared after a fork), which can only
	 * be paged to swap. */
	int64_t anonymous_resident;
	int64_t anonymous_swap; /* includes pages in the swap cache, which come back without a read */
	/* Pages that belong to the files of SMAPS_FILE mappings: rss without anonymous. */
	int64_t file_resident;
	int64_t file_shared; /* mapped more than once: not reclaimed with this process */
	/* Pages of SMAPS_SHARED_MEMORY mappings. */
	int64_t shared_memory_resident;
};

/* Callback for each mapping, in address order; anything but 0 ends the reading and is returned. */
typedef int smaps_each(void *context, const struct smaps_mapping *mapping);

/* Parses the text of an smaps file. `each` may be NULL. 0, the result of `each`, -EPROTO for another text, -EIO; *sum is
 * undefined after an error. An empty text (kernel threads, zombies) gives zeros with 0 mappings. */
int smaps_parse(FILE *in, struct smaps_sum *sum, smaps_each *each, void *context);

/* Reads the smaps of a process: as above, also -ENOENT or -ESRCH for no such process, -EACCES without the right to trace it. */
int smaps_read(pid_t pid, struct smaps_sum *sum, smaps_each *each, void *context);
