// SPDX-License-Identifier: GPL-3.0-or-later
#include "who.h"
#include "clock.h"
#include "files.h"
#include "memory.h"
#include "proc.h"
#include "text.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>

/* CPU time of a process since the look before, in which it may not have been. */
static int64_t ticks_since(const struct who_scene *was, size_t *at, const struct who_process *p)
{
	while (*at < was->n && was->process[*at].pid < p->pid)
		++*at;
	if (*at < was->n && was->process[*at].pid == p->pid && was->process[*at].start == p->start)
		return p->ticks - was->process[*at].ticks;
	return p->ticks;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct who_process *)a)->name, ((const struct who_process *)b)->name);
}

void who_compare(const struct who_scene *was, const struct who_scene *now, pid_t own, long ticks_per_s, char *text, size_t size)
{
	struct who_process *had = memory_new(now->n, sizeof(*had));
	double length = (double)(now->at_ns - was->at_ns) / NS_PER_S * (double)ticks_per_s;
	int64_t most = 0, ended = now->busy - was->busy, sum = 0;
	const char *name = "";
	size_t at = 0;

	for (size_t i = 0; i < now->n; i++) {
		had[i] = now->process[i];
		had[i].ticks = ticks_since(was, &at, &now->process[i]);
		ended -= had[i].ticks;
		if (had[i].pid == own)
			had[i].ticks = 0;
	}
	qsort(had, now->n, sizeof(*had), by_name);
	for (size_t i = 0; i < now->n; i++) {
		sum = (i && !by_name(&had[i], &had[i - 1]) ? sum : 0) + had[i].ticks;
		if (sum > most) {
			most = sum;
			name = had[i].name;
		}
	}
	if (now->busy < 0 || was->busy < 0)
		ended = 0;
	if ((double)(most > ended ? most : ended) < WHO_LEAST * length)
		snprintf(text, size, "no program");
	else if (ended > most)
		snprintf(text, size, "programs that have ended or are not shown, %.0f %%", 100 * (double)ended / length);
	else
		snprintf(text, size, "%s %.0f %%", name, 100 * (double)most / length);
	text_make_printable(text);
	free(had);
}

static int by_pid(const void *a, const void *b)
{
	pid_t x = ((const struct who_process *)a)->pid, y = ((const struct who_process *)b)->pid;

	return (x > y) - (x < y);
}

static struct who_scene look(int64_t now_ns)
{
	struct who_scene out = { .at_ns = now_ns, .busy = -1 };
	int64_t user, nice, system;
	char line[256] = "";
	pid_t *pid = NULL;
	size_t pids = 0;

	files_read_line("/proc/stat", line, sizeof(line));
	if (sscanf(line, "cpu %" SCNd64 " %" SCNd64 " %" SCNd64, &user, &nice, &system) == 3)
		out.busy = user + nice + system;
	files_list_numeric_names("/proc", &pid, &pids);
	out.process = memory_new(pids, sizeof(*out.process));
	for (size_t i = 0; i < pids; i++) {
		struct proc_stat stat;

		if (proc_read_stat(pid[i], &stat))
			continue;
		out.process[out.n] = (struct who_process){ .pid = pid[i], .start = stat.start, .ticks = stat.user + stat.system };
		memcpy(out.process[out.n++].name, stat.comm, sizeof(stat.comm));
	}
	free(pid);
	qsort(out.process, out.n, sizeof(*out.process), by_pid);
	return out;
}

const char *who_look(struct who *w, int64_t now_ns)
{
	struct who_scene now;

	if (w->was.n && now_ns - w->was.at_ns < WHO_SHORTEST_NS)
		return w->text;
	now = look(now_ns);
	if (w->was.n)
		who_compare(&w->was, &now, getpid(), sysconf(_SC_CLK_TCK), w->text, sizeof(w->text));
	free(w->was.process);
	w->was = now;
	return w->text;
}

void who_free(struct who *w)
{
	free(w->was.process);
	*w = (struct who){ 0 };
}
