// SPDX-License-Identifier: GPL-3.0-or-later
#include "scope.h"
#include "proc.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PF_KTHREAD 0x200000u	/* the kernel's linux/sched.h */

struct pids {
	pid_t *pid;
	size_t n, room;
};

static int add(struct pids *p, pid_t pid)
{
	if (p->n == p->room) {
		size_t room = p->room ? p->room * 2 : 256;
		pid_t *grown = reallocarray(p->pid, room, sizeof(*grown));

		if (!grown)
			return -ENOMEM;
		p->pid = grown;
		p->room = room;
	}
	p->pid[p->n++] = pid;
	return 0;
}

static int of_group(const char *folder, struct pids *p)
{
	char path[4096];
	struct dirent *e;
	int pid, err = 0;
	FILE *in;
	DIR *dir;

	snprintf(path, sizeof(path), "%s/cgroup.procs", folder);
	in = fopen(path, "re");
	if (!in)
		return -errno;
	while (!err && fscanf(in, "%d", &pid) == 1)
		err = add(p, pid);
	fclose(in);
	dir = err ? NULL : opendir(folder);
	while (dir && !err && (e = readdir(dir)))
		if (e->d_type == DT_DIR && e->d_name[0] != '.' &&
		    snprintf(path, sizeof(path), "%s/%s", folder, e->d_name) < (int)sizeof(path)) {
			err = of_group(path, p);
			if (err == -ENOENT || err == -ENODEV)	/* removed meanwhile */
				err = 0;
		}
	if (dir)
		closedir(dir);
	return err;
}

static int of_machine(struct pids *p)
{
	struct dirent *e;
	int err = 0;
	DIR *dir = opendir("/proc");

	if (!dir)
		return -errno;
	while (!err && (e = readdir(dir)))
		if (isdigit((unsigned char)e->d_name[0]))
			err = add(p, (pid_t)atoi(e->d_name));
	closedir(dir);
	return err;
}

static int by_pid(const void *a, const void *b)
{
	return (*(const pid_t *)a > *(const pid_t *)b) - (*(const pid_t *)a < *(const pid_t *)b);
}

int scope_pids(const struct scope *s, pid_t **out, size_t *n)
{
	struct pids p = { 0 };
	int err = s->group ? of_group(s->group, &p) : of_machine(&p);

	if (err) {
		free(p.pid);
		return err;
	}
	qsort(p.pid, p.n, sizeof(*p.pid), by_pid);
	*out = p.pid;
	*n = p.n;
	return 0;
}

bool scope_may(const struct scope *s, pid_t pid, struct scope_process *out)
{
	char path[64], text[1024];
	struct proc_stat is;
	struct stat st;
	const char *open, *close;
	size_t n;
	int policy;
	FILE *in;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	in = fopen(path, "re");
	if (!in)
		return false;
	n = fread(text, 1, sizeof(text) - 1, in);
	text[n] = '\0';
	if (fstat(fileno(in), &st))
		st.st_uid = s->uid + 1;
	fclose(in);
	open = strchr(text, '(');
	close = strrchr(text, ')');
	if (!open || !close || proc_read_stat(text, &is))
		return false;
	policy = sched_getscheduler(pid) & ~SCHED_RESET_ON_FORK;
	*out = (struct scope_process){ .pid = pid, .start = is.start };
	n = (size_t)(close - open - 1);
	memcpy(out->comm, open + 1, n < sizeof(out->comm) ? n : sizeof(out->comm) - 1);
	if (pid == 1 || pid == getpid() || is.ppid == getpid() || (is.flags & PF_KTHREAD))
		return false;
	return policy != SCHED_FIFO && policy != SCHED_RR && policy != SCHED_DEADLINE && (!s->by_user || st.st_uid == s->uid);
}

bool scope_has(const struct scope *s, pid_t pid)
{
	struct scope_process one;
	bool in = !s->group;
	pid_t *listed;
	size_t n;

	if (!in && !scope_pids(s, &listed, &n)) {
		in = bsearch(&pid, listed, n, sizeof(pid), by_pid);
		free(listed);
	}
	return in && scope_may(s, pid, &one);
}

int scope_list(const struct scope *s, struct scope_process **out, size_t *n)
{
	pid_t *pid;
	size_t pids;
	int err = scope_pids(s, &pid, &pids);

	if (err)
		return err;
	*out = reallocarray(NULL, pids + 1, sizeof(**out));
	*n = 0;
	for (size_t i = 0; *out && i < pids; i++)
		*n += scope_may(s, pid[i], &(*out)[*n]);
	free(pid);
	return *out ? 0 : -ENOMEM;
}
