// SPDX-License-Identifier: GPL-3.0-or-later
#include "idle_pool.h"
#include "inputs.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SYSTEMS_MAX 1000
#define SESSIONS_MAX 10000
#define MS 1e6		/* ns */
#define MINUTE_S 60.0

const int idle_wait_ms[IDLE_WAITS] = { 1, 5, 10, 50, 100 };

struct reader {
	const char *folder;
	char *why;
	size_t size;
	struct inputs_counts *done;
	struct idle_pool_tables tables;
};

static int complain(struct reader *r, const char *file, int err, const char *what)
{
	snprintf(r->why, r->size, "%s: %s", file, what);
	return err;
}

static double number_of(const struct json *j, const char *path)
{
	double v = NAN;

	json_get_real(j, path, &v);
	return v;
}

/* How long was watched, and on how many CPUs. */
static void read_times(const struct json *j, struct idle_cell *c)
{
	char path[64];

	for (int i = 0;; i++) {
		double wall = NAN;

		snprintf(path, sizeof(path), "result.cpus.%d.wall_s", i);
		if (!json_get_real(j, path, &wall))
			return;
		c->cpu_s += wall;
		c->wall_s = fmax(c->wall_s, wall);
	}
}

static void read_wakeups(const struct json *j, struct idle_cell *c)
{
	char path[64];

	c->wakeups = number_of(j, "result.wakeups.n");
	for (int i = 0;; i++) {
		double wait_ms, share = NAN;

		snprintf(path, sizeof(path), "result.compulsory.%d.wait_ms", i);
		if (!json_get_real(j, path, &wait_ms))
			return;
		snprintf(path, sizeof(path), "result.compulsory.%d.measured", i);
		json_get_real(j, path, &share);
		for (int w = 0; w < IDLE_WAITS; w++)
			if (fabs(wait_ms - idle_wait_ms[w]) < 1e-6)
				c->waited[w] = share * c->wakeups;
	}
}

static void figures(const struct lost *l, struct idle_cell *c)
{
	double per_minute = MINUTE_S / c->wall_s, cpu_ns = c->cpu_s * 1e9;

	c->all = lost_all(l, false) / MS * per_minute;
	c->system = lost_all(l, true) / MS * per_minute;
	c->tick = (double)l->tick_ns / MS * per_minute;
	for (int k = 0; k < LOST_CLASSES; k++)
		c->class[k] = lost_of(l, (enum lost_class)k) / MS * per_minute;
	for (size_t e = 0; e < l->events; e++) {
		c->events += l->event[e].system > 0 ? per_minute : 0;
		c->longest_ms = fmax(c->longest_ms, l->event[e].system / MS);
	}
	for (int w = 0; w < IDLE_WAITS; w++) {
		c->bound[w] = lost_beyond(l, idle_wait_ms[w] * MS, true) / cpu_ns;
		c->bound_all[w] = lost_beyond(l, idle_wait_ms[w] * MS, false) / cpu_ns;
	}
}

static int read_profile(struct reader *r, const char *folder, struct idle_system *s, struct idle_cell *c, struct idle_pool *p)
{
	struct json *j = inputs_json(folder, "idleprofile.json", r->why, r->size);
	struct lost l = { 0 };
	int err;

	if (!j)
		return -EPROTO;
	read_times(j, c);
	json_free(j);
	if (!(c->wall_s > 0))
		return complain(r, folder, -EPROTO, "idleprofile.json tells no time");
	err = inputs_rows(folder, "processes.tsv", false, lost_read_processes, &l, r->why, r->size);
	err = err ? err : inputs_rows(folder, "culprits.tsv", false, lost_read_culprits, &l, r->why, r->size);
	err = err ? err : inputs_rows(folder, "lost.tsv", true, lost_read_events, &l, r->why, r->size);
	if (!err) {
		lost_join(&l);
		figures(&l, c);
		err = idle_pool_add(p, &l, c->wall_s) ? complain(r, folder, -ENOMEM, "out of memory") : 0;
	}
	if (!err && !p->drawn) {
		idle_pool_utilisation(&r->tables, s, &l, c);
		p->drawn = true;
	}
	lost_free(&l);
	return err;
}

