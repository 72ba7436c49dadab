// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyze.h"
#include "memory.h"

#include <math.h>

#define EVERYWHERE 0.6 /* share of the changing tiles: when more are masked, the whole screen is noise */
/* A tile with its own pace: least number of changes; places between one input and the next, 0 to 1, that are early and late; share
 * of changes that are so, and that come after another input than in the first run; share of the variance of the times since the
 * input that those of the first run, by one factor, do not explain */
#define OWN_LEAST 4
#define PLACE_EARLY 0.4
#define PLACE_LATE 0.6
#define OWN_SIDE 0.25
#define OWN_OTHER 0.1
#define OWN_ODD 0.04
#define MASKED_LEAST 4 /* fewer masked changes of a tile than this are not reported */

struct analysis_state {
	int runs, inputs, columns, rows;
	struct analyzed_run *run;
	const uint32_t **press_ms;
	struct tile_changes *track;
	uint64_t *restless; /* for each tile: number of masked changes */
	struct animation *animation;
	struct aligner *align;
	struct common_changes common;
};

static size_t count_tiles(const struct analysis_state *w)
{
	return (size_t)w->columns * (size_t)w->rows;
}

/* Number of the last input until `ms`, in which rounded times may be equal; -1: none. */
static int32_t find_last_press(const uint32_t *press, int inputs, uint32_t ms)
{
	int from = 0, to = inputs;

	while (from < to) {
		int middle = from + (to - from) / 2;

		if (press[middle] <= ms)
			from = middle + 1;
		else
			to = middle;
	}
	return from - 1;
}

static size_t tile_index(const struct analysis_state *w, uint32_t tile)
{
	return tile / TILE_COLUMNS * (size_t)w->columns + tile % TILE_COLUMNS;
}

/* Number of the last input before an update; -1: none. Where only its millisecond is known, an input in it was before it. */
static int32_t find_cause(const struct analyzed_run *v, const struct tilelog_update *u)
{
	int64_t latest_us = u->us + (v->replay->exact ? 0 : 999);
	int32_t after = find_last_press(v->press_ms, v->inputs, u->ms);

	while (after >= 0 && v->stimulus[after].press_us > latest_us)
		after--;
	return after;
}

/* Sorts the changes by tile: counts those of each tile, then puts each into its place. */
static void sort_changes(const struct analysis_state *w, const struct tilelog *tiles, struct analyzed_run *v)
{
	uint32_t *at = v->start + 1; /* start[t + 1] moves from the first change of tile t to behind its last */

	for (size_t i = 0; i < tiles->n; i++)
		at[tile_index(w, tiles->changed[i]) + 1]++;
	for (size_t i = 1; i <= count_tiles(w); i++)
		at[i] += at[i - 1];
	for (size_t u = 0; u < tiles->n_updates; u++) {
		size_t end = u + 1 < tiles->n_updates ? tiles->update[u + 1].first : tiles->n;
		uint32_t ms = tiles->update[u].ms;
		int32_t after = find_cause(v, &tiles->update[u]);

		for (size_t i = tiles->update[u].first; i < end; i++) {
			v->place[i] = at[tile_index(w, tiles->changed[i])]++;
			v->change[v->place[i]] = (struct tile_change){
				.ms = ms, .update = (uint32_t)u, .content = tiles->content[i], .after = after
			};
		}
	}
	for (size_t t = 0; t < count_tiles(w); t++)
		for (uint32_t i = v->start[t]; i < v->start[t + 1]; i++)
			v->change[i].change = v->change[i].content - (i > v->start[t] ? v->change[i - 1].content : 0);
}

static void make_changes(const struct analysis_state *w, const struct replay *r, struct analyzed_run *v)
{
	v->replay = r;
	v->inputs = w->inputs;
	v->start = memory_new(count_tiles(w) + 2, sizeof(*v->start));
	v->change = memory_new(r->tiles.n, sizeof(*v->change));
	v->place = memory_new(r->tiles.n, sizeof(*v->place));
	v->press_ms = memory_new((size_t)w->inputs + 1, sizeof(*v->press_ms));
	v->stimulus = memory_new((size_t)w->inputs + 1, sizeof(*v->stimulus));
	v->used = memory_new(r->tiles.n_updates, 1);
	v->masked = memory_new(r->tiles.n_updates, 1);
	for (int i = 0; i <= w->inputs; i++) {
		bool there = (size_t)i < r->stimuli;

		v->stimulus[i] = there ? r->stimulus[i] : (struct stimulus){ .press_us = -1, .release_us = -1 };
		v->press_ms[i] = there ? (uint32_t)(r->stimulus[i].press_us / 1000) : r->total_ms + 1;
	}
	sort_changes(w, &r->tiles, v);
}

