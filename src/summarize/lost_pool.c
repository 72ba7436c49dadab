// SPDX-License-Identifier: GPL-3.0-or-later
#include "lost_pool.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MS 1e6		/* ns */
#define MINUTE_S 60.0
#define FROM_MS 0.001
#define BIN_NS 10000000LL
/* Rows of `who`: who is part of the system, and the others beside it, of whom a busy machine has many. */
#define WHO_SYSTEM 60
#define WHO_OTHERS 20

struct lost_ran {
	struct lost_name name;
	enum lost_class class;
	double ns, longest_ns;
	size_t events;
};

static double curve_ms(int point)
{
	return FROM_MS * pow(10, (double)point / LOST_POOL_PER_DECADE);
}

static struct lost_ran *ran_of(struct lost_pool *p, const struct lost_name *n, enum lost_class class)
{
	struct lost_ran *ran;

	for (size_t i = 0; i < p->rans; i++)
		if (p->ran[i].class == class && !strcmp(p->ran[i].name.name, n->name) && !strcmp(p->ran[i].name.kind, n->kind))
			return &p->ran[i];
	ran = reallocarray(p->ran, p->rans + 1, sizeof(*ran));
	if (!ran)
		return NULL;
	p->ran = ran;
	ran[p->rans] = (struct lost_ran){ .name = *n, .class = class };
	return &ran[p->rans++];
}

/* Each bin in percent of the time that all CPUs had. */
static int draw(struct lost_pool *p, const struct lost *l, double wall_s, double cpus)
{
	for (int all = 0; all < 2; all++) {
		p->bin[all] = calloc(LOST_POOL_BINS, sizeof(double));
		if (!p->bin[all])
			return -ENOMEM;
		lost_bins(l, l->first_ns, BIN_NS, p->bin[all], LOST_POOL_BINS, !all);
		for (size_t b = 0; b < LOST_POOL_BINS; b++)
			p->bin[all][b] *= 100 / (double)BIN_NS / cpus;
	}
	while (p->bins < LOST_POOL_BINS && (double)p->bins * BIN_NS < wall_s * 1e9)
		p->bins++;
	return 0;
}

int lost_pool_add(struct lost_pool *p, const struct lost *l, double wall_s, double cpus)
{
	p->wall_s += wall_s;
	for (size_t e = 0; e < l->events; e++) {
		for (int i = LOST_POOL_POINTS; i-- > 0 && l->event[e].system / MS <= curve_ms(i);)
			p->upto[i] += l->event[e].system;
		for (int i = LOST_POOL_POINTS; i-- > 0 && (double)l->event[e].length / MS <= curve_ms(i);)
			p->upto_all[i] += (double)l->event[e].length;
	}
	for (size_t i = 0; i < l->shares; i++) {
		const struct lost_share *s = &l->share[i];
		struct lost_ran *ran = ran_of(p, &l->name[s->name], s->class);

		if (!ran)
			return -ENOMEM;
		ran->ns += (double)s->ns;
		ran->longest_ns = fmax(ran->longest_ns, (double)s->ns);
		ran->events++;
	}
	return p->bin[0] ? 0 : draw(p, l, wall_s, cpus);
}

void lost_pool_free(struct lost_pool *p)
{
	free(p->ran);
	free(p->bin[0]);
	free(p->bin[1]);
	*p = (struct lost_pool){ 0 };
}

static void write_curve(const struct lost_pool *p, const struct cell *c, struct table_out *out)
{
	double minutes = p->wall_s / MINUTE_S;

	for (int i = 0; i < LOST_POOL_POINTS; i++) {
		row_params(out, c);
		row_number(out, "upto_ms", curve_ms(i));
		row_number(out, "lost_ms_per_min", p->upto[i] / MS / minutes);
		row_number(out, "all_ms_per_min", p->upto_all[i] / MS / minutes);
		row_end(out);
	}
}

static int by_time(const void *a, const void *b)
{
	double x = ((const struct lost_ran *)a)->ns, y = ((const struct lost_ran *)b)->ns;

	return (x < y) - (x > y);
}

static void write_who(struct lost_pool *p, const struct cell *c, struct table_out *out)
{
	double minutes = p->wall_s / MINUTE_S, sum = 0;
	int left[] = { WHO_OTHERS, WHO_SYSTEM };

	if (p->rans)
		qsort(p->ran, p->rans, sizeof(*p->ran), by_time);
	for (size_t i = 0; i < p->rans; i++)
		sum += p->ran[i].ns;
	for (size_t i = 0; i < p->rans; i++) {
		const struct lost_ran *r = &p->ran[i];

		if (!left[lost_of_system(r->class)])
			continue;
		left[lost_of_system(r->class)]--;
		row_params(out, c);
		row_text(out, "class", lost_class_names[r->class]);
		row_text(out, "kind", r->name.kind);
		row_text(out, "culprit", r->name.name);
		row_number(out, "lost_ms_per_min", r->ns / MS / minutes);
		row_number(out, "share_percent", sum > 0 ? 100 * r->ns / sum : (double)NAN);
		row_number(out, "times_per_min", (double)r->events / minutes);
		row_number(out, "longest_ms", r->longest_ns / MS);
		row_end(out);
	}
}

static void write_utilisation(const struct lost_pool *p, const struct cell *c, struct table_out *out)
{
	for (size_t b = 0; b < p->bins; b++) {
		row_params(out, c);
		row_number(out, "time_ms", (double)b * (BIN_NS / MS));
		row_number(out, "lost_percent", p->bin[0][b]);
		row_number(out, "all_percent", p->bin[1][b]);
		row_end(out);
	}
}

void lost_pool_write(struct lost_pool *p, const struct cell *c, const char *table, struct table_out *out)
{
	if (!(p->wall_s > 0))
		return;
	if (!strcmp(table, "curve"))
		write_curve(p, c, out);
	else if (!strcmp(table, "who"))
		write_who(p, c, out);
	else
		write_utilisation(p, c, out);
}
