// SPDX-License-Identifier: GPL-3.0-or-later
#include "idle_pool.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MS 1e6		/* ns */
#define MINUTE_S 60.0
#define BIN_NS 10000000LL
#define BINS 1000	/* ten seconds */
/* Of one system: who is part of it, and the others beside it, of whom a busy machine has many. */
#define WHO_SYSTEM 60
#define WHO_OTHERS 20

/* A culprit, all repeats of its system together. */
struct idle_ran {
	char name[sizeof(((struct lost_name *)0)->name)], kind[sizeof(((struct lost_name *)0)->kind)];
	enum lost_class class;
	double ns, longest_ns;
	size_t events;
};

static double curve_ms(int point)
{
	return IDLE_CURVE_FROM_MS * pow(10, (double)point / IDLE_CURVE_PER_DECADE);
}

static int add_ran(struct idle_pool *p, const struct lost *l, const struct lost_share *s)
{
	const struct lost_name *n = &l->name[s->name];
	struct idle_ran *ran;
	size_t i;

	for (i = 0; i < p->rans; i++)
		if (p->ran[i].class == s->class && !strcmp(p->ran[i].name, n->name) && !strcmp(p->ran[i].kind, n->kind))
			break;
	if (i == p->rans) {
		ran = reallocarray(p->ran, p->rans + 1, sizeof(*ran));
		if (!ran)
			return -ENOMEM;
		p->ran = ran;
		ran[p->rans] = (struct idle_ran){ .class = s->class };
		snprintf(ran[p->rans].name, sizeof(ran->name), "%s", n->name);
		snprintf(ran[p->rans++].kind, sizeof(ran->kind), "%s", n->kind);
	}
	ran = &p->ran[i];
	ran->ns += (double)s->ns;
	ran->longest_ns = fmax(ran->longest_ns, (double)s->ns);
	ran->events++;
	return 0;
}

int idle_pool_add(struct idle_pool *p, const struct lost *l, double wall_s)
{
	int err = 0;

	p->wall_s += wall_s;
	for (size_t e = 0; e < l->events; e++) {
		for (int i = IDLE_CURVE_POINTS; i-- > 0 && l->event[e].system / MS <= curve_ms(i);)
			p->upto[i] += l->event[e].system;
		for (int i = IDLE_CURVE_POINTS; i-- > 0 && (double)l->event[e].length / MS <= curve_ms(i);)
			p->upto_all[i] += (double)l->event[e].length;
	}
	for (size_t i = 0; !err && i < l->shares; i++)
		err = add_ran(p, l, &l->share[i]);
	return err;
}

void idle_pool_free(struct idle_pool *p)
{
	free(p->ran);
	*p = (struct idle_pool){ 0 };
}

static const char *const curve_columns[] = { "system", "sessions", "upto_ms", "lost_ms_per_min", "all_ms_per_min", NULL };
static const char *const who_columns[] = { "system", "sessions", "class", "kind", "culprit", "lost_ms_per_min", "share_percent", "times_per_min", "longest_ms", NULL };
static const char *const utilisation_columns[] = { "system", "sessions", "time_ms", "lost_percent", "all_percent", NULL };

enum { CURVE, WHO, UTILISATION };
static const struct {
	const char *file, *schema;
	const char *const *columns;
} tables[IDLE_POOL_TABLES] = {
	[CURVE] = { "curve.tsv", "idle-curve/1", curve_columns },
	[WHO] = { "who.tsv", "idle-who/1", who_columns },
	[UTILISATION] = { "utilisation.tsv", "idle-utilisation/1", utilisation_columns },
};

int idle_pool_open(struct idle_pool_tables *t, const char *folder, const char **file)
{
	for (int i = 0; i < IDLE_POOL_TABLES; i++) {
		int err = whole_open(&t->table[i], folder, tables[i].file, tables[i].schema, tables[i].columns);

		if (!err)
			continue;
		*file = tables[i].file;
		while (i-- > 0)
			whole_drop(&t->table[i]);
		return err;
	}
	return 0;
}

int idle_pool_close(struct idle_pool_tables *t, bool keep, const char **file)
{
	int err = 0;

	for (int i = 0; i < IDLE_POOL_TABLES; i++) {
		if (!keep || err) {
			whole_drop(&t->table[i]);
			continue;
		}
		err = whole_close(&t->table[i]);
		*file = tables[i].file;
	}
	return err;
}

static int by_time(const void *a, const void *b)
{
	double x = ((const struct idle_ran *)a)->ns, y = ((const struct idle_ran *)b)->ns;

	return (x < y) - (x > y);
}

void idle_pool_write(struct idle_pool_tables *t, const struct idle_system *s, struct idle_pool *p)
{
	struct rows *curve = t->table[CURVE].rows, *who = t->table[WHO].rows;
	double minutes = p->wall_s / MINUTE_S, sum = 0;
	int left[] = { WHO_OTHERS, WHO_SYSTEM };

	if (!(minutes > 0))
		return;
	for (int i = 0; i < IDLE_CURVE_POINTS; i++) {
		rows_str(curve, s->name);
		rows_int(curve, s->sessions);
		whole_number(curve, curve_ms(i), 5);
		whole_number(curve, p->upto[i] / MS / minutes, 4);
		whole_number(curve, p->upto_all[i] / MS / minutes, 4);
		rows_end(curve);
	}
	if (p->rans)
		qsort(p->ran, p->rans, sizeof(*p->ran), by_time);
	for (size_t i = 0; i < p->rans; i++)
		sum += p->ran[i].ns;
	for (size_t i = 0; i < p->rans; i++) {
		if (!left[lost_of_system(p->ran[i].class)])
			continue;
		left[lost_of_system(p->ran[i].class)]--;
		rows_str(who, s->name);
		rows_int(who, s->sessions);
		rows_str(who, lost_class_names[p->ran[i].class]);
		rows_str(who, p->ran[i].kind);
		rows_str(who, p->ran[i].name);
		whole_number(who, p->ran[i].ns / MS / minutes, 4);
		whole_number(who, sum > 0 ? 100 * p->ran[i].ns / sum : (double)NAN, 2);
		whole_number(who, (double)p->ran[i].events / minutes, 1);
		whole_number(who, p->ran[i].longest_ns / MS, 4);
		rows_end(who);
	}
}

void idle_pool_utilisation(struct idle_pool_tables *into, const struct idle_system *s, const struct lost *l, const struct idle_cell *c)
{
	struct rows *t = into->table[UTILISATION].rows;
	double system[BINS] = { 0 }, all[BINS] = { 0 }, share = 100 / (double)BIN_NS * c->wall_s / c->cpu_s;

	lost_bins(l, l->first_ns, BIN_NS, system, BINS, true);
	lost_bins(l, l->first_ns, BIN_NS, all, BINS, false);
	for (int b = 0; b < BINS && (double)b * BIN_NS < c->wall_s * 1e9; b++) {
		rows_str(t, s->name);
		rows_int(t, s->sessions);
		rows_int(t, b * (BIN_NS / 1000000));
		whole_number(t, system[b] * share, 4);
		whole_number(t, all[b] * share, 4);
		rows_end(t);
	}
}