static void free_changes(struct analyzed_run *v)
{
	free(v->start);
	free(v->change);
	free(v->place);
	free(v->press_ms);
	free(v->stimulus);
	free(v->used);
	free(v->masked);
}

static void prepare_runs(struct analysis_state *w, const struct replay *replay)
{
	size_t runs = (size_t)w->runs;

	w->run = memory_new(runs, sizeof(*w->run));
	w->press_ms = memory_new(runs, sizeof(*w->press_ms));
	w->track = memory_new(runs, sizeof(*w->track));
	w->restless = memory_new(count_tiles(w), sizeof(*w->restless));
	for (int r = 0; r < w->runs; r++) {
		make_changes(w, &replay[r], &w->run[r]);
		w->press_ms[r] = w->run[r].press_ms;
	}
	w->animation = animation_new(w->runs, w->inputs, w->press_ms);
	w->align = aligner_new(w->runs, w->press_ms);
}

/* Sets w->track to the changes of a tile. False: no run has any. */
static bool select_tile(struct analysis_state *w, size_t t)
{
	bool any = false;

	for (int r = 0; r < w->runs; r++) {
		const struct analyzed_run *v = &w->run[r];

		w->track[r] = (struct tile_changes){ v->start[t + 1] - v->start[t], v->change + v->start[t] };
		any |= w->track[r].n > 0;
	}
	return any;
}

/* Whether the changes of one tile, from `from` on in w->common, come at their own pace, as those of a counter that shows the same
 * pictures in each run: early and late between inputs alike, not after the same inputs in each run, and not by one factor sooner or
 * later than in the first run. */
static bool has_own_pace(const struct analysis_state *w, size_t from)
{
	double early = 0, late = 0, other = 0, n = 0, odd = 0;

	for (int r = 0; r < w->runs; r++) {
		const uint32_t *press = w->press_ms[r], *press_0 = w->press_ms[0];
		double of_run = 0, square = 0, square_0 = 0, product = 0;

		for (size_t i = from; i < w->common.n; i++) {
			const uint32_t *at = &w->common.at[i * (size_t)w->runs];
			int32_t cause = w->common.change[i].cause, after;
			double ms, ms_0, place;

			if (at[0] == ALIGN_NONE || at[r] == ALIGN_NONE)
				continue;
			ms = w->run[r].replay->tiles.update[at[r]].ms;
			ms_0 = w->run[0].replay->tiles.update[at[0]].ms;
			after = find_last_press(press, w->inputs, (uint32_t)ms);
			place = (ms - press[after]) / ((double)press[after + 1] - press[after]);
			of_run++;
			early += place < PLACE_EARLY;
			late += place > PLACE_LATE;
			other += after != find_last_press(press_0, w->inputs, (uint32_t)ms_0);
			ms -= press[cause];
			ms_0 -= press_0[cause];
			square += ms * ms;
			square_0 += ms_0 * ms_0;
			product += ms * ms_0;
		}
		if (of_run < OWN_LEAST)
			return false;
		n += of_run;
		odd = fmax(odd, 1 - product * product / (square * square_0));
	}
	return early >= OWN_SIDE * n && late >= OWN_SIDE * n && other >= OWN_OTHER * n && odd >= OWN_ODD;
}

static void align_one_tile(struct analysis_state *w, size_t t)
{
	size_t column = t % (size_t)w->columns, row = t / (size_t)w->columns, from = w->common.n;

	if (!select_tile(w, t))
		return;
	align_tile(w->align, (uint32_t)(row * TILE_COLUMNS + column), w->track, &w->common);
	if (has_own_pace(w, from))
		w->common.n = from;
	for (int r = 0; r < w->runs; r++) {
		const struct tilelog *tiles = &w->run[r].replay->tiles;

		for (size_t i = 0; i < w->track[r].n; i++) {
			const struct tile_change *c = &w->track[r].change[i];

			if (c->masked)
				w->restless[t]++;
			else if (c->after >= 0)
				w->run[r].masked[c->update] = 1;
		}
		if (row < (size_t)tiles->rows && column < (size_t)tiles->columns)
			w->restless[t] += tiles->tile[row * (size_t)tiles->columns + column].unlisted;
	}
}

/* Whether most changes of this tile whose content occurs once are masked. */
static bool is_mostly_masked(const struct analysis_state *w)
{
	size_t masked = 0, n = 0;

	for (int r = 0; r < w->runs; r++) {
		for (size_t i = 0; i < w->track[r].n; i++) {
			const struct tile_change *c = &w->track[r].change[i];

			n += !c->seen;
			masked += !c->seen && c->masked;
		}
	}
	return masked > n / 2;
}

/* Unmasks new content: with noise all over the screen, no tile would be left for responses, and noise differs between runs
 * anyway. */
static void unmask_content(const struct analysis_state *w)
{
	for (int r = 0; r < w->runs; r++)
		for (size_t i = 0; i < w->track[r].n; i++)
			if (!w->track[r].change[i].seen)
				w->track[r].change[i].masked = 0;
}

