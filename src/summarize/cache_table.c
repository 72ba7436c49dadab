// SPDX-License-Identifier: GPL-3.0-or-later
#include "cache_table.h"

#include <math.h>
#include <string.h>

#define CLIFF_OFF 0.05		/* frames left out on the way make a cliff a little too far */
#define PLACES_OFF 0.2		/* cliff and random order tell the same size within this part of it */

enum figure { MISS, HIT, OVER_HITS, RANDOM_HITS, HOT_HITS, RANDOM_PLACES, FITS_MBIT, OVER_MBIT, FITS_CPU, OVER_CPU, FITS_SEEN, OVER_SEEN, FIGURES };

const char *const cache_summary_columns[] = {
	"cell", "protocol", "draw", "state", "repeats", "failed", "marked", "verdict", "frames_low", "frames_high", "frames_most", "places",
	"new_frame_wire_bytes", "hit_wire_bytes", "over_hits_percent", "random_hits_percent", "hot_hits_percent", "random_places",
	"fits_mbit_per_s", "over_mbit_per_s", "fits_cpu_percent", "over_cpu_percent", "fits_seen_per_s", "over_seen_per_s",
	"over_frames", "random_frames", "hot_frames", "policy", "scan_points", "scan_agree", "cache_sent_bytes", "cache_picture_bytes", "frame_bytes", "information_bytes", NULL,
};
const char *const cache_point_columns[] = { "cell", "protocol", "draw", "repeat", "name", "order", "frames", "mbit_per_s", "frame_wire_bytes", "hits_percent", "cpu_percent",
					    "shown_per_s", "seen_per_s", NULL };
const char *const cache_overtime_columns[] = { "cell", "protocol", "draw", "part", "frames", "time_s", "mbit_per_s", "cpu_percent", "hits_percent", NULL };

double cache_hits(double miss, double hit, double bytes)
{
	double h = (miss - bytes) / (miss - hit);

	if (!(miss > 0) || !(hit < CACHE_NONE * miss) || isnan(bytes))
		return NAN;
	return h < 0 ? 0 : h > 1 ? 1 : h;
}

const struct cache_point *cache_take_find(const struct cache_take *t, const char *name)
{
	for (size_t i = t->n; i-- > 0;)
		if (strcmp(t->point[i].name, name) == 0)
			return &t->point[i];
	return NULL;
}

static double bytes_of(const struct cache_take *t, const char *name)
{
	const struct cache_point *p = cache_take_find(t, name);

	return p ? p->step.bytes_per_frame : (double)NAN;
}

static double hits_of(const struct cache_take *t, const char *name)
{
	const struct cache_point *p = cache_take_find(t, name);

	return p ? p->hits : (double)NAN;
}

/* A cache that gives up places at random has no cliff: where the loop hits half, it holds fewer frames than that. Random order tells its size
 * all the same. */
static void find_places(struct cache_take *t)
{
	const struct cache_point *random = cache_take_find(t, "random");

	t->places = isnan(t->high) ? (double)NAN : t->low;
	t->random_places = random && !isnan(random->hits) ? eviction_capacity(random->hits, (double)random->trial.frames) : (double)NAN;
	if (!isnan(t->places) && !isnan(t->random_places) && fabs(t->random_places - t->low) > PLACES_OFF * t->low)
		t->places = t->random_places;
}

static void find_policy(struct cache_take *t)
{
	static const char *const names[] = { "over", "random", "hot" };
	struct eviction_trial trial[3];
	double hits[3];
	int n = 0;

	t->policy = EVICTIONS;
	for (int i = 0; i < 3; i++) {
		const struct cache_point *p = cache_take_find(t, names[i]);

		if (!p || isnan(p->hits))
			continue;
		trial[n] = p->trial;
		hits[n++] = p->hits;
	}
	if (n && t->places >= 1)
		t->policy = eviction_judge(t->places, t->places < t->low || t->places > t->low ? PLACES_OFF : CLIFF_OFF, trial, hits, n, t->off);
}

void cache_take_judge(struct cache_take *t)
{
	t->miss_bytes = bytes_of(t, "miss");
	t->hit_bytes = bytes_of(t, "hit");
	t->there = t->hit_bytes < CACHE_NONE * t->miss_bytes;
	t->scanned = t->agree = 0;
	for (size_t i = 0; i < t->n; i++) {
		struct cache_point *p = &t->point[i];
		double n = (double)p->trial.frames;

		p->hits = cache_hits(t->miss_bytes, t->hit_bytes, p->step.bytes_per_frame);
		if (strcmp(p->name, "scan") != 0 || isnan(p->hits))
			continue;
		t->scanned++;
		t->agree += (n <= t->low) == (p->hits >= 0.5);
	}
	find_places(t);
	find_policy(t);
}

static void add(struct cache_pool *p, enum figure f, double v)
{
	if (!isfinite(v))
		return;
	p->sum[f] += v;
	p->known[f]++;
}

static void add_loop(struct cache_pool *p, const struct cache_take *t, const char *name, enum figure mbit, enum figure cpu, enum figure seen)
{
	const struct cache_point *of = cache_take_find(t, name);

	if (!of)
		return;
	add(p, mbit, step_mbit_s(&of->step));
	add(p, cpu, of->step.cpu_percent);
	add(p, seen, of->step.seen / of->step.seconds);
}

