/* SPDX-License-Identifier: GPL-3.0-or-later */
/* headroom - how much memory the machine and our memory cgroup have, and how much must stay free. Reads files; otherwise pure. */
#pragma once

#include "account.h"

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

struct machine_memory {
	int64_t total, available, swap_total, swap_free; /* bytes */
};
/* Reads the file meminfo in a folder (/proc). 0, or -EPROTO if a line is missing. */
int headroom_read_meminfo(const char *folder, struct machine_memory *out);

/* The memory cgroup of this process. */
struct group_memory {
	int version; /* cgroup version 1 or 2; 0: no group was found */
	char folder[PATH_MAX];
	struct memory_limits limits; /* of the group and those above it */
	int64_t swapped;	     /* bytes in swap of the group and those below it; -1: not known */
};
/* Reads limits and swapped. 0, or -ENOENT without a group. */
int headroom_read_group(struct group_memory *g);

/* Whether the limit of the group is lower than the memory of the machine. */
bool headroom_is_limited(const struct machine_memory *m, const struct group_memory *g);

/* The memory that a --size in percent refers to, in bytes: the limit of the group if that is lower, else the memory of the
 * machine. */
int64_t headroom_percent_base(const struct machine_memory *m, const struct group_memory *g);

/* Bytes left for the rest of the machine once `size` more bytes are taken. A group cannot take more than its limit; the excess goes
 * to swap and does not reduce the available memory of the machine. Without a limit other processes can be swapped out: then the
 * available memory and the free swap count together. */
int64_t headroom_left(const struct machine_memory *m, const struct group_memory *g, int64_t size);

/* The default of --reserve: a tenth of the memory of the machine, at least 256 MiB. */
int64_t headroom_default_reserve(const struct machine_memory *m);

/* Time until the next check, in ns, given the bytes above the reserve: shorter than the fastest memory could take to fill them. */
int64_t headroom_next_check_ns(int64_t above);
