// SPDX-License-Identifier: GPL-3.0-or-later
#include "lost.h"
#include "memory.h"

#include <errno.h>
#include <math.h>

const char *const lost_class_names[LOST_CLASSES] = { "own", "kernel", "foreign", "itself", "ended", "unexplained" };

struct lost_process {
	int64_t pid;
	enum lost_class class;
	char process[16]; /* name of the process whose thread this is; empty: not known */
};

enum { E_CPU, E_START, E_LOST, E_SPAN, E_KIND };

static int store_event(void *into, const struct input_cell *c)
{
	struct lost_profile *l = into;
	int64_t start = c[E_START].count, lost = c[E_LOST].count, span = c[E_SPAN].count;
	const struct lost_event e = { c[E_CPU].count, start, start + (span > lost ? span : lost), lost, 0, 0 };

	for (int i = 0; i < E_KIND; i++)
		if (c[i].count == ROWS_IN_NONE)
			return -EPROTO;
	if (!l->rows++ || start < l->first_ns)
		l->first_ns = start;
	if (!strcmp(c[E_KIND].text, "tick")) {
		memory_more(l->tick, l->ticks);
		l->tick[l->ticks++] = e;
		l->tick_ns += lost;
		return 0;
	}
	if (strcmp(c[E_KIND].text, "event"))
		return -EPROTO;
	memory_more(l->event, l->events);
	l->event[l->events++] = e;
	return 0;
}

const struct input_table lost_events = { "lost/1", "cpu start_ns lost_ns span_ns $kind", store_event, NULL };

static int compare_pids(const void *a, const void *b)
{
	int64_t x = ((const struct lost_process *)a)->pid, y = ((const struct lost_process *)b)->pid;

	return (x > y) - (x < y);
}

static int store_process(void *into, const struct input_cell *c)
{
	struct lost_profile *l = into;
	struct lost_process *p = memory_more(l->process, l->processes) + l->processes;

	*p = (struct lost_process){ .pid = c[0].count };
	while (p->class < LOST_CLASSES && strcmp(c[1].text, lost_class_names[p->class]) != 0)
		p->class ++;
	if (p->pid == ROWS_IN_NONE || p->class == LOST_CLASSES)
		return -EPROTO;
	snprintf(p->process, sizeof(p->process), "%s", c[2].text ? c[2].text : "");
	l->processes++;
	return 0;
}

const struct input_table lost_processes = { "process/1", "pid $class | $process", store_process, NULL };

/* NULL: the culprit is no task, or its pid is not listed. */
static const struct lost_process *find_culprit_process(const struct lost_profile *l, const char *kind, int64_t pid)
{
	const struct lost_process key = { .pid = pid };

	return l->processes && !strcmp(kind, "task") ? bsearch(&key, l->process, l->processes, sizeof(key), compare_pids) : NULL;
}

/* Returns the class of a culprit. Everything that is no task belongs to the kernel, except time without a record. (The profiler
 * leaves its own time out.) */
static enum lost_class classify_culprit(const struct lost_process *p, const char *kind)
{
	if (!strcmp(kind, "unexplained"))
		return LOST_UNEXPLAINED;
	if (strcmp(kind, "task"))
		return LOST_KERNEL;
	return p ? p->class : LOST_ENDED;
}

static size_t ensure_culprit_name(struct lost_profile *l, const char *name, const char *kind)
{
	struct lost_culprit_name *n;

	for (size_t i = 0; i < l->names; i++)
		if (!strncmp(l->name[i].name, name, sizeof(n->name) - 1) && !strcmp(l->name[i].kind, kind))
			return i;
	l->name = memory_grow(l->name, l->names, sizeof(*n));
	n = &l->name[l->names];
	snprintf(n->name, sizeof(n->name), "%s", name);
	snprintf(n->kind, sizeof(n->kind), "%s", kind);
	return l->names++;
}

enum { C_CPU, C_START, C_END, C_NS, C_PID, C_CULPRIT, C_KIND };

