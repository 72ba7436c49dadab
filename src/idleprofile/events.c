// SPDX-License-Identifier: GPL-3.0-or-later
#include "events.h"
#include "memory.h"

#include <math.h>
#include <stdio.h>

#define US 1000LL
#define MS 1000000LL

const int64_t wait_bounds_ns[WAIT_BOUNDS] = { 5 * US, 10 * US, 20 * US, 50 * US, 100 * US, 200 * US, 500 * US, 1 * MS,	 2 * MS,
					      5 * MS, 10 * MS, 20 * MS, 50 * MS, 100 * MS, 200 * MS, 500 * MS, 1000 * MS };

int64_t lengths_edge_ns(int bin)
{
	return bin >= LENGTH_BINS - 1 ? INT64_MAX : llround(1000.0 * pow(10.0, bin / 10.0));
}

int lengths_find_bin(int64_t ns)
{
	int bin = ns <= 1000 ? 0 : (int)floor(10.0 * log10((double)ns / 1000.0));

	/* Near an edge the logarithm may be wrong: compare with the edge itself. */
	while (bin > 0 && ns <= lengths_edge_ns(bin - 1))
		bin--;
	while (bin < LENGTH_BINS - 1 && ns > lengths_edge_ns(bin))
		bin++;
	return bin;
}

void lengths_add(struct event_lengths *l, int64_t length_ns)
{
	int bin = lengths_find_bin(length_ns);

	l->bin_ns[bin] += length_ns;
	l->bin_events[bin]++;
	for (int i = 0; i < WAIT_BOUNDS && length_ns > wait_bounds_ns[i]; i++)
		l->beyond_ns[i] += length_ns - wait_bounds_ns[i];
}

double lengths_wait_bound(const struct event_lengths *l, int i, int64_t total_ns)
{
	return total_ns > 0 ? (double)l->beyond_ns[i] / (double)total_ns : NAN;
}

static bool matches_share(const struct event_culprit *c, const struct culprit_share *s)
{
	return c->kind == s->kind && c->pid == s->pid && (s->pid || !strcmp(c->name, s->name));
}

/* Frees a place: adds the culprit with the least time to the last one, which then stands for all dropped ones ("others"). */
static struct event_culprit *merge_least_culprit(struct event_culprits *e)
{
	struct event_culprit *others = &e->at[CULPRITS - 1], *least = e->at;

	for (size_t i = 1; i < CULPRITS - 1; i++)
		if (e->at[i].ns < least->ns)
			least = &e->at[i];
	others->pid = 0;
	snprintf(others->name, sizeof(others->name), "others");
	others->ns += least->ns;
	span_extend(&others->start_ns, &others->end_ns, least->start_ns, least->end_ns);
	return least;
}

void event_culprits_add(struct event_culprits *e, const struct culprit_share *share, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct culprit_share *s = &share[i];
		struct event_culprit *c = e->at;

		while (c < e->at + e->n && !matches_share(c, s))
			c++;
		if (c == e->at + e->n) {
			c = e->n < CULPRITS ? &e->at[e->n++] : merge_least_culprit(e);
			*c = (struct event_culprit){ s->kind, s->pid, "", s->start_ns, s->end_ns, 0 };
		}
		/* A thread keeps its latest name: it may have begun as a shell and be a compiler now. */
		snprintf(c->name, sizeof(c->name), "%s", s->name);
		c->ns += s->ns;
		span_extend(&c->start_ns, &c->end_ns, s->start_ns, s->end_ns);
	}
}

const struct event_culprit *event_culprits_largest(const struct event_culprits *e)
{
	const struct event_culprit *main = NULL;

	for (size_t i = 0; i < e->n; i++)
		if (!main || e->at[i].ns > main->ns)
			main = &e->at[i];
	return main;
}

struct culprit_table {
	size_t n, max;
	struct culprit_total line[];
};

struct culprit_table *culprit_table_new(size_t max)
{
	size_t lines = max + CULPRIT_UNEXPLAINED + 1; /* one more for the "others" of each kind */
	struct culprit_table *t = memory_new(1, sizeof(*t) + lines * sizeof(*t->line));

	t->max = max;
	return t;
}

void culprit_table_free(struct culprit_table *t)
{
	free(t);
}

static struct culprit_total *ensure_culprit_line(struct culprit_table *t, enum culprit_kind kind, const char *name)
{
	struct culprit_total *l;

