/* SPDX-License-Identifier: GPL-3.0-or-later */
/* scope - the processes that vamp samples and may change: those of a control group, of a user, or all permitted ones. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Never in scope: kernel threads, pid 1, vamp itself and its children, tasks of real-time policies. */
struct process_scope {
	const char *group; /* folder of a cgroup, including the groups below it; NULL: any group */
	bool by_user;
	uid_t uid;
};

/* A process in scope. scope_list() lists all; *out is the caller's to free. 0 or -errno. */
struct scope_process {
	pid_t pid;
	uint64_t start;
	char comm[16];
};
int scope_list(const struct process_scope *s, struct scope_process **out, size_t *n);

/* For a caller that knows most processes already: scope_list_pids() lists the pids that could be in scope, ascending (the caller's
 * to free; 0 or -errno); scope_find_process() tells whether one of them is in scope, and fills *out. */
int scope_list_pids(const struct process_scope *s, pid_t **out, size_t *n);
bool scope_find_process(const struct process_scope *s, pid_t pid, struct scope_process *out);

/* Calls `change` for each thread of a process; it sets *changed if it changed the thread. Repeats this up to four times until
 * nothing changed, since a thread may create others meanwhile. -ESRCH of a thread is ignored. 0 or -errno. */
int scope_change_threads(pid_t pid, int (*change)(void *arg, pid_t tid, bool *changed), void *arg);