static void align_all_tiles(struct analysis_state *w)
{
	size_t with = 0, restless = 0;

	for (size_t t = 0; t < count_tiles(w); t++) {
		if (!select_tile(w, t))
			continue;
		animation_mark_tile(w->animation, w->track);
		with++;
		restless += is_mostly_masked(w);
	}
	if (w->runs > 1 && (double)restless > EVERYWHERE * (double)with)
		for (size_t t = 0; t < count_tiles(w); t++)
			if (select_tile(w, t))
				unmask_content(w);
	for (int r = 0; r < w->runs; r++)
		animation_mask_groups(w->columns, w->rows, &w->run[r].replay->tiles, w->run[r].place, w->run[r].change);
	for (size_t t = 0; t < count_tiles(w); t++)
		align_one_tile(w, t);
}

static int compare_areas(const void *a, const void *b)
{
	const struct masked_place *x = a, *y = b;
	int64_t ax = (int64_t)x->box.w * x->box.h, ay = (int64_t)y->box.w * y->box.h;

	return (ax < ay) - (ax > ay);
}

/* Gathers masked tiles that touch into one place. */
static void gather_areas(const struct analysis_state *w, struct analysis_result *out)
{
	uint32_t *tile = memory_new(count_tiles(w), sizeof(*tile));
	uint8_t *set = memory_new(count_tiles(w), sizeof(*set));

	for (size_t t = 0; t < count_tiles(w); t++)
		set[t] = w->restless[t] >= MASKED_LEAST;
	for (size_t t = 0; t < count_tiles(w); t++) {
		struct masked_place m = { .changes = 0 };

		if (!set[t])
			continue;
		for (size_t n = animation_take_group(set, w->columns, w->rows, (uint32_t)t, tile); n-- > 0;) {
			m.changes += w->restless[tile[n]];
			area_include(&m.box, &(struct pixel_area){ (int)tile[n] % w->columns * TILE_SIDE,
								   (int)tile[n] / w->columns * TILE_SIDE, TILE_SIDE, TILE_SIDE });
		}
		memory_more(out->masked, out->n_masked);
		out->masked[out->n_masked++] = m;
	}
	free(tile);
	free(set);
	if (out->n_masked)
		qsort(out->masked, out->n_masked, sizeof(*out->masked), compare_areas);
}

static void measure_runs(struct analysis_state *w, const struct replay *replay, struct analysis_result *out)
{
	for (int r = 0; r < w->runs; r++) {
		const struct replay *p = &replay[r];
		/* the first move of the pointer has no answer */
		int answerable = (int)p->stimuli - (p->stimuli && p->stimulus[0].kind == STIMULUS_MOVE);

		w->inputs = (int)p->stimuli > w->inputs ? (int)p->stimuli : w->inputs;
		out->inputs = answerable > out->inputs ? answerable : out->inputs;
		/* the screen may have been larger earlier in the log */
		for (size_t i = 0; i < p->tiles.n; i++) {
			int x = (int)(p->tiles.changed[i] % TILE_COLUMNS) + 1, y = (int)(p->tiles.changed[i] / TILE_COLUMNS) + 1;

			w->columns = x > w->columns ? x : w->columns;
			w->rows = y > w->rows ? y : w->rows;
		}
		for (size_t i = 0; i < p->stimuli && i < replay[0].stimuli; i++)
			out->differ |= p->stimulus[i].n != replay[0].stimulus[i].n ||
				       (p->stimulus[i].kind == STIMULUS_KEY) != (replay[0].stimulus[i].kind == STIMULUS_KEY);
	}
}

void analyze_replays(const struct replay *replay, int runs, struct analysis_result *out)
{
	struct analysis_state w = { .runs = runs };

	*out = (struct analysis_result){ .unmatched = memory_new((size_t)runs, sizeof(*out->unmatched)) };
	measure_runs(&w, replay, out);
	prepare_runs(&w, replay);
	align_all_tiles(&w);
	responses_find(w.run, runs, &w.common, &out->responses);
	for (int r = 0; r < runs; r++)
		for (size_t u = 0; u < replay[r].tiles.n_updates; u++)
			out->unmatched[r] += w.run[r].masked[u] && !w.run[r].used[u];
	gather_areas(&w, out);
	for (int r = 0; r < runs; r++)
		free_changes(&w.run[r]);
	free(w.run);
	free(w.press_ms);
	free(w.track);
	free(w.restless);
	animation_free(w.animation);
	aligner_free(w.align);
	common_changes_free(&w.common);
}

void analysis_result_free(struct analysis_result *s)
{
	responses_free(&s->responses);
	free(s->masked);
	free(s->unmatched);
	*s = (struct analysis_result){ 0 };
}
