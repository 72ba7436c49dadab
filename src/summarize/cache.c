// SPDX-License-Identifier: GPL-3.0-or-later
#include "cache.h"
#include "cache_table.h"
#include "overtime.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define SYSTEMS_MAX 200
#define FRAMES_MAX 100000
#define NUMBER_MAX 1e15
#define PIECE_NS 500000000LL

struct reader {
	const char *folder;
	char *why;
	size_t size;
	struct inputs_counts *done;
	int64_t repeats;
	struct whole summary, points, overtime;
};

static int complain(struct reader *r, const char *file, int err, const char *what)
{
	snprintf(r->why, r->size, "%s: %s", file, what);
	return err;
}

static int64_t whole_of(const struct json *j, const char *prefix, const char *key)
{
	double v = inputs_number(j, prefix, key);

	return v >= 0 && v <= NUMBER_MAX ? (int64_t)v : 0;
}

/* What a simulation can play, and in some time. */
static bool playable(const struct eviction_trial *t)
{
	bool frames = t->order == SEQUENCE_FRESH || (t->frames >= 2 && t->frames <= FRAMES_MAX);

	return t->order < SEQUENCE_ORDERS && frames && (t->order != SEQUENCE_HOT || (t->hot >= 1 && t->hot < t->frames)) && t->warm <= FRAMES_MAX && t->count >= 1 &&
	       t->count <= FRAMES_MAX;
}

/* 1: read; 0: no more; -EPROTO. */
static int read_point(const struct json *j, int number, struct cache_point *p)
{
	char prefix[48];
	const char *name, *order, *folder;

	snprintf(prefix, sizeof(prefix), "points.%d", number);
	name = inputs_text(j, prefix, "name");
	if (!name)
		return 0;
	order = inputs_text(j, prefix, "order");
	folder = inputs_text(j, prefix, "step");
	*p = (struct cache_point){ .trial = { .order = SEQUENCE_ORDERS } };
	for (int o = 0; order && o < SEQUENCE_ORDERS; o++)
		if (strcmp(order, sequence_names[o]) == 0)
			p->trial.order = (enum sequence_order)o;
	snprintf(p->name, sizeof(p->name), "%s", name);
	snprintf(p->folder, sizeof(p->folder), "%s", folder ? folder : "");
	p->trial.frames = whole_of(j, prefix, "frames");
	p->trial.hot = whole_of(j, prefix, "hot");
	p->trial.warm = whole_of(j, prefix, "warm");
	p->trial.count = whole_of(j, prefix, "count");
	p->trial.seed = (uint64_t)whole_of(j, prefix, "seed");
	if (!playable(&p->trial) || strchr(p->folder, '/') || p->folder[0] == '.' || !step_read(j, prefix, &p->step))
		return -EPROTO;
	return 1;
}

static int read_points(struct reader *r, const struct json *j, struct cache_take *take)
{
	int more = 1;

	take->low = inputs_number(j, "search", "low");
	take->high = inputs_number(j, "search", "high");
	take->most = inputs_number(j, "search", "most");
	for (take->n = 0; take->n < CACHE_POINTS_MAX; take->n++) {
		more = read_point(j, (int)take->n, &take->point[take->n]);
		if (more <= 0)
			break;
	}
	if (more < 0)
		return complain(r, "cell.json", more, "a point cannot be read");
	cache_take_judge(take);
	return 0;
}

