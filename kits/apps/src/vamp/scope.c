// SPDX-License-Identifier: GPL-3.0-or-later
#include "scope.h"
#include "files.h"
#include "proc.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PASSES 4

static int compare_pids(const void *a, const void *b)
{
	return (*(const pid_t *)a > *(const pid_t *)b) - (*(const pid_t *)a < *(const pid_t *)b);
}

int scope_list_pids(const struct process_scope *s, pid_t **out, size_t *n)
{
	int err;

	*out = NULL;
	*n = 0;
	err = s->group ? files_list_group_pids(s->group, out, n) : files_list_numeric_names("/proc", out, n);
	if (err) {
		free(*out);
		return err;
	}
	if (*n)
		qsort(*out, *n, sizeof(**out), compare_pids);
	return 0;
}

bool scope_find_process(const struct process_scope *s, pid_t pid, struct scope_process *out)
{
	char path[32];
	struct proc_stat is;
	struct stat st;
	int policy;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	if (proc_read_stat(pid, &is) || stat(path, &st))
		return false;
	*out = (struct scope_process){ .pid = pid, .start = is.start };
	memcpy(out->comm, is.comm, sizeof(out->comm));
	policy = sched_getscheduler(pid) & ~SCHED_RESET_ON_FORK;
	return pid != 1 && pid != getpid() && is.ppid != getpid() && !(is.flags & PROC_KTHREAD) && policy != SCHED_FIFO &&
	       policy != SCHED_RR && policy != SCHED_DEADLINE && (!s->by_user || st.st_uid == s->uid);
}

int scope_list(const struct process_scope *s, struct scope_process **out, size_t *n)
{
	pid_t *pid;
	size_t pids;
	int err = scope_list_pids(s, &pid, &pids);

	if (err)
		return err;
	*out = reallocarray(NULL, pids + 1, sizeof(**out));
	*n = 0;
	for (size_t i = 0; *out && i < pids; i++)
		*n += scope_find_process(s, pid[i], &(*out)[*n]);
	free(pid);
	return *out ? 0 : -ENOMEM;
}

int scope_change_threads(pid_t pid, int (*change)(void *arg, pid_t tid, bool *changed), void *arg)
{
	bool changed = true;
	char folder[40];
	int err = 0;

	snprintf(folder, sizeof(folder), "/proc/%d/task", (int)pid);
	for (int pass = 0; changed && !err && pass < PASSES; pass++) {
		pid_t *tid = NULL;
		size_t n = 0;

		changed = false;
		err = files_list_numeric_names(folder, &tid, &n);
		err = err == -ENOENT ? 0 : err; /* the process has ended */
		for (size_t i = 0; i < n && !err; i++) {
			err = change(arg, tid[i], &changed);
			err = err == -ESRCH ? 0 : err;
		}
		free(tid);
	}
	return err;
}
