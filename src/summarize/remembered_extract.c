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
#define CLIFF_OFF 0.05		/* tolerance of a cache size found by loops: the search skips some lengths */
#define PLACES_OFF 0.2		/* tolerance between cache sizes found by loops and by random order */
#define FRAMES_MAX 100000
#define NUMBER_MAX 1e15

struct remembered_search_point {
	const char *name, *folder;	/* folder: of the point's step; NULL: none */
	char path[32];			/* JSON path of the point in cell.json */
	struct eviction_frame_sequence trial;
	double hits;			/* hit ratio, 0 to 1; NAN: not known */
};

/* What is kept of a repeat. */
struct frame_cache_findings {
	struct remembered_search_point *point;
	size_t n;
	double low, high;		/* frames of the longest loop that hits, and of the shortest that does not; NAN: not found */
	double miss, hit;		/* bytes of a frame on the wire */
	double places;			/* cached frames: by loops, or by random order if that gives another size (random eviction has no sharp limit) */
	enum eviction policy;
};

static double remembered_point_figure(const struct experiment_repeat *r, const struct remembered_search_point *p,
				      const char *figure)
{
	double v = NAN;

	if (p)
		step_compute_figure(r->json, p->path, figure, &v);
	return v;
}

/* Returns a whole number of a point; 0: there is none. */
static int64_t remembered_read_integer_of_point(const struct experiment_repeat *r, const struct remembered_search_point *p,
						const char *key)
{
	double v = json_number(r->json, "%s.%s", p->path, key);

	return v >= 0 && v <= NUMBER_MAX ? (int64_t)v : 0;
}

/* True: the simulation can play the point in reasonable time. */
static bool remembered_sequence_is_simulable(const struct eviction_frame_sequence *t)
{
	bool frames = t->order == SEQUENCE_FRESH || (t->frames >= 2 && t->frames <= FRAMES_MAX);

	return t->order < SEQUENCE_ORDERS && frames && (t->order != SEQUENCE_HOT || (t->hot >= 1 && t->hot < t->frames)) &&
	       t->warm <= FRAMES_MAX && t->count >= 1 && t->count <= FRAMES_MAX;
}

static void remembered_read_points(const struct experiment_repeat *r, struct frame_cache_findings *t)
{
	const char *name, *order;

	while ((name = json_get_text(r->json, "points.%zu.name", t->n))) {
		struct remembered_search_point *p;
		int is = SEQUENCE_ORDERS;

		t->point = memory_grow(t->point, t->n, sizeof(*p));
		p = &t->point[t->n];
		*p = (struct remembered_search_point){ .name = name };
		snprintf(p->path, sizeof(p->path), "points.%zu", t->n++);
		p->folder = json_get_text(r->json, "%s.step", p->path);
		order = json_get_text(r->json, "%s.order", p->path);
		for (int o = 0; order && o < SEQUENCE_ORDERS; o++)
			is = strcmp(order, sequence_names[o]) ? is : o;
		p->trial = (struct eviction_frame_sequence){ (enum sequence_order)is, remembered_read_integer_of_point(r, p, "frames"),
			remembered_read_integer_of_point(r, p, "hot"),
			remembered_read_integer_of_point(r, p, "warm"), remembered_read_integer_of_point(r, p, "count"),
				(uint64_t)remembered_read_integer_of_point(r, p, "seed") };
		if (!remembered_sequence_is_simulable(&p->trial) || (p->folder && (strchr(p->folder, '/') || p->folder[0] == '.')) ||
		    isnan(remembered_point_figure(r, p, "seconds")))
			die(EXIT_RUN, "%s/cell.json: points[] has an element without valid order, frames, count or seconds", r->folder);
	}
}

/* Returns the last point of that name, as it was measured again for confirmation; NULL: there is none. */
static const struct remembered_search_point *remembered_find_point_by_name(const struct frame_cache_findings *t, const char *name)
{
	for (size_t i = t->n; i-- > 0;)
		if (!strcmp(t->point[i].name, name))
			return &t->point[i];
	return NULL;
}

