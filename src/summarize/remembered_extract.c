// SPDX-License-Identifier: GPL-3.0-or-later
/* remembered_extract - how many frames of an animation a protocol caches, and its eviction policy, from the steps of a search.
 *
 * cell.json has search{low, high, most} and points[], one for each step: miss (new frames), hit (a loop of two frames), search,
 * scan, fits (the longest loop that hits, once more), over (a loop that does not fit), random, hot. The hit ratio follows from
 * bytes: a new frame costs `miss` bytes, a frame of a loop of two `hit` bytes, so frames of b bytes hit at a ratio of (miss - b) /
 * (miss - hit). If a frame of a loop of two still costs REMEMBERED_NONE of a new frame, there is no cache. Figures are POINT.FIGURE
 * (step.h; hits_percent, frames) or figures of the search. */
#include "eviction.h"
#include "step.h"

#define REMEMBERED_NONE 0.5
#define CLIFF_OFF 0.05 /* tolerance of a cache size found by loops: the search skips some lengths */
#define PLACES_OFF 0.2 /* tolerance between cache sizes found by loops and by random order */
#define FRAMES_MAX 100000
#define NUMBER_MAX 1e15

struct search_point {
	const char *name, *folder; /* folder: of the point's step; NULL: none */
	char path[32];		   /* JSON path of the point in cell.json */
	struct eviction_trial trial;
	double hits; /* hit ratio, 0 to 1; NAN: not known */
};

/* What is kept of a repeat. */
struct cache_findings {
	struct search_point *point;
	size_t n;
	double low, high; /* frames of the longest loop that hits, and of the shortest that does not; NAN: not found */
	double miss, hit; /* bytes of a frame on the wire */
	double places; /* cached frames: by loops, or by random order if that gives another size (random eviction has no sharp limit) */
	enum eviction policy;
};

static double get_point_figure(const struct experiment_repeat *r, const struct search_point *p, const char *figure)
{
	double v = NAN;

	if (p)
		step_compute_figure(r->json, p->path, figure, &v);
	return v;
}

/* Returns a whole number of a point; 0: there is none. */
static int64_t read_integer(const struct experiment_repeat *r, const struct search_point *p, const char *key)
{
	double v = json_number(r->json, "%s.%s", p->path, key);

	return v >= 0 && v <= NUMBER_MAX ? (int64_t)v : 0;
}

/* True: the simulation can play the point in reasonable time. */
static bool is_simulable(const struct eviction_trial *t)
{
	bool frames = t->order == SEQUENCE_FRESH || (t->frames >= 2 && t->frames <= FRAMES_MAX);

	return t->order < SEQUENCE_ORDERS && frames && (t->order != SEQUENCE_HOT || (t->hot >= 1 && t->hot < t->frames)) &&
	       t->warm <= FRAMES_MAX && t->count >= 1 && t->count <= FRAMES_MAX;
}

static void read_points(const struct experiment_repeat *r, struct cache_findings *t)
{
	const char *name, *order;

	while ((name = json_get_text(r->json, "points.%zu.name", t->n))) {
		struct search_point *p;
		int is = SEQUENCE_ORDERS;

		t->point = memory_grow(t->point, t->n, sizeof(*p));
		p = &t->point[t->n];
		*p = (struct search_point){ .name = name };
		snprintf(p->path, sizeof(p->path), "points.%zu", t->n++);
		p->folder = json_get_text(r->json, "%s.step", p->path);
		order = json_get_text(r->json, "%s.order", p->path);
		for (int o = 0; order && o < SEQUENCE_ORDERS; o++)
			is = strcmp(order, sequence_names[o]) ? is : o;
		p->trial = (struct eviction_trial){ (enum sequence_order)is,	 read_integer(r, p, "frames"),
						    read_integer(r, p, "hot"),	 read_integer(r, p, "warm"),
						    read_integer(r, p, "count"), (uint64_t)read_integer(r, p, "seed") };
		if (!is_simulable(&p->trial) || (p->folder && (strchr(p->folder, '/') || p->folder[0] == '.')) ||
		    isnan(get_point_figure(r, p, "seconds")))
			die(EXIT_RUN, "%s/cell.json: points[] has an element without valid order, frames, count or seconds",
			    r->folder);
	}
}

