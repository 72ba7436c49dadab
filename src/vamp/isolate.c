// SPDX-License-Identifier: GPL-3.0-or-later
/* isolate - the background on CPUs of its own while an episode lasts (section 3.3 of Kim et al. 2014).
 *
 * By sched_setaffinity of each thread, not by cpusets: moving a process into a cgroup waits for a grace period of the kernel's RCU
 * (milliseconds), setting an affinity does not, and no controller must be delegated. New threads and processes inherit it. */
#include "clock.h"
#include "favour.h"
#include "files.h"
#include "isolate_inside.h"
#include "scope.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define FULL_PERCENT 95
#define GROW_EVERY NS_PER_S

struct isolate {
	struct favour favour;
	const struct scope *scope;
	struct undo *undo;
	cpu_set_t all;
	int cpus, first;		/* how many there are; of the foreground when an episode begins */
	struct isolate_irqs irqs;
	struct tag *tag;		/* owned; of the episode */
	size_t tags, mark, steered;
	int foreground;			/* CPUs; 0: no episode */
	int64_t looked_ns, busy, ticks;
};

void isolate_read_busy(FILE *stat, const cpu_set_t *cpus, int64_t *busy, int64_t *all)
{
	char line[512];

	*busy = *all = 0;
	while (stat && fgets(line, sizeof(line), stat)) {
		int64_t user, nice, system, idle, iowait, irq, softirq, steal;
		int cpu;

		if (sscanf(line, "cpu%d %" SCNd64 " %" SCNd64 " %" SCNd64 " %" SCNd64 " %" SCNd64 " %" SCNd64 " %" SCNd64 " %" SCNd64,
			   &cpu, &user, &nice, &system, &idle, &iowait, &irq, &softirq, &steal) != 9 ||
		    cpu < 0 || cpu >= CPU_SETSIZE || !CPU_ISSET((size_t)cpu, cpus))
			continue;
		*busy += user + nice + system + irq + softirq + steal;
		*all += user + nice + system + irq + softirq + steal + idle + iowait;
	}
}

/* The first n CPUs. */
static cpu_set_t first_cpus(const struct isolate *s, int n)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	for (size_t cpu = 0; n > 0 && cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, &s->all)) {
			CPU_SET(cpu, &set);
			n--;
		}
	return set;
}

static void look_at_cpus(struct isolate *s, int64_t now_ns)
{
	cpu_set_t set = first_cpus(s, s->foreground);
	FILE *f = fopen("/proc/stat", "re");

	isolate_read_busy(f, &set, &s->busy, &s->ticks);
	if (f)
		fclose(f);
	s->looked_ns = now_ns;
}

/* Within what it was allowed itself; a thread that was allowed none of `to` stays. */
static int place_thread(struct isolate *s, pid_t tid, const cpu_set_t *to, bool *changed)
{
	cpu_set_t is, was, set;

	if (undo_affinity_was(s->undo, tid, &was) || sched_getaffinity(tid, sizeof(is), &is))
		return -ESRCH;
	CPU_AND(&set, &was, to);
	if (!CPU_COUNT(&set) || CPU_EQUAL(&set, &is))
		return 0;
	*changed = true;
	return undo_affinity(s->undo, tid, 0, &set);
}

/* Its threads, and once more those that were born meanwhile. */
static int place_process(struct isolate *s, pid_t pid, const cpu_set_t *to)
{
	bool changed = true;
	char folder[40];

	snprintf(folder, sizeof(folder), "/proc/%d/task", (int)pid);
	for (int pass = 0; changed && pass < 3; pass++) {
		pid_t *tid;
		size_t n;

		changed = false;
		if (files_numbered(folder, &tid, &n))
			return 0;	/* it has ended */
		for (size_t i = 0; i < n; i++)
			if (place_thread(s, tid[i], to, &changed) == -ENOSPC) {
				free(tid);
				return -ENOSPC;
			}
		free(tid);
	}
	return 0;
}

static bool is_tagged(const struct isolate *s, const struct scope_process *p)
{
	for (size_t i = 0; i < s->tags; i++)
		if (s->tag[i].pid == p->pid && s->tag[i].start == p->start)
			return true;
	return false;
}

