// SPDX-License-Identifier: GPL-3.0-or-later
#include "culprit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_culprit(const struct culprit *c, const struct who_share *s)
{
	return c->kind == s->kind && c->pid == s->pid && (s->pid || !strcmp(c->name, s->name));
}

static void join_share(struct culprit *c, const struct who_share *s)
{
	c->ns += s->ns;
	who_span(&c->start_ns, &c->end_ns, s->start_ns, s->end_ns);
}

/* Where there is no room: the least of all but the last, which from now on stands for all that had to go. */
static struct culprit *make_culprit_room(struct culprit_event *e)
{
	struct culprit *others = &e->at[CULPRITS - 1], *least = e->at;

	for (size_t i = 1; i < CULPRITS - 1; i++)
		if (e->at[i].ns < least->ns)
			least = &e->at[i];
	others->pid = 0;
	snprintf(others->name, sizeof(others->name), "others");
	others->ns += least->ns;
	who_span(&others->start_ns, &others->end_ns, least->start_ns, least->end_ns);
	return least;
}

void culprit_add(struct culprit_event *e, const struct who_share *share, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct who_share *s = &share[i];
		struct culprit *c = e->at;

		while (c < e->at + e->n && !is_culprit(c, s))
			c++;
		if (c == e->at + e->n) {
			c = e->n < CULPRITS ? &e->at[e->n++] : make_culprit_room(e);
			*c = (struct culprit){ s->kind, s->pid, "", s->start_ns, s->end_ns, 0 };
		}
		/* A thread is known by its latest name: one that began as a shell may be a compiler by now. */
		snprintf(c->name, sizeof(c->name), "%s", s->name);
		join_share(c, s);
	}
}

const struct culprit *culprit_main(const struct culprit_event *e)
{
	const struct culprit *main = NULL;

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
	size_t lines = max + WHO_UNEXPLAINED + 1;	/* and the others of each kind */
	struct culprit_table *t = calloc(1, sizeof(*t) + lines * sizeof(*t->line));

	if (t)
		t->max = max;
	return t;
}

void culprit_table_free(struct culprit_table *t)
{
	free(t);
}

static struct culprit_total *line_of(struct culprit_table *t, enum who_kind kind, const char *name)
{
	struct culprit_total *l;

	for (size_t i = 0; i < t->n; i++)
		if (t->line[i].kind == kind && !strcmp(t->line[i].name, name))
			return &t->line[i];
	if (t->n >= t->max && strcmp(name, "others"))
		return line_of(t, kind, "others");
	l = &t->line[t->n++];
	memset(l, 0, sizeof(*l));
	l->kind = kind;
	snprintf(l->name, sizeof(l->name), "%s", name);
	return l;
}

/* An event with several threads of one name counts once for it, with the time of all. */
void culprit_table_add(struct culprit_table *t, const struct culprit_event *e)
{
	for (size_t i = 0; i < e->n; i++) {
		struct culprit_total *l;
		int64_t ns = 0;
		size_t k = 0;

		while (k < i && (e->at[k].kind != e->at[i].kind || strcmp(e->at[k].name, e->at[i].name)))
			k++;
		if (k < i)
			continue;	/* counted with its first */
		for (k = i; k < e->n; k++)
			if (e->at[k].kind == e->at[i].kind && !strcmp(e->at[k].name, e->at[i].name))
				ns += e->at[k].ns;
		l = line_of(t, e->at[i].kind, e->at[i].name);
		l->ns += ns;
		l->events++;
		if (ns > l->longest_ns)
			l->longest_ns = ns;
	}
}

static int by_culprit_time(const void *a, const void *b)
{
	const struct culprit_total *x = a, *y = b;

	return x->ns < y->ns ? 1 : x->ns > y->ns ? -1 : strcmp(x->name, y->name);
}

const struct culprit_total *culprit_table_lines(struct culprit_table *t, size_t *n)
{
	qsort(t->line, t->n, sizeof(*t->line), by_culprit_time);
	*n = t->n;
	return t->line;
}
