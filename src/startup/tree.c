// SPDX-License-Identifier: GPL-3.0-or-later
#include "tree.h"
#include "clock.h"
#include "proc.h"

#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool read_stat(pid_t pid, struct proc_stat *s)
{
	char path[64], text[1024];
	FILE *f;
	size_t n;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	f = fopen(path, "re");
	if (!f)
		return false;
	n = fread(text, 1, sizeof(text) - 1, f);
	fclose(f);
	text[n] = '\0';
	return !proc_read_stat(text, s);
}

static void add_process_counts(struct tree_counts *c, const struct proc_stat *s, bool own)
{
	int64_t tick = NS_PER_S / sysconf(_SC_CLK_TCK);

	c->minor_faults += s->minor_waited + (own ? s->minor : 0);
	c->major_faults += s->major_waited + (own ? s->major : 0);
	c->cpu_ns += (s->user_waited + s->system_waited + (own ? s->user + s->system : 0)) * tick;
}

/* The children of each thread of it are put at the end of the list. */
static void list_children(struct tree *t, pid_t pid)
{
	char path[64];
	struct dirent *e;
	DIR *threads;
	FILE *f;
	int child;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	threads = opendir(path);
	if (!threads)
		return;
	while ((e = readdir(threads))) {
		if (e->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), "/proc/%d/task/%.20s/children", (int)pid, e->d_name);
		f = fopen(path, "re");
		if (!f)
			continue;
		while (t->n < TREE_MAX && fscanf(f, "%d", &child) == 1)
			t->pid[t->n++] = child;
		fclose(f);
	}
	closedir(threads);
}

void tree_look(struct tree *t, pid_t root, struct tree_counts *counts)
{
	struct proc_stat s;
	int kept = 0;

	t->n = 0;
	*counts = (struct tree_counts){ 0 };
	/* what it has waited for has ended: theirs are among its own figures */
	if (read_stat(root, &s))
		add_process_counts(counts, &s, false);
	list_children(t, root);
	for (int i = 0; i < t->n; i++) {
		if (!read_stat(t->pid[i], &s))
			continue;
		add_process_counts(counts, &s, true);
		counts->blocked = counts->blocked || s.state == 'D';
		list_children(t, t->pid[i]);
		if (s.state == 'Z' || s.state == 'X')
			continue;
		t->pid[kept] = t->pid[i];
		t->threads[kept] = (int)s.threads;
		t->began[kept++] = (int64_t)s.start;
	}
	t->n = kept;
}

bool tree_holds(pid_t root, pid_t pid)
{
	struct proc_stat s;

	for (int depth = 0; pid > 1 && depth < 1000; depth++) {
		if (pid == root)
			return true;
		if (!read_stat(pid, &s))
			return false;
		pid = s.ppid;
	}
	return pid == root;
}

void tree_kill(const struct tree *t, int signal)
{
	for (int i = 0; i < t->n; i++)
		kill(t->pid[i], signal);
}