	for (size_t i = 0; i < t->n; i++)
		if (t->line[i].kind == kind && !strcmp(t->line[i].name, name))
			return &t->line[i];
	if (t->n >= t->max && strcmp(name, "others"))
		return ensure_culprit_line(t, kind, "others");
	l = &t->line[t->n++];
	memset(l, 0, sizeof(*l));
	l->kind = kind;
	snprintf(l->name, sizeof(l->name), "%s", name);
	return l;
}

/* Several threads of one name count as one event for that name, with their time summed. */
void culprit_table_add(struct culprit_table *t, const struct event_culprits *e)
{
	for (size_t i = 0; i < e->n; i++) {
		struct culprit_total *l;
		int64_t ns = 0;
		size_t k = 0;

		while (k < i && (e->at[k].kind != e->at[i].kind || strcmp(e->at[k].name, e->at[i].name)))
			k++;
		if (k < i)
			continue; /* already counted with the first thread of that name */
		for (k = i; k < e->n; k++)
			if (e->at[k].kind == e->at[i].kind && !strcmp(e->at[k].name, e->at[i].name))
				ns += e->at[k].ns;
		l = ensure_culprit_line(t, e->at[i].kind, e->at[i].name);
		l->ns += ns;
		l->events++;
		if (ns > l->longest_ns)
			l->longest_ns = ns;
	}
}

static int compare_totals(const void *a, const void *b)
{
	const struct culprit_total *x = a, *y = b;

	return x->ns < y->ns ? 1 : x->ns > y->ns ? -1 : strcmp(x->name, y->name);
}

const struct culprit_total *culprit_table_sort(struct culprit_table *t, size_t *n)
{
	qsort(t->line, t->n, sizeof(*t->line), compare_totals);
	*n = t->n;
	return t->line;
}

static void emit_event(struct event_collector *e, struct lost_time_event *which)
{
	if (which->parts)
		e->each(e->arg, which);
	which->parts = 0;
}

static void begin_event(struct lost_time_event *v, const struct lost_time_gap *p)
{
	v->start_ns = p->start_ns;
	v->lost_ns = 0;
	v->parts = 0;
	v->tick = p->tick;
	v->who.n = 0;
}

static void extend_event(struct lost_time_event *v, const struct lost_time_gap *p)
{
	v->end_ns = p->end_ns;
	v->lost_ns += p->lost_ns;
	v->parts++;
	v->wants = false;
	for (size_t i = 0; i < p->shares; i++)
		v->wants |= p->share[i].wants;
	if (p->shares)
		event_culprits_add(&v->who, p->share, p->shares);
}

void events_init(struct event_collector *e, int64_t tick_ns, void (*each)(void *, const struct lost_time_event *), void *arg)
{
	e->join_ns = tick_ns && tick_ns / 2 < EVENTS_JOIN_NS ? tick_ns / 2 : EVENTS_JOIN_NS;
	e->hold_ns = BURST_PAUSE_NS;
	e->each = each;
	e->arg = arg;
	e->held.parts = e->open.parts = 0;
	e->held.who.n = e->open.who.n = 0;
}

void events_flush(struct event_collector *e, int64_t now_ns)
{
	if (e->open.parts && now_ns - e->open.end_ns >= e->join_ns) {
		if (e->open.wants && !e->held.parts) {
			/* The task was preempted and will go on: keep its event aside, and collect other gaps in a new event. */
			e->held = e->open;
			e->open.parts = 0;
		} else
			emit_event(e, &e->open);
	}
	if (e->held.parts && now_ns - e->held.end_ns >= e->hold_ns)
		emit_event(e, &e->held);
}

void events_add_gap(struct event_collector *e, const struct lost_time_gap *p)
{
	struct lost_time_event *to = &e->open;

	if (p->tick) {
		struct lost_time_event tick = { .parts = 0 };

		begin_event(&tick, p);
		extend_event(&tick, p);
		e->each(e->arg, &tick);
		return;
	}
	events_flush(e, p->start_ns);
	if (e->held.parts && p->shares && shares_continue_burst(p->share, p->shares)) {
		emit_event(e, &e->open);
		to = &e->held;
	} else if (!to->parts)
		begin_event(to, p);
	extend_event(to, p);
	if (to == &e->held && !to->wants) {
		/* The preempted task is done: gaps that follow closely join its event again. */
		e->open = e->held;
		e->held.parts = 0;
	}
}

void events_finish(struct event_collector *e)
{
	emit_event(e, &e->held);
	emit_event(e, &e->open);
}
