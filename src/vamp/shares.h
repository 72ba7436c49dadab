/* SPDX-License-Identifier: GPL-3.0-or-later */
/* shares - a cpu group for the background below the session's own group, so that the session's share of the CPU stays the same. */
#ifndef VAMP_SHARES_H
#define VAMP_SHARES_H

#include "throttle.h"
#include "groups.h"

struct shares_group {
	struct groups groups;
	char above[UNDO_PATH - 64], ours[UNDO_PATH];
};

/* Makes a group for the background below the cpu group `above` (NULL: the caller's own). 0, or -errno with the reason in `why`,
 * and nothing has changed. Version 2: if `above` holds processes and its child groups have no weights yet, these processes are
 * first moved to a second new group (a group whose child groups have weights must not hold processes). */
int shares_group_open(struct shares_group *g, const char *root, const char *above, enum throttle_ratio ratio, struct undo *undo,
		      char *why, size_t size);
/* Moves a process to the background group. 0; -ESRCH: it has ended; -EXDEV: it is not below `above`; other -errno. (Version 1: a
 * process with threads in several groups is moved back as a whole, to the group of its first thread.) */
int shares_group_move(const struct shares_group *g, struct undo *undo, const struct loaded_process *tag);

#endif
