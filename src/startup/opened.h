/* SPDX-License-Identifier: GPL-3.0-or-later */
/* opened - which files an application opens, also for a moment: by fanotify, which takes
 * CAP_SYS_ADMIN in the first user namespace. */
#ifndef STARTUP_OPENED_H
#define STARTUP_OPENED_H

#include "cold.h"

struct opened {
	int fd;		/* -1: not told */
};

/* Listens on the file systems of the root, of the working folder and of HOME. 0 or -errno (-EPERM). */
int opened_start(struct opened *o);
/* Adds what processes below `root` have opened since; those of others are passed over. */
void opened_learn(struct opened *o, struct cold *c, pid_t root);
void opened_stop(struct opened *o);

#endif
