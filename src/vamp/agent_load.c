// SPDX-License-Identifier: GPL-3.0-or-later
#include "agent_load.h"
#include "clock.h"

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
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
	int64_t idle_ns[AGENT_CPUS], stolen_ns[AGENT_CPUS];
	size_t tags;
	struct tag tag[];
};

int64_t agent_load_step(void)
{
	return NS_PER_S / sysconf(_SC_CLK_TCK);
}

static bool agent_read_file(const char *path, char *text, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, text, size - 1);

	if (fd >= 0)
		close(fd);
	text[n > 0 ? n : 0] = '\0';
	return n > 0;
}

/* Field `nth` (from 3) of /proc/PID/stat, which follow the name in brackets; -1: not there. */
static int64_t agent_stat_field(const char *text, int nth)
{
	const char *at = strrchr(text, ')');

	for (int i = 2; at && i < nth; i++)
		at = strchr(at + 1, ' ');
	return at ? strtoll(at + 1, NULL, 10) : -1;
}

/* Threads come in the same order each time, so the one that is looked for is mostly the next. -1: it is new. */
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
	struct agent_thread *seen = &l->seen[l->now][l->n[l->now]];
	char path[80], text[512];
	int64_t on, ran, before;

	if (l->n[l->now] == THREADS)
		return;
	snprintf(path, sizeof(path), "/proc/%d/task/%d/schedstat", (int)pid, (int)tid);
	if (!agent_read_file(path, text, sizeof(text)))
		return;
	*seen = (struct agent_thread){ tid, strtoll(text, NULL, 10) };
	l->n[l->now]++;
	before = agent_run_before(l, tid, hint);
	ran = seen->run_ns - (before < 0 ? 0 : before);
	if (before < 0 && ran > interval_ns)
		ran = interval_ns;	/* it may be older: there are more than we follow */
	if (ran <= 0 || !interval_ns)
		return;
	path[strlen(path) - strlen("schedstat")] = '\0';
	strcat(path, "stat");
	on = agent_read_file(path, text, sizeof(text)) ? agent_stat_field(text, 39) : -1;
	if (on >= 0 && on < AGENT_CPUS)
		cpu[on].background_ns += ran;
}

/* Is it still the process that was tagged? */
static bool agent_is_tagged(const struct tag *tag)
{
	char path[64], text[512];

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)tag->pid);
	return agent_read_file(path, text, sizeof(text)) && (!tag->start || agent_stat_field(text, 22) == (int64_t)tag->start);
}

static void agent_look_at_process(struct agent_load *l, const struct tag *tag, int64_t interval_ns, size_t *hint,
				  struct agent_load_cpu cpu[AGENT_CPUS])
{
	const struct dirent *entry;
	char path[64];
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)tag->pid);
	if (!agent_is_tagged(tag) || !(dir = opendir(path)))
		return;
	while ((entry = readdir(dir)))
		if (entry->d_name[0] != '.')
			agent_look_at_thread(l, tag->pid, (pid_t)atoi(entry->d_name), interval_ns, hint, cpu);
	closedir(dir);
}

/* Lines "cpuN user nice system idle iowait irq softirq steal ..." */
static int agent_look_at_cpus(struct agent_load *l, struct agent_load_cpu cpu[AGENT_CPUS])
{
	FILE *f = fopen("/proc/stat", "re");
	int64_t idle, wait, stolen, step = agent_load_step();
	char line[512];
	int n = 0, i;

	while (f && fgets(line, sizeof(line), f)) {
		if (strncmp(line, "cpu", 3))
			break;
		if (line[3] == ' ')
			continue;	/* the sum */
		if (sscanf(line, "cpu%d %*d %*d %*d %" SCNd64 " %" SCNd64 " %*d %*d %" SCNd64, &i, &idle, &wait, &stolen) != 4)
			continue;
		if (i < 0 || i >= AGENT_CPUS)
			continue;
		cpu[i].online = true;
		cpu[i].idle_ns = (idle + wait) * step - l->idle_ns[i];
		cpu[i].stolen_ns = stolen * step - l->stolen_ns[i];
		l->idle_ns[i] += cpu[i].idle_ns;
		l->stolen_ns[i] += cpu[i].stolen_ns;
		n = i + 1 > n ? i + 1 : n;
	}
	if (f)
		fclose(f);
	return n;
}

int agent_load_take(struct agent_load *l, int64_t *interval_ns, struct agent_load_cpu cpu[AGENT_CPUS])
{
	int64_t now_ns = clock_now();
	size_t hint = 0;
	int cpus;

	*interval_ns = l->taken_ns ? now_ns - l->taken_ns : 0;
	l->taken_ns = now_ns;
	l->now = !l->now;
	l->n[l->now] = 0;
	memset(cpu, 0, AGENT_CPUS * sizeof(*cpu));
	cpus = agent_look_at_cpus(l, cpu);
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

void agent_load_free(struct agent_load *l)
{
	free(l);
}