static int read_cell(struct reader *r, struct idle_system *s, int64_t repeat, struct idle_pool *p)
{
	struct idle_cell *c = &s->cell[repeat - 1];
	struct inputs_cell told;
	char folder[4200];
	struct json *j;
	int err;

	c->wakeups = c->accounted = c->foreign_percent = c->steal_percent = NAN;
	for (int w = 0; w < IDLE_WAITS; w++)
		c->waited[w] = NAN;
	snprintf(folder, sizeof(folder), "%s/cells/%s-%03lld/%lld", r->folder, s->name, (long long)s->sessions, (long long)repeat);
	err = inputs_cell(folder, &told, r->why, r->size);
	if (err)
		return err;
	c->complete = told.complete;
	c->marked = told.marked;
	if (told.json) {
		c->accounted = number_of(told.json, "accounted_ms_per_min");
		c->foreign_percent = number_of(told.json, "foreign_percent");
		c->steal_percent = number_of(told.json, "steal_percent");
	}
	json_free(told.json);
	if (!c->complete) {
		r->done->failed++;
		return 0;
	}
	r->done->complete++;
	r->done->marked += c->marked;
	err = read_profile(r, folder, s, c, p);
	if (err || !inputs_there(folder, "wakeups.json"))
		return err;
	j = inputs_json(folder, "wakeups.json", r->why, r->size);
	if (!j)
		return -EPROTO;
	read_wakeups(j, c);
	json_free(j);
	return 0;
}

static int read_system(struct reader *r, const struct idle_run *run, struct idle_system *s)
{
	struct idle_pool p = { 0 };
	int err = 0;

	s->cell = calloc((size_t)run->repeats, sizeof(*s->cell));
	if (!s->cell)
		return complain(r, r->folder, -ENOMEM, "out of memory");
	for (int64_t repeat = 1; !err && repeat <= run->repeats; repeat++)
		err = read_cell(r, s, repeat, &p);
	if (!err)
		idle_pool_write(&r->tables, s, &p);
	r->done->rows++;
	idle_pool_free(&p);
	return err;
}

/* Which systems, from run.json. A name becomes part of a path: nothing that leads elsewhere. */
static int read_settings(struct reader *r, const struct json *j, struct idle_run *run)
{
	const char *name;
	char path[64];

	name = json_get_str(j, "settings.protocol");
	snprintf(run->protocol, sizeof(run->protocol), "%s", name ? name : "");
	run->system = calloc(SYSTEMS_MAX, sizeof(*run->system));
	if (!run->system)
		return complain(r, r->folder, -ENOMEM, "out of memory");
	for (size_t i = 0; i < SYSTEMS_MAX; i++) {
		struct idle_system *s = &run->system[i];

		snprintf(path, sizeof(path), "settings.systems.%zu.system", i);
		name = json_get_str(j, path);
		if (!name)
			return 0;
		snprintf(path, sizeof(path), "settings.systems.%zu.sessions", i);
		if (!json_get_int(j, path, &s->sessions) || s->sessions < 0 || s->sessions > SESSIONS_MAX || strlen(name) >= sizeof(s->name) || strchr(name, '/'))
			return complain(r, r->folder, -EPROTO, "run.json: settings.systems cannot be read");
		snprintf(s->name, sizeof(s->name), "%s", name);
		run->systems++;
	}
	return 0;
}

static int summarize(struct reader *r, struct idle_run *run)
{
	const char *file = "";
	int err = idle_pool_open(&r->tables, r->folder, &file), left;

	if (err)
		return complain(r, file, err, strerror(-err));
	for (size_t s = 0; !err && s < run->systems; s++)
		err = read_system(r, run, &run->system[s]);
	left = idle_pool_close(&r->tables, !err, &file);
	if (!err && !left)
		left = idle_tables(r->folder, run, &file);
	return !err && left ? complain(r, file, left, strerror(-left)) : err;
}

int idle_summarize(const char *folder, struct inputs_counts *out, char *why, size_t size)
{
	struct reader r = { .folder = folder, .why = why, .size = size, .done = out };
	struct idle_run run = { .repeats = 1 };
	struct json *j;
	int err;

	*out = (struct inputs_counts){ 0 };
	j = inputs_run(folder, &run.repeats, &run.seed, why, size);
	if (!j)
		return -EPROTO;
	err = read_settings(&r, j, &run);
	json_free(j);
	err = err ? err : summarize(&r, &run);
	for (size_t s = 0; s < run.systems; s++)
		free(run.system[s].cell);
	free(run.system);
	return err;
}
