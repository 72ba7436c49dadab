/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cache_table - what the steps of one search for a cache tell together, and its rows.
 *
 * The share of hits is told from bytes: a frame that is new costs `miss`, one of a loop of two costs `hit`, so what costs b hit in
 * (miss - b) / (miss - hit) of the cases. Where a loop of two still costs CACHE_NONE of a new frame there is no cache. */
#ifndef THINPROBE_SUMMARIZE_CACHE_TABLE_H
#define THINPROBE_SUMMARIZE_CACHE_TABLE_H

#include "eviction.h"
#include "step.h"
#include "whole.h"

#define CACHE_POINTS_MAX 400
#define CACHE_NONE 0.5

/* 0 to 1; NAN: not known, or there is no cache. */
double cache_hits(double miss_bytes, double hit_bytes, double bytes);

/* One step. name: miss (frames that are new), hit (a loop of two), search, scan, fits (the longest loop that hits, once more), over (one that does
 * not fit), random, hot. */
struct cache_point {
	char name[16], folder[64];
	struct eviction_trial trial;
	struct step step;
	double hits;		/* 0 to 1; NAN */
};

/* One repeat. */
struct cache_take {
	struct cache_point point[CACHE_POINTS_MAX];
	size_t n;
	double low, high, most;		/* frames: the longest loop that hits, the shortest that does not, the longest that was tried; NAN */
	double miss_bytes, hit_bytes;
	bool there;			/* there is a cache */
	double places;			/* frames it holds: by the cliff, or by random order where that tells something else (then no cliff is sharp) */
	double random_places;
	enum eviction policy;
	double off[EVICTIONS];
	size_t scanned, agree;		/* loops of the scan; of these: that hit as the cliff says */
};

/* Fills what follows from the points. */
void cache_take_judge(struct cache_take *t);
/* The last of that name: what was confirmed. */
const struct cache_point *cache_take_find(const struct cache_take *t, const char *name);

/* All repeats of a system. Zeroed is empty. */
struct cache_pool {
	size_t repeats, failed, marked, there, beyond;
	double low_min, high_max, most, sum[16], places_sum;
	size_t known[16], places_known;
	double frames[3];		/* of over, random, hot in the first repeat */
	enum eviction policy;		/* of all of them; EVICTIONS: not told, or not the same */
	size_t scanned, agree;
	double frame_bytes, information_bytes;
};
void cache_pool_add(struct cache_pool *p, const struct cache_take *t);

extern const char *const cache_summary_columns[], *const cache_point_columns[], *const cache_overtime_columns[];
void cache_write_point(struct rows *t, const struct step_system *s, int64_t repeat, const struct cache_point *p);
void cache_write_system(struct rows *t, const struct step_system *s, const struct cache_pool *p);

#endif
