// SPDX-License-Identifier: GPL-3.0-or-later
#include "report.h"
#include "clock.h"
#include "say.h"

#include <stdlib.h>
#include <string.h>

static void report_figures(struct rec *r, const char *before, const struct smaps_figures *f)
{
	const struct {
		const char *name;
		int64_t v;
	} figure[] = {
		{ "private", f->private_dirty + f->swap }, { "private_dirty", f->private_dirty }, { "swap", f->swap },
		{ "private_clean", f->private_clean }, { "pss", f->pss }, { "swap_pss", f->swap_pss },
		{ "shared", f->shared_clean + f->shared_dirty }, { "rss", f->rss },
	};
	char key[64];

	for (size_t i = 0; i < sizeof(figure) / sizeof(*figure); i++) {
		snprintf(key, sizeof(key), "%s%s_bytes", before, figure[i].name);
		rec_int(r, key, figure[i].v);
	}
}

static void report_process(struct rec *r, const struct process_reading *p)
{
	rec_object(r, NULL);
	rec_str(r, "name", p->is.name);
	rec_int(r, "pid", p->is.pid);
	rec_int(r, "ppid", p->is.ppid);
	rec_int(r, "session", p->is.session);
	rec_int(r, "threads", p->is.threads);
	report_figures(r, "", &p->sum.all);
	rec_count(r, "page_tables_bytes", p->page_tables);
	rec_str(r, "command", p->command);
	rec_end(r);
}

static void add_figures(struct smaps_figures *to, const struct smaps_figures *f)
{
	to->private_dirty += f->private_dirty;
	to->private_clean += f->private_clean;
	to->shared_dirty += f->shared_dirty;
	to->shared_clean += f->shared_clean;
	to->swap += f->swap;
	to->swap_pss += f->swap_pss;
	to->pss += f->pss;
	to->rss += f->rss;
}

void report_processes(struct rec *r, const struct session_readings *s)
{
	struct smaps_figures total = { 0 };
	int64_t tables = 0;

	rec_array(r, "processes");
	for (size_t i = 0; i < s->n; i++) {
		report_process(r, &s->row[i]);
		add_figures(&total, &s->row[i].sum.all);
		tables += s->row[i].page_tables > 0 ? s->row[i].page_tables : 0;
	}
	rec_end(r);
	rec_int(r, "processes_read", (int64_t)s->n);
	report_figures(r, "total_", &total);
	rec_int(r, "total_page_tables_bytes", tables);
	rec_int(r, "vanished", (int64_t)s->vanished);
	rec_int(r, "unreadable", (int64_t)s->unreadable);
	rec_int(r, "ended", (int64_t)s->ended);
	rec_int(r, "not_frozen", (int64_t)s->not_frozen);
	rec_str(r, "frozen_by", s->way == HOLD_NONE ? NULL : hold_ways[s->way]);
	rec_real(r, "frozen_ms", (double)s->frozen_ns / NS_PER_MS, 3);
}

void report_group(struct rec *r, const struct used_group *g)
{
	rec_object(r, "cgroup");
	rec_int(r, "version", g->version);
	rec_count(r, "charged_bytes", g->charged);
	rec_count(r, "anonymous_bytes", g->anonymous);
	rec_count(r, "shared_memory_bytes", g->shared_memory);
	rec_count(r, "kernel_bytes", g->kernel);
	rec_count(r, "file_cache_bytes", g->cache);
	rec_count(r, "swap_bytes", g->swapped);
	rec_end(r);
}

void report_machine(struct rec *r, const struct used_machine *m)
{
	rec_object(r, "machine");
	rec_int(r, "total_bytes", m->total);
	rec_int(r, "used_bytes", m->used);
	rec_int(r, "processes_bytes", m->processes);
	rec_int(r, "kernel_bytes", m->kernel);
	rec_int(r, "file_cache_bytes", m->cache);
	rec_int(r, "available_bytes", m->available);
	rec_int(r, "swap_bytes", m->swapped);
	rec_end(r);
}

/* ---- for people ---- */

#define NAMED 4		/* processes; the others are one row */

static int64_t private_of(const struct smaps_figures *f)
{
	return f->private_dirty + f->swap;
}

static int by_private(const void *a, const void *b)
{
	const struct process_reading *const *x = a, *const *y = b;
	int64_t one = private_of(&(*x)->sum.all), other = private_of(&(*y)->sum.all);

	return one < other ? 1 : one > other ? -1 : 0;
}

static void say_memory_row(struct rec *r, const char *name, const struct smaps_figures *f, const char *note)
{
	rec_row(r, "%s\t%s\t%s\t%s%s", name, say_memory((double)private_of(f)), say_memory((double)f->swap),
		say_memory((double)(f->pss - f->private_dirty - f->private_clean)), note);
}

static void say_processes(struct rec *r, const struct session_readings *s, struct smaps_figures *total)
{
	const struct process_reading **order = calloc(s->n + 1, sizeof(*order));
	struct smaps_figures rest = { 0 };
	char more[32];

	for (size_t i = 0; order && i < s->n; i++)
		order[i] = &s->row[i];
	if (order)
		qsort(order, s->n, sizeof(*order), by_private);
	rec_table(r, "lrrr", "process\tprivate\tof it swapped\tshared*");
	for (size_t i = 0; order && i < s->n; i++) {
		const struct smaps_figures *f = &order[i]->sum.all;

		add_figures(total, f);
		if (i < NAMED || s->n == NAMED + 1)
			say_memory_row(r, order[i]->is.name, f, "");
		else
			add_figures(&rest, f);
	}
	snprintf(more, sizeof(more), "%zu more", s->n - NAMED);
	if (s->n > NAMED + 1)
		say_memory_row(r, more, &rest, "");
	free(order);
}

void report_text(struct rec *r, const struct session_readings *s, const struct used_machine *m)
{
	struct smaps_figures total = { 0 };
	double takes;

	if (!s) {
		rec_say(r, "%s of %s in use: processes %s, kernel %s", say_memory((double)m->used), say_memory((double)m->total),
			say_memory((double)m->processes), say_memory((double)m->kernel));
		rec_say(r, "%s available, %s of file cache; %s in swap", say_memory((double)m->available), say_memory((double)m->cache),
			say_memory((double)m->swapped));
		return;
	}
	if (s->unreadable)
		rec_warn(r, "%zu of %zu processes may not be read; as root they may", s->unreadable, s->unreadable + s->n);
	if (s->vanished)
		rec_warn(r, "%zu processes ended while they were read", s->vanished);
	say_processes(r, s, &total);
	if (s->n > 1)
		say_memory_row(r, "total", &total, "\t*fair share of it");
	takes = (double)private_of(&total);
	if (takes > 0)
		rec_say(r, "One more takes %s; %s are free: room for %s, by memory alone.", say_memory(takes),
			say_memory((double)m->available), say_number((double)m->available / takes));
}
