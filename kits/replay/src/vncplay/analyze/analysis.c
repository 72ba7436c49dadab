// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis.h"
#include "array.h"

#include <errno.h>
#include <stdlib.h>

#define EVERYWHERE 0.6 /* share of the changing tiles: when more are masked, the whole screen is noise */
#define MASKED_LEAST 4 /* fewer masked changes of a tile than this are not reported */

struct replay_changes {		    /* the changes of one run, sorted */
	uint32_t *start;	    /* for each tile: index of its first change in `change` */
	struct tile_change *change; /* ascending in tile, then in time */
	uint32_t *place;	    /* for each change of the log: its index in `change` */
	uint32_t *update_ms;
	uint32_t *press_ms;	   /* when each input was sent and, last, when the run ended; ms since the log began */
	struct stimulus *stimulus; /* as many as in the run with most; beyond the run's own: press_us -1 */
	uint8_t *used, *masked;	   /* for each update, 1: it belongs to a response; it has a change that is not masked */
};

struct analysis_state {
	const struct replay *replay;
	int runs, inputs, columns, rows;
	struct replay_changes *view;
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

static int32_t find_last_press(const uint32_t *press, int inputs, uint32_t ms)
{
	int from = 0, to = inputs;

	while (from < to) {
		int middle = from + (to - from) / 2;

		if (press[middle] < ms)
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

/* Sorts the changes by tile: counts those of each tile, then puts each into its place. */
static void sort_changes(const struct analysis_state *w, const struct tilelog *tiles, struct replay_changes *v)
{
	uint32_t *at = v->start + 1; /* start[t + 1] moves from the first change of tile t to behind its last */

	for (size_t i = 0; i < tiles->n; i++)
		at[tile_index(w, tiles->changed[i]) + 1]++;
	for (size_t i = 1; i <= count_tiles(w); i++)
		at[i] += at[i - 1];
	for (size_t u = 0; u < tiles->n_updates; u++) {
		size_t end = u + 1 < tiles->n_updates ? tiles->update[u + 1].first : tiles->n;
		uint32_t ms = tiles->update[u].ms;
		int32_t after = find_last_press(v->press_ms, w->inputs, ms);

		v->update_ms[u] = ms;
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

static int make_changes(const struct analysis_state *w, const struct replay *r, struct replay_changes *v)
{
	v->start = calloc(count_tiles(w) + 2, sizeof(*v->start));
	v->change = malloc((r->tiles.n + 1) * sizeof(*v->change));
	v->place = malloc((r->tiles.n + 1) * sizeof(*v->place));
	v->update_ms = malloc((r->tiles.n_updates + 1) * sizeof(*v->update_ms));
	v->press_ms = malloc(((size_t)w->inputs + 1) * sizeof(*v->press_ms));
	v->stimulus = calloc((size_t)w->inputs + 1, sizeof(*v->stimulus));
	v->used = calloc(r->tiles.n_updates + 1, 1);
	v->masked = calloc(r->tiles.n_updates + 1, 1);
	if (!v->start || !v->change || !v->place || !v->update_ms || !v->press_ms || !v->stimulus || !v->used || !v->masked)
		return -ENOMEM;
	for (int i = 0; i <= w->inputs; i++) {
		bool there = (size_t)i < r->stimuli;

		v->stimulus[i] = there ? r->stimulus[i] : (struct stimulus){ .press_us = -1, .release_us = -1 };
		v->press_ms[i] = there ? (uint32_t)(r->stimulus[i].press_us / 1000) : r->total_ms + 1;
	}
	sort_changes(w, &r->tiles, v);
	return 0;
}

static void free_changes(struct replay_changes *v)
{
	free(v->start);
	free(v->change);
	free(v->place);
	free(v->update_ms);
	free(v->press_ms);
	free(v->stimulus);
	free(v->used);
	free(v->masked);
}

static int prepare_runs(struct analysis_state *w)
{
	size_t runs = (size_t)w->runs;
	int err = 0;

	w->view = calloc(runs, sizeof(*w->view));
	w->press_ms = calloc(runs, sizeof(*w->press_ms));
	w->track = calloc(runs, sizeof(*w->track));
	w->restless = calloc(count_tiles(w) + 1, sizeof(*w->restless));
	if (!w->view || !w->press_ms || !w->track || !w->restless)
		return -ENOMEM;
	for (int r = 0; r < w->runs && !err; r++) {
		err = make_changes(w, &w->replay[r], &w->view[r]);
		w->press_ms[r] = w->view[r].press_ms;
	}
	if (err)
		return err;
	w->animation = animation_new(w->runs, w->inputs, w->press_ms);
	w->align = aligner_new(w->runs, w->press_ms);
	return w->animation && w->align ? 0 : -ENOMEM;
}

/* Sets w->track to the changes of a tile. False: no run has any. */
static bool select_tile(struct analysis_state *w, size_t t)
{
	bool any = false;

	for (int r = 0; r < w->runs; r++) {
		const struct replay_changes *v = &w->view[r];

		w->track[r] = (struct tile_changes){ v->start[t + 1] - v->start[t], v->change + v->start[t] };
		any |= w->track[r].n > 0;
	}
	return any;
}

static int align_one_tile(struct analysis_state *w, size_t t)
{
	size_t column = t % (size_t)w->columns, row = t / (size_t)w->columns;
	int err;

	if (!select_tile(w, t))
		return 0;
	err = align_tile(w->align, (uint32_t)(row * TILE_COLUMNS + column), w->track, &w->common);
	for (int r = 0; r < w->runs; r++) {
		const struct tilelog *tiles = &w->replay[r].tiles;

		for (size_t i = 0; i < w->track[r].n; i++) {
			const struct tile_change *c = &w->track[r].change[i];

			if (c->masked)
				w->restless[t]++;
			else if (c->after >= 0)
				w->view[r].masked[c->update] = 1;
		}
		if (row < (size_t)tiles->rows && column < (size_t)tiles->columns)
			w->restless[t] += tiles->tile[row * (size_t)tiles->columns + column].unlisted;
	}
	return err;
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

/* With noise all over the screen no tile would be left for responses. New content is unmasked: noise differs between runs
 * anyway. */
static void unmask_content(const struct analysis_state *w)
{
	for (int r = 0; r < w->runs; r++)
		for (size_t i = 0; i < w->track[r].n; i++)
			if (!w->track[r].change[i].seen)
				w->track[r].change[i].masked = 0;
}

static int align_all_tiles(struct analysis_state *w)
{
	size_t with = 0, restless = 0;
	int err = 0;

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
	for (int r = 0; r < w->runs && !err; r++)
		err = animation_mask_groups(w->columns, w->rows, &w->replay[r].tiles, w->view[r].place, w->view[r].change);
	for (size_t t = 0; t < count_tiles(w) && !err; t++)
		err = align_one_tile(w, t);
	return err;
}

static int compare_areas(const void *a, const void *b)
{
	const struct masked_place *x = a, *y = b;
	int64_t ax = (int64_t)x->box.w * x->box.h, ay = (int64_t)y->box.w * y->box.h;

	return (ax < ay) - (ax > ay);
}

/* Gathers the masked tiles that touch tile t into one place. `stack` has room for all tiles. */
static struct masked_place gather_area(struct analysis_state *w, size_t t, uint32_t *stack)
{
	struct masked_place m = { .changes = 0 };
	size_t n = 0;

	stack[n++] = (uint32_t)t;
	m.changes = w->restless[t];
	w->restless[t] = 0;
	while (n) {
		int x, y;

		t = stack[--n];
		x = (int)(t % (size_t)w->columns);
		y = (int)(t / (size_t)w->columns);
		m.box = box_join(m.box, (struct box){ x * TILE_SIDE, y * TILE_SIDE, TILE_SIDE, TILE_SIDE });
		for (int i = 0; i < 9; i++) {
			int nx = x + i % 3 - 1, ny = y + i / 3 - 1;
			size_t next = (size_t)ny * (size_t)w->columns + (size_t)nx;

			if (nx < 0 || ny < 0 || nx >= w->columns || ny >= w->rows || w->restless[next] < MASKED_LEAST)
				continue;
			m.changes += w->restless[next];
			w->restless[next] = 0;
			stack[n++] = (uint32_t)next;
		}
	}
	return m;
}

static int gather_areas(struct analysis_state *w, struct analysis_result *out)
{
	uint32_t *stack = malloc((count_tiles(w) + 1) * sizeof(*stack));

	for (size_t t = 0; stack && t < count_tiles(w); t++) {
		if (w->restless[t] < MASKED_LEAST)
			continue;
		if (array_room(&out->masked, out->n_masked)) {
			free(stack);
			return -ENOMEM;
		}
		out->masked[out->n_masked++] = gather_area(w, t, stack);
	}
	free(stack);
	if (out->n_masked)
		qsort(out->masked, out->n_masked, sizeof(*out->masked), compare_areas);
	return stack ? 0 : -ENOMEM;
}

static int find_responses(struct analysis_state *w, struct analysis_result *out)
{
	struct analyzed_run *run = calloc((size_t)w->runs, sizeof(*run));
	int err;

	if (!run)
		return -ENOMEM;
	for (int r = 0; r < w->runs; r++)
		run[r] = (struct analyzed_run){ w->view[r].update_ms, w->replay[r].tiles.n_updates, w->view[r].stimulus,
						w->replay[r].move,    w->replay[r].moves,	    w->view[r].used };
	err = responses_find(run, w->runs, w->inputs, &w->common, &out->responses);
	for (int r = 0; r < w->runs; r++)
		for (size_t u = 0; u < run[r].updates; u++)
			out->unmatched[r] += w->view[r].masked[u] && !w->view[r].used[u];
	free(run);
	return err;
}

static void measure_runs(struct analysis_state *w, struct analysis_result *out)
{
	for (int r = 0; r < w->runs; r++) {
		const struct replay *p = &w->replay[r];

		w->inputs = (int)p->stimuli > w->inputs ? (int)p->stimuli : w->inputs;
		/* the screen may have been larger earlier in the log */
		for (size_t i = 0; i < p->tiles.n; i++) {
			int x = (int)(p->tiles.changed[i] % TILE_COLUMNS) + 1, y = (int)(p->tiles.changed[i] / TILE_COLUMNS) + 1;

			w->columns = x > w->columns ? x : w->columns;
			w->rows = y > w->rows ? y : w->rows;
		}
		for (size_t i = 0; i < p->stimuli && i < w->replay[0].stimuli; i++)
			out->differ |= p->stimulus[i].n != w->replay[0].stimulus[i].n ||
				       (p->stimulus[i].kind == STIMULUS_KEY) != (w->replay[0].stimulus[i].kind == STIMULUS_KEY);
	}
	out->inputs = w->inputs;
}

int analyze_replays(const struct replay *replay, int runs, struct analysis_result *out)
{
	struct analysis_state w = { .replay = replay, .runs = runs };
	int err;

	*out = (struct analysis_result){ 0 };
	measure_runs(&w, out);
	out->unmatched = calloc((size_t)runs, sizeof(*out->unmatched));
	err = out->unmatched ? prepare_runs(&w) : -ENOMEM;
	if (!err)
		err = align_all_tiles(&w);
	if (!err)
		err = find_responses(&w, out);
	if (!err)
		err = gather_areas(&w, out);
	for (int r = 0; w.view && r < runs; r++)
		free_changes(&w.view[r]);
	free(w.view);
	free(w.press_ms);
	free(w.track);
	free(w.restless);
	animation_free(w.animation);
	aligner_free(w.align);
	common_changes_free(&w.common);
	if (err)
		analysis_result_free(out);
	return err;
}

void analysis_result_free(struct analysis_result *s)
{
	responses_free(&s->responses);
	free(s->masked);
	free(s->unmatched);
	*s = (struct analysis_result){ 0 };
}
