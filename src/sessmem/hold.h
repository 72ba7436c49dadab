/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hold - stops processes while they are read, and resumes them however this program ends.
 *
 * The freezer of control groups stops processes without a signal to them or to their parents. Version 2: only the measured group
 * as a whole, since moving a process to another group could end its systemd unit. Version 1: the measured group, else a group that
 * is made for the processes in the freezer's own hierarchy, which no other program uses. Without a freezer: SIGSTOP, of which the
 * parent gets a SIGCHLD; a shell with job control may print a line about it.
 *
 * A child process in a session of its own resumes them when this process closes a pipe or dies. The stopped processes stand in
 * memory that both share, each noted before it is stopped. They stay stopped only if both are killed at once. */
#ifndef THINPROBE_SESSMEM_HOLD_H
#define THINPROBE_SESSMEM_HOLD_H

#include "members.h"

enum hold_way { HOLD_AUTO, HOLD_SIGNAL, HOLD_FREEZER, HOLD_NONE };	/* auto: the freezer if there is one, else SIGSTOP */
extern const char *const hold_ways[];	/* names of enum hold_way; NULL-terminated */

struct hold;

/* `cgroup`: the folder of the measured group, if all measured processes are in it; else NULL.
 * NULL, with the reason in `why`, when that way is not available here. */
struct hold *hold_begin(enum hold_way way, const char *cgroup, char *why, size_t size);

enum hold_way hold_way(const struct hold *h);	/* the way that was chosen, never HOLD_AUTO */
pid_t hold_child(const struct hold *h);		/* the child process, which must not be stopped itself; 0: there is none */

/* Stops a process. One that another program has stopped is left so. 0; -ESRCH: it has ended; -EPERM and others: it still runs. */
int hold_add(struct hold *h, const struct member *m);

/* Waits until all added processes have stopped, at most until `until_ns` (CLOCK_MONOTONIC). Returns how many still run. (A process
 * in uninterruptible sleep stops when it wakes; until then it changes no memory of its own.) */
size_t hold_settle(struct hold *h, int64_t until_ns);

/* Resumes all and frees h. 0 or -errno: some process may still be stopped. */
int hold_end(struct hold *h);

#endif