static int place_all(struct isolate *s)
{
	cpu_set_t foreground = first_cpus(s, s->foreground), background;
	struct scope_process *process;
	size_t n;
	int err = scope_list(s->scope, &process, &n);

	CPU_XOR(&background, &s->all, &foreground);
	if (err)
		return err;
	/* the background first: when the others come to their CPUs, these are free */
	for (int turn = 0; turn < 2; turn++)
		for (size_t i = 0; !err && i < n; i++)
			if (is_tagged(s, &process[i]) == !turn)
				err = place_process(s, process[i].pid, turn ? &foreground : &background);
	free(process);
	return err;
}

static int isolate_end(struct favour *f)
{
	struct isolate *s = (struct isolate *)f;

	if (!s->foreground)
		return 0;
	s->foreground = 0;
	free(s->tag);
	s->tag = NULL;
	s->tags = 0;
	return undo_back(s->undo, s->mark) ? -EIO : 0;
}

static int isolate_begin(struct favour *f, const struct tag *tag, size_t n)
{
	struct isolate *s = (struct isolate *)f;
	cpu_set_t foreground;
	int err;

	isolate_end(f);
	s->tag = malloc((n ? n : 1) * sizeof(*tag));
	if (!s->tag)
		return -ENOMEM;
	for (s->tags = 0; s->tags < n; s->tags++)
		s->tag[s->tags] = tag[s->tags];
	s->mark = undo_mark(s->undo);
	s->foreground = s->first;
	err = place_all(s);
	if (err) {
		isolate_end(f);
		return err;
	}
	foreground = first_cpus(s, s->first);
	s->steered = isolate_irq_steer(&s->irqs, "", &foreground, s->undo);
	look_at_cpus(s, clock_now());
	return 0;
}

static int isolate_tick(struct favour *f, int64_t now_ns)
{
	struct isolate *s = (struct isolate *)f;
	int64_t busy = s->busy, ticks = s->ticks;

	if (!s->foreground || now_ns - s->looked_ns < GROW_EVERY)
		return 0;
	look_at_cpus(s, now_ns);
	if (s->foreground >= s->cpus - 1 || (s->busy - busy) * 100 <= (s->ticks - ticks) * FULL_PERCENT)
		return 0;
	s->foreground++;
	look_at_cpus(s, now_ns);	/* from now on one more */
	return place_all(s);
}

static void isolate_close(struct favour *f)
{
	struct isolate *s = (struct isolate *)f;

	isolate_end(f);
	free(s->irqs.irq);
	free(s);
}

static void isolate_tell(const struct favour *f, char *text, size_t size)
{
	const struct isolate *s = (const struct isolate *)f;

	if (s->foreground)
		snprintf(text, size, "background on %d of %d CPUs: %zu processes; %zu of %zu interrupts of devices to the others",
			 s->cpus - s->foreground, s->cpus, s->tags, s->steered, s->irqs.n);
	else
		snprintf(text, size, "background on %d of %d CPUs: no episode", s->cpus - s->first, s->cpus);
}

static const struct favour_ops isolate_ops = { "isolate", isolate_begin, isolate_tick, isolate_end, isolate_close, isolate_tell };

int isolate_open(struct favour **out, const struct scope *scope, bool audio, bool interrupts, struct undo *undo,
		 char *why, size_t size)
{
	struct isolate *s = calloc(1, sizeof(*s));
	int err = s ? 0 : -ENOMEM;

	if (!err && sched_getaffinity(0, sizeof(s->all), &s->all))
		err = -errno;
	if (!err && CPU_COUNT(&s->all) < 2)
		err = -ENOTSUP;
	if (!err && interrupts)
		err = isolate_irq_find(&s->irqs, "");
	if (err) {
		if (err == -ENOTSUP)
			snprintf(why, size, "isolation needs two CPUs, and this process may use one: leave --isolate out");
		else
			snprintf(why, size, "cannot isolate: %s", strerror(-err));
		free(s);
		return err;
	}
	s->favour.ops = &isolate_ops;
	s->scope = scope;
	s->undo = undo;
	s->cpus = CPU_COUNT(&s->all);
	s->first = audio && s->cpus > 2 ? 2 : 1;
	*out = &s->favour;
	return 0;
}