static double frames_of(const struct cache_take *t, const char *name)
{
	const struct cache_point *p = cache_take_find(t, name);

	return p ? (double)p->trial.frames : (double)NAN;
}

void cache_pool_add(struct cache_pool *p, const struct cache_take *t)
{
	const struct cache_point *miss = cache_take_find(t, "miss");
	bool first = !p->repeats++;

	p->there += t->there;
	p->beyond += t->there && isnan(t->high);
	p->low_min = first ? t->low : fmin(p->low_min, t->low);
	p->high_max = first ? t->high : fmax(p->high_max, t->high);
	p->most = first ? t->most : fmax(p->most, t->most);
	if (!isnan(t->places)) {
		p->places_sum += t->places;
		p->places_known++;
	}
	add(p, MISS, t->miss_bytes);
	add(p, HIT, t->hit_bytes);
	add(p, OVER_HITS, hits_of(t, "over"));
	add(p, RANDOM_HITS, hits_of(t, "random"));
	add(p, HOT_HITS, hits_of(t, "hot"));
	add(p, RANDOM_PLACES, t->random_places);
	add_loop(p, t, "fits", FITS_MBIT, FITS_CPU, FITS_SEEN);
	add_loop(p, t, "over", OVER_MBIT, OVER_CPU, OVER_SEEN);
	p->policy = first || p->policy == t->policy ? t->policy : EVICTIONS;
	p->scanned += t->scanned;
	p->agree += t->agree;
	if (!first)
		return;
	p->frames[0] = frames_of(t, "over");
	p->frames[1] = frames_of(t, "random");
	p->frames[2] = frames_of(t, "hot");
	p->frame_bytes = miss ? miss->step.frame_bytes : (double)NAN;
	p->information_bytes = miss ? miss->step.information_bytes : (double)NAN;
}

static void write_names(struct rows *t, const struct step_system *s)
{
	rows_str(t, s->cell);
	rows_str(t, s->protocol);
	rows_str(t, s->draw);
}

void cache_write_point(struct rows *t, const struct step_system *s, int64_t repeat, const struct cache_point *p)
{
	write_names(t, s);
	rows_int(t, repeat);
	rows_str(t, p->name);
	rows_str(t, sequence_names[p->trial.order]);
	rows_count(t, p->trial.frames > 0 ? p->trial.frames : -1);
	whole_number(t, step_mbit_s(&p->step), 4);
	whole_number(t, p->step.bytes_per_frame, 1);
	whole_number(t, 100 * p->hits, 2);
	whole_number(t, p->step.cpu_percent, 2);
	whole_number(t, p->step.shown / p->step.seconds, 2);
	whole_number(t, p->step.seen / p->step.seconds, 2);
	rows_end(t);
}

static double mean_of(const struct cache_pool *p, enum figure f)
{
	return p->known[f] ? p->sum[f] / (double)p->known[f] : (double)NAN;
}

/* Repeats that do not tell the same tell nothing. */
static const char *verdict(const struct cache_pool *p)
{
	if (!p->repeats)
		return "";
	if (!p->there)
		return "none";
	return p->there < p->repeats || (p->beyond && p->beyond < p->repeats) ? "unclear" : p->beyond ? "beyond" : "size";
}

void cache_write_system(struct rows *t, const struct step_system *s, const struct cache_pool *p)
{
	bool there = p->there > 0, size = there && p->places_known;
	double places = size ? p->places_sum / (double)p->places_known : (double)NAN;

	write_names(t, s);
	rows_str(t, p->repeats ? "measured" : p->failed ? "failed" : "not measured");
	rows_int(t, (int64_t)p->repeats);
	rows_int(t, (int64_t)p->failed);
	rows_int(t, (int64_t)p->marked);
	rows_str(t, verdict(p));
	whole_number(t, there ? p->low_min : (double)NAN, 0);
	whole_number(t, there ? p->high_max : (double)NAN, 0);
	whole_number(t, p->repeats ? p->most : (double)NAN, 0);
	whole_number(t, places, 1);
	for (int f = MISS; f < FIGURES; f++)
		whole_number(t, (f >= OVER_HITS && f <= HOT_HITS ? 100 : 1) * mean_of(p, (enum figure)f), f == MISS || f == HIT ? 1 : 3);
	for (int i = 0; i < 3; i++)
		whole_number(t, there ? p->frames[i] : (double)NAN, 0);
	rows_str(t, size && p->policy < EVICTIONS ? eviction_names[p->policy] : "");
	rows_int(t, (int64_t)p->scanned);
	rows_int(t, (int64_t)p->agree);
	whole_number(t, places * mean_of(p, MISS), 0);
	whole_number(t, p->repeats ? places * p->frame_bytes : (double)NAN, 0);
	whole_number(t, p->repeats ? p->frame_bytes : (double)NAN, 0);
	whole_number(t, p->repeats ? p->information_bytes : (double)NAN, 0);
	rows_end(t);
}