/* The loop of that name, as time goes by; the share of hits is from the beginning to then, as the paper has it. */
static int write_overtime(struct reader *r, const struct step_system *s, const struct cache_take *take, int64_t repeat, const char *part)
{
	const struct cache_point *p = cache_take_find(take, part);
	char path[4600];
	struct overtime t;
	double period, bytes = 0;
	int64_t begun;
	int err;

	if (!p || !*p->folder || !(p->step.from_ns > 0 && p->step.from_ns < NUMBER_MAX * 1e3))
		return 0;
	snprintf(path, sizeof(path), "%s/cells/%s/%lld/%s", r->folder, s->cell, (long long)repeat, p->folder);
	if (!inputs_there(path, "traffic.tsv"))
		return 0;
	period = p->step.seconds / (double)p->trial.count;
	begun = (int64_t)(p->step.from_ns - (double)p->trial.warm * period * 1e9);
	err = overtime_read(path, begun, PIECE_NS, &t, r->why, r->size);
	if (err)
		return err;
	for (size_t i = 0; i < t.n; i++) {
		int64_t piece = t.first + (int64_t)i;
		double end_s = (double)(piece + 1) * PIECE_NS / 1e9;

		if (piece < 0 || end_s > p->step.seconds + (double)p->trial.warm * period)
			continue;	/* before the first frame, or after the last */
		bytes += t.bytes[i];
		rows_str(r->overtime.rows, s->cell);
		rows_str(r->overtime.rows, s->protocol);
		rows_str(r->overtime.rows, s->draw);
		rows_str(r->overtime.rows, part);
		rows_int(r->overtime.rows, p->trial.frames);
		whole_number(r->overtime.rows, end_s, 3);
		whole_number(r->overtime.rows, t.bytes[i] * 8 / (PIECE_NS / 1e9) / 1e6, 4);
		whole_number(r->overtime.rows, t.cpu_percent[i], 2);
		whole_number(r->overtime.rows, 100 * cache_hits(take->miss_bytes, take->hit_bytes, bytes / (end_s / period)), 2);
		rows_end(r->overtime.rows);
	}
	overtime_free(&t);
	return 0;
}

static int read_repeat(struct reader *r, const struct step_system *s, const struct json *j, int64_t repeat, struct cache_pool *pool)
{
	static struct cache_take take;	/* large */
	int err = read_points(r, j, &take);

	if (err)
		return err;
	for (size_t i = 0; i < take.n; i++)
		cache_write_point(r->points.rows, s, repeat, &take.point[i]);
	if (!pool->repeats)
		err = write_overtime(r, s, &take, repeat, "fits");
	if (!err && !pool->repeats)
		err = write_overtime(r, s, &take, repeat, "over");
	cache_pool_add(pool, &take);
	return err;
}

static int read_system(struct reader *r, const struct step_system *s)
{
	struct cache_pool pool = { 0 };

	for (int64_t repeat = 1; repeat <= r->repeats; repeat++) {
		bool failed, marked;
		int err;
		struct json *j = step_cell(r->folder, s, repeat, &failed, &marked, &err, r->why, r->size);

		if (err)
			return err;
		r->done->complete += j != NULL;
		r->done->failed += failed;
		r->done->marked += j && marked;
		pool.failed += failed;
		pool.marked += j && marked;
		if (j) {
			err = read_repeat(r, s, j, repeat, &pool);
			json_free(j);
			if (err)
				return err;
		}
	}
	cache_write_system(r->summary.rows, s, &pool);
	r->done->rows++;
	return 0;
}

static int read_systems(struct reader *r, const struct json *run)
{
	int err = 0;

	for (int i = 0; !err && i < SYSTEMS_MAX; i++) {
		struct step_system s;
		int more = step_system(run, i, &s);

		if (more < 0)
			return complain(r, r->folder, more, "run.json: settings.systems cannot be read");
		if (!more)
			break;
		err = read_system(r, &s);
	}
	return err;
}

static int write_tables(struct reader *r, const struct json *run)
{
	const struct whole_table tables[] = {
		{ &r->summary, "summary.tsv", "cache/1", cache_summary_columns },
		{ &r->points, "points.tsv", "cache-point/1", cache_point_columns },
		{ &r->overtime, "overtime.tsv", "cache-time/1", cache_overtime_columns },
	};
	int err = whole_open_all(tables, 3, r->folder, r->why, r->size);

	return err ? err : whole_close_all(tables, 3, read_systems(r, run), r->why, r->size);
}

int cache_summarize(const char *folder, struct inputs_counts *out, char *why, size_t size)
{
	struct reader r = { .folder = folder, .why = why, .size = size, .done = out, .repeats = 1 };
	struct json *run;
	int err;

	*out = (struct inputs_counts){ 0 };
	run = inputs_run(folder, &r.repeats, NULL, why, size);
	if (!run)
		return -EPROTO;
	err = write_tables(&r, run);
	json_free(run);
	return err;
}
