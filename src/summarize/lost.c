// SPDX-License-Identifier: GPL-3.0-or-later
#include "lost.h"
#include "room.h"

#include "rows_in.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const lost_class_names[LOST_CLASSES] = { "own", "kernel", "foreign", "itself", "ended", "unexplained" };

struct lost_process {
	int64_t pid;
	enum lost_class class;
	char process[16];	/* of which it is a thread; empty: not known */
};

enum { E_CPU, E_START, E_LOST, E_SPAN, E_KIND };
static const char *const event_columns[] = { "cpu", "start_ns", "lost_ns", "span_ns", "kind", NULL };

static int event_row(void *context, char *const *cell)
{
	struct lost *l = context;
	struct lost_event *e;
	int64_t v[E_KIND];

	for (int c = 0; c < E_KIND; c++)
		if (!rows_in_count(cell[c], &v[c]) || v[c] == ROWS_IN_NONE)
			return -EPROTO;
	if (!l->rows++ || v[E_START] < l->first_ns)
		l->first_ns = v[E_START];
	if (!strcmp(cell[E_KIND], "tick")) {
		l->tick_ns += v[E_LOST];
		return 0;
	}
	if (strcmp(cell[E_KIND], "event"))
		return -EPROTO;
	e = room_for(l->event, l->events, sizeof(*e));
	if (!e)
		return -ENOMEM;
	l->event = e;
	e[l->events++] = (struct lost_event){ v[E_CPU], v[E_START], v[E_START] + (v[E_SPAN] > v[E_LOST] ? v[E_SPAN] : v[E_LOST]),
					      v[E_LOST], 0 };
	return 0;
}

int lost_read_events(FILE *in, void *l, unsigned long *line)
{
	return rows_in_read(in, "lost/1", event_columns, E_KIND + 1, event_row, l, line);
}

static int by_pid(const void *a, const void *b)
{
	int64_t x = ((const struct lost_process *)a)->pid, y = ((const struct lost_process *)b)->pid;

	return (x > y) - (x < y);
}

enum { P_PID, P_CLASS, P_PROCESS };
static const char *const process_columns[] = { "pid", "class", "process", NULL };

static int process_row(void *context, char *const *cell)
{
	struct lost *l = context;
	struct lost_process *p = room_for(l->process, l->processes, sizeof(*p));
	int64_t pid;

	if (!p)
		return -ENOMEM;
	l->process = p;
	if (!rows_in_count(cell[P_PID], &pid) || pid == ROWS_IN_NONE)
		return -EPROTO;
	for (int c = 0; c < LOST_CLASSES; c++) {
		if (strcmp(cell[P_CLASS], lost_class_names[c]))
			continue;
		p += l->processes++;
		*p = (struct lost_process){ .pid = pid, .class = (enum lost_class)c };
		snprintf(p->process, sizeof(p->process), "%s", cell[P_PROCESS] ? cell[P_PROCESS] : "");
		return 0;
	}
	return -EPROTO;
}

int lost_read_processes(FILE *in, void *l, unsigned long *line)
{
	struct lost *all = l;
	int err = rows_in_read(in, "process/1", process_columns, P_CLASS + 1, process_row, l, line);

	if (all->processes)
		qsort(all->process, all->processes, sizeof(*all->process), by_pid);
	return err;
}

static const struct lost_process *process_of(const struct lost *l, const char *kind, int64_t pid)
{
	const struct lost_process key = { .pid = pid };

	return l->processes && !strcmp(kind, "task") ? bsearch(&key, l->process, l->processes, sizeof(key), by_pid) : NULL;
}

/* Who is no task is the kernel, but for what has no record. (The profiler leaves itself out.) */
static enum lost_class class_of(const struct lost_process *p, const char *kind)
{
	if (!strcmp(kind, "unexplained"))
		return LOST_UNEXPLAINED;
	if (strcmp(kind, "task"))
		return LOST_KERNEL;
	return p ? p->class : LOST_ENDED;
}

static int name_place(struct lost *l, const char *name, const char *kind, size_t *place)
{
	struct lost_name *n;

	for (*place = 0; *place < l->names; ++*place)
		if (!strncmp(l->name[*place].name, name, sizeof(n->name) - 1) && !strcmp(l->name[*place].kind, kind))
			return 0;
	n = room_for(l->name, l->names, sizeof(*n));
	if (!n)
		return -ENOMEM;
	l->name = n;
	n += l->names++;
	snprintf(n->name, sizeof(n->name), "%s", name);
	snprintf(n->kind, sizeof(n->kind), "%s", kind);
	return 0;
}

enum { C_CPU, C_START, C_END, C_NS, C_PID, C_CULPRIT, C_KIND };
static const char *const culprit_columns[] = { "cpu", "start_ns", "end_ns", "ns", "pid", "culprit", "kind", NULL };

