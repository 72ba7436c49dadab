// SPDX-License-Identifier: GPL-3.0-or-later
/* remembered_extract - how many frames of an animation a protocol remembers, and which it gives up: from the steps of a search.
 *
 * cell.json has search{low, high, most} and points[], a step each: miss (frames that are new), hit (a loop of two), search, scan,
 * fits (the longest loop that hits, once more), over (one that does not fit), random, hot. The share of hits is told from bytes: a
 * frame that is new costs `miss`, one of a loop of two costs `hit`, so what costs b hits in (miss - b) / (miss - hit) of the cases.
 * Where a loop of two still costs REMEMBERED_NONE of a new frame there is no cache. Figures are POINT.FIGURE (step.h, hits_percent,
 * frames) or of the search. */
#include "eviction.h"
#include "overtime.h"
#include "step.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define REMEMBERED_NONE 0.5
#define CLIFF_OFF 0.05		/* frames left out on the way make a cliff a little too far */
#define PLACES_OFF 0.2		/* cliff and random order tell the same size within this part of it */
#define POINTS_MAX 400
#define FRAMES_MAX 100000
#define NUMBER_MAX 1e15

struct remembered_point {
	char name[16], folder[64];
	struct eviction_trial trial;
	struct step step;
	double hits;		/* 0 to 1; NAN */
};

/* One repeat. */
struct remembered_take {
	const struct cell *cell;
	const struct repeat *repeat;
	struct remembered_point *point;		/* owned */
	size_t n;
	double low, high, most;		/* frames: the longest loop that hits, the shortest that does not, the longest that was tried; NAN */
	double miss, hit;		/* bytes of a frame on the wire */
	double frame_bytes;		/* as a picture */
	double places;			/* frames held: by the cliff, or by random order where that tells another size (then no cliff is sharp) */
	double random_places;
	enum eviction policy;
	double scanned, agree;		/* loops of the scan; of these: that hit as the cliff says */
};

struct remembered {
	struct remembered_take *take;
	size_t n;
};

/* A whole number from 0 on of points.N; 0: none. */
static int64_t remembered_count(const struct json *j, size_t number, const char *key)
{
	double v = inputs_number(j, "points.%zu.%s", number, key);

	return v >= 0 && v <= NUMBER_MAX ? (int64_t)v : 0;
}

/* Can a simulation play it, in some time? */
static bool remembered_playable(const struct eviction_trial *t)
{
	bool frames = t->order == SEQUENCE_FRESH || (t->frames >= 2 && t->frames <= FRAMES_MAX);

	return t->order < SEQUENCE_ORDERS && frames && (t->order != SEQUENCE_HOT || (t->hot >= 1 && t->hot < t->frames)) &&
	       t->warm <= FRAMES_MAX && t->count >= 1 && t->count <= FRAMES_MAX;
}

/* 1: read; 0: no more; -EPROTO. */
static int remembered_read_point(const struct json *j, size_t number, struct remembered_point *p)
{
	const char *name = inputs_text(j, "points.%zu.name", number), *order = inputs_text(j, "points.%zu.order", number);
	const char *folder = inputs_text(j, "points.%zu.step", number);
	char prefix[32];

	if (!name)
		return 0;
	*p = (struct remembered_point){ .trial = { .order = SEQUENCE_ORDERS } };
	for (int o = 0; order && o < SEQUENCE_ORDERS; o++)
		if (!strcmp(order, sequence_names[o]))
			p->trial.order = (enum sequence_order)o;
	snprintf(p->name, sizeof(p->name), "%s", name);
	snprintf(p->folder, sizeof(p->folder), "%s", folder ? folder : "");
	p->trial.frames = remembered_count(j, number, "frames");
	p->trial.hot = remembered_count(j, number, "hot");
	p->trial.warm = remembered_count(j, number, "warm");
	p->trial.count = remembered_count(j, number, "count");
	p->trial.seed = (uint64_t)remembered_count(j, number, "seed");
	snprintf(prefix, sizeof(prefix), "points.%zu", number);
	if (!remembered_playable(&p->trial) || strchr(p->folder, '/') || p->folder[0] == '.' || !step_read(j, prefix, &p->step))
		return -EPROTO;
	return 1;
}

/* The last of that name: what was confirmed. NULL: none. */
static const struct remembered_point *remembered_find(const struct remembered_take *t, const char *name)
{
	for (size_t i = t->n; i-- > 0;)
		if (!strcmp(t->point[i].name, name))
			return &t->point[i];
	return NULL;
}

static double remembered_bytes(const struct remembered_take *t, const char *name)
{
	const struct remembered_point *p = remembered_find(t, name);

	return p ? p->step.bytes_per_frame : (double)NAN;
}

static bool remembered_there(const struct remembered_take *t)
{
	return t->hit < REMEMBERED_NONE * t->miss;
}

