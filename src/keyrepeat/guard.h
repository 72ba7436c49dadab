/* SPDX-License-Identifier: GPL-3.0-or-later */
/* guard - undoes a change to somebody else's state even when this program is killed.
 *
 * A child, asleep in read() on a pipe, that runs `undo` when its parent has died without guard_dismiss(). */
#ifndef KEYREPEAT_GUARD_H
#define KEYREPEAT_GUARD_H

#include <sys/types.h>

struct guard {
	pid_t pid;	/* 0: none */
	int fd;
};

/* Starts it; to be called while the program has one thread. `undo` runs in a copy of the process
 * as it is now, with every descriptor closed. 0 or -errno. */
int guard_start(struct guard *g, void (*undo)(void *with), void *with);
void guard_dismiss(struct guard *g);
/* Lets it undo now, while we go on or end. */
void guard_leave(struct guard *g);

#endif
