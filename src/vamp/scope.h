/* SPDX-License-Identifier: GPL-3.0-or-later */
/* scope - which processes vamp looks at and may change: those of a control group, of a user, or all that the caller may change. */
#ifndef VAMP_SCOPE_H
#define VAMP_SCOPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Never in scope, whatever is asked for: kernel threads, pid 1, vamp itself and its children, tasks of real-time policies. */
struct scope {
	const char *group;	/* folder of a cgroup (those below belong to it); NULL: not by group */
	bool by_user;
	uid_t uid;
};

/* All processes in scope now. *out is the caller's to free. 0 or -errno. */
struct scope_process {
	pid_t pid;
	uint64_t start;
	char comm[16];
};
int scope_list(const struct scope *s, struct scope_process **out, size_t *n);

/* The same in two steps, where most are known already: the pids that could be in scope, ascending (the caller's to free; 0 or
 * -errno), and whether such a pid is. */
int scope_list_pids(const struct scope *s, pid_t **out, size_t *n);
bool scope_has_process(const struct scope *s, pid_t pid, struct scope_process *out);

/* Changes each thread of a process: `change` sets *changed where it had to. Goes over the threads again, up to four times, as long
 * as there was one to change, since its children may have been born before. -ESRCH of a thread is passed over; 0 or -errno. */
int scope_change_threads(pid_t pid, int (*change)(void *arg, pid_t tid, bool *changed), void *arg);

#endif
