/* SPDX-License-Identifier: GPL-3.0-or-later */
/* shares - a cpu group below the session's own for the background, so that the session's budget stays. */
#ifndef VAMP_SHARES_H
#define VAMP_SHARES_H

#include "throttle.h"
#include "groups.h"

struct shares_group {
	struct groups groups;
	char above[UNDO_PATH - 64], ours[UNDO_PATH];
};

/* Finds the cpu controller's group `above` (NULL: the caller's own) and makes a group for the background below it. 0 or -errno with
 * a line in `why`; then nothing has changed. Version 2: where `above` holds processes and gives its groups no weights yet, these
 * processes go into a second group beside ours first (the kernel's rule: no processes in a group that shares out CPU time). */
int shares_group_open(struct shares_group *g, const char *root, const char *above, enum throttle_ratio ratio, struct undo *undo,
		      char *why, size_t size);
/* Moves the process. 0 or -errno: -ESRCH: it has ended; -EXDEV: it is not below `above`. (A process whose threads are in several
 * groups of version 1 comes back as a whole into that of its first thread.) */
int shares_group_move(const struct shares_group *g, struct undo *undo, const struct loaded_process *tag);

#endif