/* Returns the last point of that name, as it was measured again for confirmation; NULL: there is none. */
static const struct search_point *find_point(const struct cache_findings *t, const char *name)
{
	for (size_t i = t->n; i-- > 0;)
		if (!strcmp(t->point[i].name, name))
			return &t->point[i];
	return NULL;
}

static bool has_cache(const struct cache_findings *t)
{
	return t->hit < REMEMBERED_NONE * t->miss;
}

static double compute_hit_ratio(const struct cache_findings *t, double bytes)
{
	double h = (t->miss - bytes) / (t->miss - t->hit);

	return has_cache(t) && !isnan(bytes) ? fmin(fmax(h, 0), 1) : (double)NAN;
}

/* Sets `places`, and returns the cache size by random order. A cache with random eviction has no sharp limit: a loop that hits half
 * of the time is longer than the cache. Random order gives its size all the same. */
static double find_cache_size(struct cache_findings *t)
{
	const struct search_point *random = find_point(t, "random");
	double places = random ? eviction_capacity(random->hits, (double)random->trial.frames) : (double)NAN;

	t->places = isnan(t->high) || !has_cache(t) ? (double)NAN : t->low;
	if (!isnan(t->places) && !isnan(places) && fabs(places - t->low) > PLACES_OFF * t->low)
		t->places = places;
	return places;
}

static void find_policy(struct cache_findings *t)
{
	static const char *const names[] = { "over", "random", "hot" };
	struct eviction_trial trial[3];
	double hits[3];
	int n = 0;

	for (int i = 0; i < 3; i++) {
		const struct search_point *p = find_point(t, names[i]);

		if (!p || isnan(p->hits))
			continue;
		trial[n] = p->trial;
		hits[n++] = p->hits;
	}
	t->policy = EVICTIONS;
	if (n && t->places >= 1)
		t->policy = eviction_find_policy(t->places, t->places < t->low || t->places > t->low ? PLACES_OFF : CLIFF_OFF,
						 trial, hits, n);
}

static void read_repeat(const struct experiment_repeat *r)
{
	struct cache_findings *t = extractor_repeat_data(r);
	double scanned = 0, agree = 0;

	read_points(r, t);
	t->low = json_number(r->json, "search.low");
	t->high = json_number(r->json, "search.high");
	t->miss = get_point_figure(r, find_point(t, "miss"), "bytes_per_frame");
	t->hit = get_point_figure(r, find_point(t, "hit"), "bytes_per_frame");
	for (struct search_point *p = t->point; p < t->point + t->n; p++) {
		p->hits = compute_hit_ratio(t, get_point_figure(r, p, "bytes_per_frame"));
		if (strcmp(p->name, "scan") != 0 || isnan(p->hits))
			continue;
		scanned++;
		agree += ((double)p->trial.frames <= t->low) == (p->hits >= 0.5);
	}
	extractor_set_value("random_places", find_cache_size(t));
	find_policy(t);
	give_values({ "low", t->low }, { "high", t->high }, { "most", json_number(r->json, "search.most") },
		    { "places", t->places }, { "sent_bytes", t->places * t->miss },
		    { "picture_bytes", t->places * get_point_figure(r, find_point(t, "miss"), "frame_bytes") },
		    { "scan_points", scanned }, { "scan_agree", agree });
}

/* Computes POINT.FIGURE. */
static bool compute_point_figure(const struct experiment_repeat *r, const char *path, double *out)
{
	const struct search_point *p;
	const char *dot = strchr(path, '.');
	char name[16];

	if (!dot)
		return false;
	snprintf(name, sizeof(name), "%.*s", (int)(dot - path), path);
	p = find_point(extractor_repeat_data(r), name);
	if (!strcmp(dot, ".frames"))
		*out = p ? (double)p->trial.frames : (double)NAN;
	else if (!strcmp(dot, ".hits_percent"))
		*out = p ? 100 * p->hits : (double)NAN;
	else
		return step_compute_figure(r->json, p ? p->path : "", dot + 1, out);
	return true;
}