static double remembered_hits(const struct remembered_take *t, double bytes)
{
	double h = (t->miss - bytes) / (t->miss - t->hit);

	return remembered_there(t) && !isnan(bytes) ? fmin(fmax(h, 0), 1) : (double)NAN;
}

/* A cache that gives up places at random has no cliff: where the loop hits half, it holds fewer frames than that. Random order
 * tells its size all the same. */
static void remembered_judge_places(struct remembered_take *t)
{
	const struct remembered_point *random = remembered_find(t, "random");

	t->places = isnan(t->high) || !remembered_there(t) ? (double)NAN : t->low;
	t->random_places = random && !isnan(random->hits) ? eviction_capacity(random->hits, (double)random->trial.frames) : (double)NAN;
	if (!isnan(t->places) && !isnan(t->random_places) && fabs(t->random_places - t->low) > PLACES_OFF * t->low)
		t->places = t->random_places;
}

static void remembered_judge_policy(struct remembered_take *t)
{
	static const char *const names[] = { "over", "random", "hot" };
	struct eviction_trial trial[3];
	double hits[3];
	int n = 0;

	t->policy = EVICTIONS;
	for (int i = 0; i < 3; i++) {
		const struct remembered_point *p = remembered_find(t, names[i]);

		if (!p || isnan(p->hits))
			continue;
		trial[n] = p->trial;
		hits[n++] = p->hits;
	}
	if (n && t->places >= 1)
		t->policy = eviction_judge(t->places, t->places < t->low || t->places > t->low ? PLACES_OFF : CLIFF_OFF, trial, hits, n, NULL);
}

static void remembered_judge(struct remembered_take *t)
{
	const struct remembered_point *miss = remembered_find(t, "miss");

	t->miss = remembered_bytes(t, "miss");
	t->hit = remembered_bytes(t, "hit");
	t->frame_bytes = miss ? miss->step.frame_bytes : (double)NAN;
	for (size_t i = 0; i < t->n; i++) {
		struct remembered_point *p = &t->point[i];

		p->hits = remembered_hits(t, p->step.bytes_per_frame);
		if (strcmp(p->name, "scan") != 0 || isnan(p->hits))
			continue;
		t->scanned++;
		t->agree += ((double)p->trial.frames <= t->low) == (p->hits >= 0.5);
	}
	remembered_judge_places(t);
	remembered_judge_policy(t);
}

static int remembered_read(void *state, const struct cell *c, const struct repeat *r, struct why *why)
{
	struct remembered *s = state;
	struct remembered_take *t = &s->take[s->n];
	int more = 1;

	*t = (struct remembered_take){ .cell = c, .repeat = r, .point = calloc(POINTS_MAX, sizeof(*t->point)) };
	if (!t->point)
		return why_no_memory(why);
	s->n++;
	t->low = inputs_number(r->json, "search.low");
	t->high = inputs_number(r->json, "search.high");
	t->most = inputs_number(r->json, "search.most");
	while (t->n < POINTS_MAX && (more = remembered_read_point(r->json, t->n, &t->point[t->n])) > 0)
		t->n++;
	if (more < 0)
		return why_set(why, more, "%s/cell.json: a point cannot be read", r->folder);
	remembered_judge(t);
	return 0;
}

static int remembered_of_point(const struct remembered_take *t, const char *path, const char *figure, double *out)
{
	char name[16];
	const struct remembered_point *p;
	struct step none = { 0 };

	snprintf(name, sizeof(name), "%.*s", (int)(figure - 1 - path), path);
	p = remembered_find(t, name);
	if (!strcmp(figure, "frames"))
		*out = p ? (double)p->trial.frames : (double)NAN;
	else if (!strcmp(figure, "hits_percent"))
		*out = p ? 100 * p->hits : (double)NAN;
	else if (step_figure(p ? &p->step : &none, figure, out))
		return -ENOENT;
	if (!p)
		*out = NAN;
	return 0;
}

static int remembered_number(void *state, const struct cell *c, const struct repeat *r, const char *path, double *out)
{
	const struct remembered *s = state;
	const struct remembered_take *t = &s->take[s->n - 1];
	const char *dot = strchr(path, '.');
	const struct {
		const char *name;
		double value;
	} figures[] = {
		{ "sent_bytes", t->places * t->miss }, { "picture_bytes", t->places * t->frame_bytes }, { "low", t->low }, { "high", t->high },
		{ "most", t->most }, { "places", t->places }, { "random_places", t->random_places }, { "scan_points", t->scanned },
		{ "scan_agree", t->agree },
	};

	(void)c;
	(void)r;
	if (dot)
		return remembered_of_point(t, path, dot + 1, out);
	for (size_t i = 0; i < sizeof(figures) / sizeof(*figures); i++)
		if (!strcmp(figures[i].name, path)) {
			*out = figures[i].value;
			return 0;
		}
	return -ENOENT;
}