static bool remembered_has_cache(const struct frame_cache_findings *t)
{
	return t->hit < REMEMBERED_NONE * t->miss;
}

static double remembered_hit_ratio_from_bytes(const struct frame_cache_findings *t, double bytes)
{
	double h = (t->miss - bytes) / (t->miss - t->hit);

	return remembered_has_cache(t) && !isnan(bytes) ? fmin(fmax(h, 0), 1) : (double)NAN;
}

/* Sets `places`, and returns the cache size by random order. A cache with random eviction has no sharp limit: a loop that hits half
 * of the time is longer than the cache. Random order gives its size all the same. */
static double remembered_determine_cache_size(struct frame_cache_findings *t)
{
	const struct remembered_search_point *random = remembered_find_point_by_name(t, "random");
	double places = random ? eviction_capacity_from_hits(random->hits, (double)random->trial.frames) : (double)NAN;

	t->places = isnan(t->high) || !remembered_has_cache(t) ? (double)NAN : t->low;
	if (!isnan(t->places) && !isnan(places) && fabs(places - t->low) > PLACES_OFF * t->low)
		t->places = places;
	return places;
}

static void remembered_determine_policy(struct frame_cache_findings *t)
{
	static const char *const names[] = { "over", "random", "hot" };
	struct eviction_frame_sequence trial[3];
	double hits[3];
	int n = 0;

	for (int i = 0; i < 3; i++) {
		const struct remembered_search_point *p = remembered_find_point_by_name(t, names[i]);

		if (!p || isnan(p->hits))
			continue;
		trial[n] = p->trial;
		hits[n++] = p->hits;
	}
	t->policy = EVICTIONS;
	if (n && t->places >= 1)
		t->policy = eviction_find_likely_policy(t->places, t->places < t->low || t->places > t->low ? PLACES_OFF : CLIFF_OFF, trial, hits,
							n);
}

static void remembered_read_files_of_repeat(const struct experiment_repeat *r)
{
	struct frame_cache_findings *t = extractor_data_of_repeat(r);
	double scanned = 0, agree = 0;

	remembered_read_points(r, t);
	t->low = json_number(r->json, "search.low");
	t->high = json_number(r->json, "search.high");
	t->miss = remembered_point_figure(r, remembered_find_point_by_name(t, "miss"), "bytes_per_frame");
	t->hit = remembered_point_figure(r, remembered_find_point_by_name(t, "hit"), "bytes_per_frame");
	for (struct remembered_search_point *p = t->point; p < t->point + t->n; p++) {
		p->hits = remembered_hit_ratio_from_bytes(t, remembered_point_figure(r, p, "bytes_per_frame"));
		if (strcmp(p->name, "scan") != 0 || isnan(p->hits))
			continue;
		scanned++;
		agree += ((double)p->trial.frames <= t->low) == (p->hits >= 0.5);
	}
	extractor_set_value("random_places", remembered_determine_cache_size(t));
	remembered_determine_policy(t);
	give_values({ "low", t->low }, { "high", t->high }, { "most", json_number(r->json, "search.most") }, { "places", t->places },
		    { "sent_bytes", t->places * t->miss },
		    { "picture_bytes", t->places * remembered_point_figure(r, remembered_find_point_by_name(t, "miss"), "frame_bytes") },
			{ "scan_points", scanned },
		    { "scan_agree", agree });
}

/* Computes POINT.FIGURE. */
static bool remembered_compute_figure_of_point(const struct experiment_repeat *r, const char *path, double *out)
{
	const struct remembered_search_point *p;
	const char *dot = strchr(path, '.');
	char name[16];

	if (!dot)
		return false;
	snprintf(name, sizeof(name), "%.*s", (int)(dot - path), path);
	p = remembered_find_point_by_name(extractor_data_of_repeat(r), name);
	if (!strcmp(dot, ".frames"))
		*out = p ? (double)p->trial.frames : (double)NAN;
	else if (!strcmp(dot, ".hits_percent"))
		*out = p ? 100 * p->hits : (double)NAN;
	else
		return step_compute_figure(r->json, p ? p->path : "", dot + 1, out);
	return true;
}

