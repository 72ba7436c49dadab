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
#pragma once

#include "members.h"
#include "why.h"

enum hold_stop_method { HOLD_AUTO, HOLD_SIGNAL, HOLD_FREEZER, HOLD_NONE };	/* auto: the freezer if there is one, else SIGSTOP */
extern const char *const hold_ways[];	/* names of enum hold_stop_method; NULL-terminated */

struct process_stopper;

/* `cgroup`: the folder of the measured group, if all measured processes are in it; else NULL.
 * NULL, with the reason in `why`, when that way is not available here. */
struct process_stopper *hold_start_process_stopper(enum hold_stop_method way, const char *cgroup, struct why *why);

enum hold_stop_method method_of_stopping_processes(const struct process_stopper *h);	/* the way that was chosen, never HOLD_AUTO */
/* the child process, which must not be stopped itself; 0: there is none */
pid_t hold_resumer_pid(const struct process_stopper *h);

/* Stops a process. One that another program has stopped is left so. 0; -ESRCH: it has ended; -EPERM and others: it still runs. */
int hold_stop_one_process(struct process_stopper *h, const struct process_table_entry *m);

/* Waits until all added processes have stopped, at most until `until_ns` (CLOCK_MONOTONIC). Returns how many still run. (A process
 * in uninterruptible sleep stops when it wakes; until then it changes no memory of its own.) */
size_t hold_wait_until_stopped(struct process_stopper *h, int64_t until_ns);

/* Resumes all and frees h. 0 or -errno: some process may still be stopped. */
int hold_resume_processes_and_free(struct process_stopper *h);