/* Repeats that differ tell nothing. */
static const char *remembered_text_of(void *state, const struct cell *c, const char *path)
{
	const struct remembered *s = state;
	size_t there = 0, beyond = 0, n = 0;
	enum eviction policy = EVICTIONS;

	for (size_t i = 0; i < s->n; i++) {
		const struct remembered_take *t = &s->take[i];

		if (t->cell != c)
			continue;
		policy = !n++ || policy == t->policy ? t->policy : EVICTIONS;
		there += remembered_there(t);
		beyond += remembered_there(t) && isnan(t->high);
	}
	if (!strcmp(path, "policy"))
		return policy < EVICTIONS ? eviction_names[policy] : NULL;
	if (!n || !there)
		return n ? "none" : NULL;
	return there < n || (beyond && beyond < n) ? "unclear" : beyond ? "beyond" : "size";
}

static void remembered_points(const struct remembered_take *t, struct table_out *out)
{
	static const char *const figures[] = { "mbit_per_s", "cpu_percent", "shown_per_s", "seen_per_s" };

	for (size_t i = 0; i < t->n; i++) {
		const struct remembered_point *p = &t->point[i];
		double v;

		row_text(out, "cell", t->cell->name);
		row_params(out, t->cell);
		row_number(out, "repeat", (double)t->repeat->number);
		row_text(out, "name", p->name);
		row_text(out, "order", sequence_names[p->trial.order]);
		row_number(out, "frames", p->trial.frames > 0 ? (double)p->trial.frames : (double)NAN);
		row_number(out, "frame_wire_bytes", p->step.bytes_per_frame);
		row_number(out, "hits_percent", 100 * p->hits);
		for (size_t f = 0; f < sizeof(figures) / sizeof(*figures); f++)
			if (!step_figure(&p->step, figures[f], &v))
				row_number(out, figures[f], v);
		row_end(out);
	}
}

/* The loop of that name, as time goes by; the share of hits is from the beginning to then, as the paper has it. */
static int remembered_overtime(const struct remembered_take *t, const char *part, struct table_out *out, struct why *why)
{
	const struct remembered_point *p = remembered_find(t, part);
	struct overtime o;
	double period, warm_s, bytes = 0;
	int err;

	if (!p || !*p->folder || !(p->step.from_ns > 0))
		return 0;
	period = p->step.seconds / (double)p->trial.count;
	warm_s = (double)p->trial.warm * period;
	err = overtime_read(t->repeat, p->folder, p->step.from_ns - warm_s * 1e9, &o, why);
	if (err)
		return err;
	for (size_t i = 0; i < o.n; i++) {
		int64_t piece = o.first + (int64_t)i;
		double end_s = (double)(piece + 1) * OVERTIME_PIECE_S;

		if (piece < 0 || end_s > p->step.seconds + warm_s)
			continue;	/* before the first frame, or after the last */
		bytes += o.piece[i].bytes;
		row_text(out, "cell", t->cell->name);
		row_params(out, t->cell);
		row_text(out, "part", part);
		row_number(out, "frames", (double)p->trial.frames);
		row_number(out, "time_s", end_s);
		row_number(out, "mbit_per_s", overtime_mbit_per_s(o.piece[i].bytes));
		row_number(out, "cpu_percent", o.piece[i].cpu_percent);
		row_number(out, "hits_percent", 100 * remembered_hits(t, bytes / (end_s / period)));
		row_end(out);
	}
	overtime_free(&o);
	return 0;
}

static int remembered_rows(void *state, const char *table, struct table_out *out, struct why *why)
{
	const struct remembered *s = state;
	int err = 0;

	for (size_t i = 0; !err && i < s->n; i++) {
		if (!strcmp(table, "points")) {
			remembered_points(&s->take[i], out);
		} else if (!i || s->take[i].cell != s->take[i - 1].cell) {
			err = remembered_overtime(&s->take[i], "fits", out, why);
			if (!err)
				err = remembered_overtime(&s->take[i], "over", out, why);
		}
	}
	return err;
}

static void *remembered_open(const struct run *run, struct why *why)
{
	struct remembered *s = calloc(1, sizeof(*s));
	size_t repeats = 0;

	for (size_t i = 0; i < run->n; i++)
		repeats += run->cell[i].n;
	if (s)
		s->take = calloc(repeats ? repeats : 1, sizeof(*s->take));
	if (s && s->take)
		return s;
	free(s);
	why_no_memory(why);
	return NULL;
}

static void remembered_close(void *state)
{
	struct remembered *s = state;

	for (size_t i = 0; i < s->n; i++)
		free(s->take[i].point);
	free(s->take);
	free(s);
}

const struct extractor remembered_extractor = {
	.name = "remembered", .open = remembered_open, .read = remembered_read, .number = remembered_number,
	.text = remembered_text_of, .rows = remembered_rows, .close = remembered_close,
};