/* Gives policy and verdict; repeats that disagree give no policy, and no size. */
static void remembered_set_policy_and_verdict(const struct experiment_cell *c)
{
	const struct frame_cache_findings *t = extractor_data_of_repeat(c->repeat);
	enum eviction policy = c->n ? t->policy : EVICTIONS;
	double least = INFINITY, most = 0;
	size_t there = 0, beyond = 0;

	for (size_t i = 0; i < c->n; i++) {
		least = fmin(least, t[i].places);
		most = fmax(most, t[i].places);
		policy = policy == t[i].policy ? policy : EVICTIONS;
		there += remembered_has_cache(&t[i]);
		beyond += remembered_has_cache(&t[i]) && isnan(t[i].high);
	}
	extractor_set_text("policy", policy < EVICTIONS ? eviction_names[policy] : NULL);
	extractor_set_text("verdict", !c->n ? NULL : !there ? "none" : there < c->n || (beyond && beyond < c->n) ||
		  most > (1 + PLACES_OFF) * least ? "unclear" : beyond ? "beyond" : "size");
}

static void remembered_write_points(const struct experiment_cell *c, struct table_out *out)
{
	static const char *const figures[] = { "mbit_per_s", "cpu_percent", "shown_per_s", "seen_per_s" };

	for (const struct experiment_repeat *r = c->repeat; r < c->repeat + c->n; r++) {
		const struct frame_cache_findings *t = extractor_data_of_repeat(r);

		for (const struct remembered_search_point *p = t->point; p < t->point + t->n; p++) {
			row_set_cell_parameters(out, c);
			row_set_number(out, "repeat", (double)r->number);
			row_set_text(out, "name", p->name);
			row_set_text(out, "order", sequence_names[p->trial.order]);
			row_numbers(out, { "frames", p->trial.frames > 0 ? (double)p->trial.frames : (double)NAN },
				    { "frame_wire_bytes", remembered_point_figure(r, p, "bytes_per_frame") }, { "hits_percent", 100 * p->hits });
			for (size_t f = 0; f < sizeof(figures) / sizeof(*figures); f++)
				row_set_number(out, figures[f], remembered_point_figure(r, p, figures[f]));
			row_write_to_table(out);
		}
	}
}

/* Writes loop `part` over time. The hit ratio is cumulative from the beginning on, as in the paper. */
static void remembered_write_loop_series(const struct experiment_repeat *r, const char *part, struct table_out *out)
{
	const struct frame_cache_findings *t = extractor_data_of_repeat(r);
	const struct remembered_search_point *p = remembered_find_point_by_name(t, part);
	double from_ns = remembered_point_figure(r, p, "from_ns"), seconds = remembered_point_figure(r, p, "seconds"), bytes = 0, period,
			 warm_s;
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
			continue;	/* before the first or after the last frame */
		bytes += o.bin[i].bytes;
		row_set_cell_parameters(out, r->cell);
		row_set_text(out, "part", part);
		row_finish(out, { "frames", (double)p->trial.frames }, { "time_s", end_s },
			    { "mbit_per_s", o.bin[i].bytes * STEP_BIN_MBIT_PER_S }, { "cpu_percent", o.bin[i].cpu_percent },
			    { "hits_percent", 100 * remembered_hit_ratio_from_bytes(t, bytes / (end_s / period)) });
	}
	free(o.bin);
}

static void remembered_write_series_rows(const struct experiment_cell *c, struct table_out *out)
{
	if (!c->n)
		return;
	remembered_write_loop_series(c->repeat, "fits", out);
	remembered_write_loop_series(c->repeat, "over", out);
}

const struct extractor_hooks remembered_extractor = {
	.name = "remembered", .repeat_size = sizeof(struct frame_cache_findings), .read_repeat = remembered_read_files_of_repeat,
	.finish_cell = remembered_set_policy_and_verdict, .number_of = remembered_compute_figure_of_point,
		       .tables = { { "points", remembered_write_points },
		    { "overtime", remembered_write_series_rows } },
};