static int store_culprit(void *into, const struct input_cell *c)
{
	struct lost_profile *l = into;
	const char *culprit = c[C_CULPRIT].text, *kind = c[C_KIND].text;
	const struct lost_process *p;
	char thread[sizeof(l->name->name)];

	for (int i = 0; i < C_PID; i++)
		if (c[i].count == ROWS_IN_NONE)
			return -EPROTO;
	if (c[C_END].count < c[C_START].count || strlen(kind) >= sizeof(l->name->kind))
		return -EPROTO;
	if (!l->shares && l->processes)
		qsort(l->process, l->processes, sizeof(*l->process), compare_pids);
	p = find_culprit_process(l, kind, c[C_PID].count);
	snprintf(thread, sizeof(thread), "%.*s", (int)sizeof(thread) - 1, culprit);
	if (p && *p->process && strcmp(p->process, culprit))
		snprintf(thread, sizeof(thread), "%.16s (%s)", culprit, p->process);
	memory_more(l->share, l->shares);
	l->share[l->shares++] =
		(struct lost_culprit_share){ c[C_CPU].count, c[C_START].count,		c[C_END].count,
					     c[C_NS].count,  classify_culprit(p, kind), ensure_culprit_name(l, thread, kind) };
	return 0;
}

const struct input_table lost_culprits = { "culprit/1", "cpu start_ns end_ns ns pid $culprit $kind", store_culprit, NULL };

void lost_free(struct lost_profile *l)
{
	free(l->event);
	free(l->tick);
	free(l->share);
	free(l->name);
	free(l->process);
	*l = (struct lost_profile){ 0 };
}

static int compare_starts(const void *a, const void *b)
{
	const struct lost_event *x = a, *y = b;

	if (x->cpu != y->cpu)
		return (x->cpu > y->cpu) - (x->cpu < y->cpu);
	return (x->start > y->start) - (x->start < y->start);
}

/* Returns the index of the first event of a CPU that ends after `t`. */
static size_t find_event(const struct lost_profile *l, int64_t cpu, int64_t t)
{
	size_t low = 0, high = l->events;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct lost_event *e = &l->event[middle];

		if (e->cpu < cpu || (e->cpu == cpu && e->reach <= t))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

bool lost_class_is_under_test(enum lost_class class)
{
	return class == LOST_OWN || class == LOST_KERNEL;
}

void lost_compute_system_share(struct lost_profile *l)
{
	if (l->events)
		qsort(l->event, l->events, sizeof(*l->event), compare_starts);
	for (size_t e = 0; e < l->events; e++) {
		struct lost_event *v = &l->event[e];

		v->system = l->named ? 0 : (double)v->length;
		v->reach = e && v[-1].cpu == v->cpu && v[-1].reach > v->end ? v[-1].reach : v->end;
	}
	for (size_t i = 0; i < l->shares; i++) {
		const struct lost_culprit_share *s = &l->share[i];
		size_t from = find_event(l, s->cpu, s->start), to = from;
		double sum = 0;

		if (!lost_class_is_under_test(s->class))
			continue;
		for (; to < l->events && l->event[to].cpu == s->cpu && l->event[to].start < s->end; to++)
			sum += l->event[to].end > s->start ? (double)l->event[to].length : 0;
		for (size_t e = from; e < to && sum > 0; e++)
			if (l->event[e].end > s->start)
				l->event[e].system += (double)s->ns * (double)l->event[e].length / sum;
	}
}

double lost_class_ns(const struct lost_profile *l, enum lost_class class)
{
	double sum = 0;

	if (!l->named)
		return NAN;
	for (size_t i = 0; i < l->shares; i++)
		if (l->share[i].class == class)
			sum += (double)l->share[i].ns;
	return sum;
}

double lost_event_ns(const struct lost_event *e, bool system)
{
	return system ? e->system : (double)e->length;
}

double lost_sum_excess(const struct lost_profile *l, double x_ns, bool system)
{
	double sum = 0;

	for (size_t e = 0; e < l->events; e++)
		sum += fmax(0, lost_event_ns(&l->event[e], system) - x_ns);
	return sum;
}

void lost_fill_bins(const struct lost_event *event, size_t n, int64_t start, int64_t width, double *bin, size_t bins, bool system)
{
	for (const struct lost_event *v = event; v < event + n; v++) {
		double from = (double)(v->start - start) / (double)width, to = (double)(v->end - start) / (double)width;

		/* (an event of length 0 has nothing to spread) */
		for (size_t b = from > 0 ? (size_t)from : 0; to > fmax(from, 0) && b < bins && (double)b < to; b++) {
			double part = fmin(to, (double)b + 1) - fmax(from, (double)b);

			bin[b] += lost_event_ns(v, system) * part / (to - from);
		}
	}
}
