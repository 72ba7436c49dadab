// SPDX-License-Identifier: GPL-3.0-or-later
#include "tree.h"
#include "clock.h"
#include "files.h"
#include "proc.h"
#include "smaps.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void add_faults(struct tree_sums *c, const struct proc_stat *s, bool own)
{
	int64_t tick = NS_PER_S / sysconf(_SC_CLK_TCK);

	c->minor_faults += s->minor_waited + (own ? s->minor : 0);
	c->major_faults += s->major_waited + (own ? s->major : 0);
	c->cpu_ns += (s->user_waited + s->system_waited + (own ? s->user + s->system : 0)) * tick;
}

/* Appends the children of all threads of a process to the list. */
static void append_children(struct tree *t, pid_t pid)
{
	char path[64];
	pid_t *thread = NULL, *child = NULL;
	size_t threads = 0, children = 0;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	files_list_numeric_names(path, &thread, &threads);
	for (size_t i = 0; i < threads; i++) {
		snprintf(path, sizeof(path), "/proc/%d/task/%d/children", (int)pid, (int)thread[i]);
		files_list_numbers(path, &child, &children);
	}
	for (size_t i = 0; i < children && t->n < TREE_MAX; i++)
		t->pid[t->n++] = child[i];
	free(thread);
	free(child);
}

void tree_list_processes(struct tree *t, pid_t root, struct tree_sums *counts)
{
	struct proc_stat s;
	int kept = 0;

	t->n = 0;
	*counts = (struct tree_sums){ 0 };
	/* `root` is not part of the tree, but the children that it has waited for are */
	if (!proc_read_stat(root, &s))
		add_faults(counts, &s, false);
	append_children(t, root);
	for (int i = 0; i < t->n; i++) {
		if (proc_read_stat(t->pid[i], &s))
			continue;
		add_faults(counts, &s, true);
		counts->blocked = counts->blocked || s.state == 'D';
		append_children(t, t->pid[i]);
		if (s.state == 'Z' || s.state == 'X')
			continue;
		t->pid[kept] = t->pid[i];
		t->threads[kept++] = (int)s.threads;
	}
	t->n = kept;
}

bool tree_has_process(pid_t root, pid_t pid)
{
	struct proc_stat s;

	for (int depth = 0; pid > 1 && depth < 1000; depth++) {
		if (pid == root)
			return true;
		if (proc_read_stat(pid, &s))
			return false;
		pid = s.ppid;
	}
	return pid == root;
}

void tree_signal(const struct tree *t, int signal)
{
	for (int i = 0; i < t->n; i++)
		kill(t->pid[i], signal);
}

/* Adds the memory of a process; nothing if it has ended. False: not allowed. */
static bool add_memory(struct tree_memory *m, pid_t pid)
{
	struct smaps_sum sum;
	char path[64];
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/smaps_rollup", (int)pid);
	f = fopen(path, "re");
	if (!f)
		return errno == ENOENT || errno == ESRCH;
	if (!smaps_parse(f, &sum, NULL, NULL)) {
		m->resident_bytes += sum.all.rss;
		m->proportional_bytes += sum.all.pss;
		m->private_bytes += sum.all.private_dirty + sum.all.swap;
		m->swapped_bytes += sum.all.swap;
	}
	fclose(f);
	return true;
}

void tree_read_memory(const struct tree *t, struct tree_memory *out)
{
	bool all = t->n > 0; /* of no process nothing is known */

	*out = (struct tree_memory){ 0 };
	for (int i = 0; i < t->n; i++)
		all = add_memory(out, t->pid[i]) && all;
	if (!all)
		*out = (struct tree_memory){ -1, -1, -1, -1 };
}