/* Gives policy and verdict; repeats that disagree give no policy, and no size. */
static void set_policy(const struct experiment_cell *c)
{
	const struct cache_findings *t = extractor_repeat_data(c->repeat);
	enum eviction policy = c->n ? t->policy : EVICTIONS;
	double least = INFINITY, most = 0;
	size_t there = 0, beyond = 0;

	for (size_t i = 0; i < c->n; i++) {
		least = fmin(least, t[i].places);
		most = fmax(most, t[i].places);
		policy = policy == t[i].policy ? policy : EVICTIONS;
		there += has_cache(&t[i]);
		beyond += has_cache(&t[i]) && isnan(t[i].high);
	}
	extractor_set_text("policy", policy < EVICTIONS ? eviction_names[policy] : NULL);
	extractor_set_text("verdict", !c->n									     ? NULL
				      : !there									     ? "none"
				      : there < c->n || (beyond && beyond < c->n) || most > (1 + PLACES_OFF) * least ? "unclear"
				      : beyond									     ? "beyond"
														     : "size");
}

static void write_points(const struct experiment_cell *c, struct table_out *out)
{
	static const char *const figures[] = { "mbit_per_s", "cpu_percent", "shown_per_s", "seen_per_s" };

	for (const struct experiment_repeat *r = c->repeat; r < c->repeat + c->n; r++) {
		const struct cache_findings *t = extractor_repeat_data(r);

		for (const struct search_point *p = t->point; p < t->point + t->n; p++) {
			row_set_parameters(out, c);
			row_set_number(out, "repeat", (double)r->number);
			row_set_text(out, "name", p->name);
			row_set_text(out, "order", sequence_names[p->trial.order]);
			row_numbers(out, { "frames", p->trial.frames > 0 ? (double)p->trial.frames : (double)NAN },
				    { "frame_wire_bytes", get_point_figure(r, p, "bytes_per_frame") },
				    { "hits_percent", 100 * p->hits });
			for (size_t f = 0; f < sizeof(figures) / sizeof(*figures); f++)
				row_set_number(out, figures[f], get_point_figure(r, p, figures[f]));
			row_write(out);
		}
	}
}

/* Writes loop `part` over time. The hit ratio is cumulative from the beginning on, as in the paper. */
static void write_loop(const struct experiment_repeat *r, const char *part, struct table_out *out)
{
	const struct cache_findings *t = extractor_repeat_data(r);
	const struct search_point *p = find_point(t, part);
	double from_ns = get_point_figure(r, p, "from_ns"), seconds = get_point_figure(r, p, "seconds"), bytes = 0, period, warm_s;
	struct step_series o;

	if (!p || !p->folder || !(from_ns > 0))
		return;
	period = seconds / (double)p->trial.count;
	warm_s = (double)p->trial.warm * period;
	o = step_series_read(r, p->folder, from_ns - warm_s * 1e9);
	for (size_t i = 0; i < o.n; i++) {
		int64_t piece = o.first + (int64_t)i;
		double end_s = (double)(piece + 1) * STEP_BIN_S;

		if (piece < 0 || end_s > seconds + warm_s)
			continue; /* before the first or after the last frame */
		bytes += o.bin[i].bytes;
		row_set_parameters(out, r->cell);
		row_set_text(out, "part", part);
		row_finish(out, { "frames", (double)p->trial.frames }, { "time_s", end_s },
			   { "mbit_per_s", o.bin[i].bytes * STEP_BIN_MBIT_PER_S }, { "cpu_percent", o.bin[i].cpu_percent },
			   { "hits_percent", 100 * compute_hit_ratio(t, bytes / (end_s / period)) });
	}
	free(o.bin);
}

static void write_series(const struct experiment_cell *c, struct table_out *out)
{
	if (!c->n)
		return;
	write_loop(c->repeat, "fits", out);
	write_loop(c->repeat, "over", out);
}

const struct extractor_hooks remembered_extractor = {
	.name = "remembered",
	.repeat_size = sizeof(struct cache_findings),
	.read_repeat = read_repeat,
	.finish_cell = set_policy,
	.number_of = compute_point_figure,
	.tables = { { "points", write_points }, { "overtime", write_series } },
};
