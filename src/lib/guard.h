/* SPDX-License-Identifier: GPL-3.0-or-later */
/* guard - undoes what a program has changed beyond itself (a setting of a display, a cgroup) even when the program is killed.
 *
 * A child process sleeps in read() on a pipe and runs `undo` when its parent dies without guard_end(). */
#pragma once

#include <sys/types.h>

struct exit_guard {
	pid_t pid; /* the child; 0: none */
	int fd;	   /* our end of the pipe; another process that holds it open, too, keeps the child waiting */
};

/* Forks the child; called while the program has one thread. undo(with) would run in a copy of the process as it is now, with all
 * descriptors closed. 0 or -errno. */
int guard_start(struct exit_guard *g, void (*undo)(void *with), void *with);
/* Ends the child without undo(). */
void guard_end(struct exit_guard *g);
/* Makes the child call undo() now, without waiting for it. */
void guard_undo_now(struct exit_guard *g);
