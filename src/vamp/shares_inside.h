/* SPDX-License-Identifier: GPL-3.0-or-later */
/* shares_inside - the two ways of shares.c to weigh a process: a group of its own (shares_group.c), nice values (shares_nice.c). */
#ifndef VAMP_SHARES_INSIDE_H
#define VAMP_SHARES_INSIDE_H

#include "favour.h"
#include "undo.h"

struct shares_group {
	const char *root;	/* before every path: "" but for tests */
	int version;		/* of the cgroups: 1 or 2 */
	char mount[UNDO_PATH - 64], above[UNDO_PATH - 64], ours[UNDO_PATH];
};

/* Finds the cpu controller's group `above` (NULL: the caller's own) and makes a group for the background below it. 0 or -errno with
 * a line in `why`; then nothing has changed. Version 2: where `above` holds processes and gives its groups no weights yet, these
 * processes go into a second group beside ours first (the kernel's rule: none within a group that shares out). */
int shares_group_open(struct shares_group *g, const char *root, const char *above, enum ratio ratio, struct undo *undo, char *why,
		      size_t size);
/* Moves the process. 0 or -errno: -ESRCH: it has ended; -EXDEV: it is not below `above`. */
int shares_group_take(const struct shares_group *g, struct undo *undo, const struct tag *tag);

/* How much is added to the nice value: the kernel's weights are 1024 / 335, 110, 56. */
static const int shares_nicer[RATIOS] = { 5, 10, 13 };
/* Adds to each thread's. 0 or -errno: -ESRCH; -EPERM: it could not be undone. */
int shares_nice_take(struct undo *undo, const struct tag *tag, int more);

#endif
