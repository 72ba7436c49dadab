/* SPDX-License-Identifier: GPL-3.0-or-later */
/* restore_on_exit - undoes a change of a setting of the display even when this program is killed.
 *
 * A child process sleeps in read() on a pipe and runs `undo` when its parent dies without restore_end(). */
#pragma once

#include <sys/types.h>

struct restore_guard {
	pid_t pid; /* the child; 0: none */
	int fd;	   /* our end of the pipe */
};

/* Forks the child; called while the program has one thread. undo(with) would run in a copy of the process as it is now, with all
 * descriptors closed. 0 or -errno. */
int restore_start(struct restore_guard *g, void (*undo)(void *with), void *with);
/* Ends the child without undo(). */
void restore_end(struct restore_guard *g);
/* Makes the child call undo() now, without waiting for it. */
void restore_undo_now(struct restore_guard *g);