static int culprit_row(void *context, char *const *cell)
{
	struct lost *l = context;
	const struct lost_process *p;
	struct lost_share *s;
	int64_t v[C_CULPRIT];
	char thread[sizeof(l->name->name)];
	size_t name = 0;

	for (int c = 0; c < C_CULPRIT; c++)
		if (!rows_in_count(cell[c], &v[c]) || (v[c] == ROWS_IN_NONE && c != C_PID))
			return -EPROTO;
	if (v[C_END] < v[C_START] || strlen(cell[C_KIND]) >= sizeof(l->name->kind))
		return -EPROTO;
	p = process_of(l, cell[C_KIND], v[C_PID]);
	snprintf(thread, sizeof(thread), "%.*s", (int)sizeof(thread) - 1, cell[C_CULPRIT]);
	if (p && *p->process && strcmp(p->process, cell[C_CULPRIT]))
		snprintf(thread, sizeof(thread), "%.16s (%s)", cell[C_CULPRIT], p->process);
	if (name_place(l, thread, cell[C_KIND], &name))
		return -ENOMEM;
	s = room_for(l->share, l->shares, sizeof(*s));
	if (!s)
		return -ENOMEM;
	l->share = s;
	s[l->shares++] = (struct lost_share){ v[C_CPU], v[C_START], v[C_END], v[C_NS], class_of(p, cell[C_KIND]), name };
	return 0;
}

int lost_read_culprits(FILE *in, void *l, unsigned long *line)
{
	((struct lost *)l)->named = true;
	return rows_in_read(in, "culprit/1", culprit_columns, C_KIND + 1, culprit_row, l, line);
}

void lost_free(struct lost *l)
{
	free(l->event);
	free(l->share);
	free(l->name);
	free(l->process);
	*l = (struct lost){ 0 };
}

static int by_place(const void *a, const void *b)
{
	const struct lost_event *x = a, *y = b;

	if (x->cpu != y->cpu)
		return (x->cpu > y->cpu) - (x->cpu < y->cpu);
	return (x->start > y->start) - (x->start < y->start);
}

/* The first event of that CPU that ends after `t`; events of a CPU do not overlap. */
static size_t first_after(const struct lost *l, int64_t cpu, int64_t t)
{
	size_t low = 0, high = l->events;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct lost_event *e = &l->event[middle];

		if (e->cpu < cpu || (e->cpu == cpu && e->end <= t))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

bool lost_of_system(enum lost_class class)
{
	return class == LOST_OWN || class == LOST_KERNEL;
}

void lost_join(struct lost *l)
{
	if (l->events)
		qsort(l->event, l->events, sizeof(*l->event), by_place);
	for (size_t e = 0; e < l->events; e++)
		l->event[e].system = l->named ? 0 : (double)l->event[e].length;
	for (size_t i = 0; i < l->shares; i++) {
		const struct lost_share *s = &l->share[i];
		size_t from = first_after(l, s->cpu, s->start), to = from;
		double sum = 0;

		if (!lost_of_system(s->class))
			continue;
		for (; to < l->events && l->event[to].cpu == s->cpu && l->event[to].start < s->end; to++)
			sum += (double)l->event[to].length;
		for (size_t e = from; e < to && sum > 0; e++)
			l->event[e].system += (double)s->ns * (double)l->event[e].length / sum;
	}
}

double lost_of(const struct lost *l, enum lost_class class)
{
	double sum = 0;

	if (!l->named)
		return NAN;
	for (size_t i = 0; i < l->shares; i++)
		if (l->share[i].class == class)
			sum += (double)l->share[i].ns;
	return sum;
}

static double length_of(const struct lost_event *e, bool system)
{
	return system ? e->system : (double)e->length;
}

double lost_all(const struct lost *l, bool system)
{
	return lost_beyond(l, 0, system);
}

double lost_beyond(const struct lost *l, double x_ns, bool system)
{
	double sum = 0;

	for (size_t e = 0; e < l->events; e++)
		sum += fmax(0, length_of(&l->event[e], system) - x_ns);
	return sum;
}

void lost_bins(const struct lost *l, int64_t start, int64_t width, double *bin, size_t bins, bool system)
{
	for (size_t e = 0; e < l->events; e++) {
		const struct lost_event *v = &l->event[e];
		double from = (double)(v->start - start) / (double)width, to = (double)(v->end - start) / (double)width;

		/* (one without a length has nothing to spread, and no time to spread it over) */
		for (size_t b = from > 0 ? (size_t)from : 0; to > fmax(from, 0) && b < bins && (double)b < to; b++) {
			double part = fmin(to, (double)b + 1) - fmax(from, (double)b);

			bin[b] += length_of(v, system) * part / (to - from);
		}
	}
}
