// SPDX-License-Identifier: GPL-3.0-or-later
#include "agent_load.h"
#include "clock.h"
#include "cpu_ticks.h"
#include "files.h"
#include "proc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define THREADS 1024	/* that are followed; more count as idle */

struct agent_thread {
	pid_t tid;
	int64_t run_ns;
};

struct agent_load {
	struct agent_thread seen[2][THREADS];	/* at the last look, and at this one */
	size_t n[2];
	int now;
	int64_t taken_ns;
	struct cpu_ticks ticks[AGENT_CPUS];
	size_t tags;
	struct tag tag[];
};

int64_t agent_load_step(void)
{
	return NS_PER_S / sysconf(_SC_CLK_TCK);
}

/* Threads come in the same order each time, so the next one is mostly the right one. -1: the thread is new. */
static int64_t agent_run_before(const struct agent_load *l, pid_t tid, size_t *hint)
{
	const struct agent_thread *old = l->seen[!l->now];
	size_t n = l->n[!l->now];

	for (size_t i = 0; i < n; i++) {
		size_t k = (*hint + i) % n;

		if (old[k].tid == tid) {
			*hint = k + 1;
			return old[k].run_ns;
		}
	}
	return -1;
}

static void agent_look_at_thread(struct agent_load *l, pid_t pid, pid_t tid, int64_t interval_ns, size_t *hint,
				 struct agent_load_cpu cpu[AGENT_CPUS])
{
	int64_t before, ran;
	struct proc_schedstat time;
	struct proc_stat stat;
	char path[80], text[1024];

	if (l->n[l->now] == THREADS || proc_schedstat(tid, &time))
		return;
	l->seen[l->now][l->n[l->now]++] = (struct agent_thread){ tid, time.run_ns };
	before = agent_run_before(l, tid, hint);
	ran = time.run_ns - (before < 0 ? 0 : before);
	if (before < 0 && ran > interval_ns)
		ran = interval_ns;	/* it may be older: there are more than we follow */
	if (ran <= 0 || !interval_ns)
		return;
	/* (/proc/TID/stat would add up all threads of the process) */
	snprintf(path, sizeof(path), "/proc/%d/task/%d/stat", (int)pid, (int)tid);
	if (!files_read_all(path, text, sizeof(text)) && !proc_read_stat(text, &stat) && stat.cpu >= 0 && stat.cpu < AGENT_CPUS)
		cpu[stat.cpu].background_ns += ran;
}

static void agent_look_at_process(struct agent_load *l, const struct tag *tag, int64_t interval_ns, size_t *hint,
				  struct agent_load_cpu cpu[AGENT_CPUS])
{
	struct proc_stat stat;
	pid_t *tid = NULL;
	char path[64];
	size_t n = 0;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)tag->pid);
	if (!proc_stat(tag->pid, &stat) && (!tag->start || stat.start == tag->start))
		files_numbered(path, &tid, &n);
	for (size_t i = 0; i < n; i++)
		agent_look_at_thread(l, tag->pid, tid[i], interval_ns, hint, cpu);
	free(tid);
}

static int agent_look_at_cpus(struct agent_load *l, struct agent_load_cpu cpu[AGENT_CPUS])
{
	struct cpu_ticks now[AGENT_CPUS];
	FILE *f = fopen("/proc/stat", "re");
	int n = cpu_ticks_read(f, now, AGENT_CPUS);
	int64_t step = agent_load_step();

	if (f)
		fclose(f);
	memset(cpu, 0, AGENT_CPUS * sizeof(*cpu));
	for (int i = 0; i < n; i++)
		if (now[i].all) {
			cpu[i] = (struct agent_load_cpu){ .online = true, .idle_ns = (now[i].idle - l->ticks[i].idle) * step,
							  .stolen_ns = (now[i].stolen - l->ticks[i].stolen) * step };
			l->ticks[i] = now[i];
		}
	return n;
}

int agent_load_take(struct agent_load *l, int64_t *interval_ns, struct agent_load_cpu cpu[AGENT_CPUS])
{
	int64_t now_ns = clock_now();
	size_t hint = 0;
	int cpus = agent_look_at_cpus(l, cpu);

	*interval_ns = l->taken_ns ? now_ns - l->taken_ns : 0;
	l->taken_ns = now_ns;
	l->now = !l->now;
	l->n[l->now] = 0;
	for (size_t i = 0; i < l->tags; i++)
		agent_look_at_process(l, &l->tag[i], *interval_ns, &hint, cpu);
	return cpus;
}

struct agent_load *agent_load_start(const struct tag *tag, size_t n)
{
	struct agent_load *l = calloc(1, sizeof(*l) + n * sizeof(*tag));
	struct agent_load_cpu cpu[AGENT_CPUS];
	int64_t none;

	if (!l)
		return NULL;
	l->tags = n;
	if (n)
		memcpy(l->tag, tag, n * sizeof(*tag));
	agent_load_take(l, &none, cpu);
	return l;
}
