// SPDX-License-Identifier: GPL-3.0-or-later
/* learn_core - finds the changes of the screen before each input that all replays have in common. */
#include "learn_core.h"
#include "memory.h"

#include <errno.h>

#define CELLS_MOST (512u << 20) /* bound of tiles * steps, for memory */
#define ALONE_US 1000000	/* a tile changes by itself when it changes later than this after an input, */
#define ALONE_APART_US 100000	/* ALONE_TIMES times, at least this far apart, before the next input */
#define ALONE_TIMES 3

struct learned_tile { /* of the current replay, except alone_runs and ever */
	int alone_runs;
	bool ever; /* the tile is part of a step */
	bool alone;
	int interval; /* the last interval between steps in which the tile changed; -1: none yet */
	int gap, times;
	int64_t counted_us;
};

struct learned_step {
	struct dependency part[LEARN_BOXES];
	bool known[LEARN_BOXES]; /* a replay has told the part's hash */
	int line, parts;
};

struct learner {
	int inputs, steps, runs;
	int *step_of; /* of each input; -1: the input is no step */
	struct learned_step *step;
	int width, height, across, down, tiles;
	uint16_t *changed; /* changed[step * tiles + tile]: number of replays in which the tile changed before that step */
	struct learned_tile *tile;
	/* the replay whose parts are hashed */
	const struct sent_inputs *hashed;
	int sent;
};

struct learner *learn_begin(const struct input_trace *t)
{
	struct learner *l = memory_new(1, sizeof(*l));

	l->step_of = memory_new((size_t)t->n, sizeof(*l->step_of));
	l->step = memory_new((size_t)t->n, sizeof(*l->step));
	for (int i = 0; i < t->n; i++) {
		const struct trace_event *e = &t->events[i];

		if (e->kind == TRACE_SNAPSHOT)
			continue;
		l->step_of[l->inputs] = -1;
		if (e->kind == TRACE_PRESS || e->kind == TRACE_KEY_DOWN) {
			l->step[l->steps].line = e->line;
			l->step_of[l->inputs] = l->steps++;
		}
		l->inputs++;
	}
	return l;
}

void learn_free(struct learner *l)
{
	free(l->step_of);
	free(l->step);
	free(l->changed);
	free(l->tile);
	free(l);
}

int learn_count_steps(const struct learner *l)
{
	return l->steps;
}

/* The first replay gives the screen's size. */
static int measure_screen(struct learner *l, const struct replay *r, struct why *why)
{
	if (r->resizes != 1)
		return why_fail(-EPROTO, why, "%s", r->resizes ? "the screen changes its size" : "the log has no screen");
	if (l->tiles)
		return r->width == l->width && r->height == l->height ? 0 : why_fail(-ERANGE, why, "its screen has another size");
	l->width = r->width;
	l->height = r->height;
	l->across = r->tiles.columns;
	l->down = r->tiles.rows;
	l->tiles = l->across * l->down;
	if (((uint64_t)l->steps + 1) * (uint64_t)l->tiles > CELLS_MOST)
		return why_fail(-ENOMEM, why, "its screen is too large for %d steps", l->steps);
	l->changed = memory_new(((size_t)l->steps + 1) * (size_t)l->tiles, sizeof(*l->changed));
	l->tile = memory_new((size_t)l->tiles, sizeof(*l->tile));
	return 0;
}

/* Counts the changes of a tile that come at least ALONE_US after the last input and ALONE_APART_US apart. ALONE_TIMES of them
 * before the next input set t->alone: the tile changes by itself. `sent`: number of inputs so far; last_us: when the last went. */
static void count_lone_change(struct learned_tile *t, int sent, int64_t last_us, int64_t at_us)
{
	if (at_us - last_us < ALONE_US || (t->gap == sent && at_us - t->counted_us < ALONE_APART_US))
		return;
	if (t->gap != sent)
		t->times = 0;
	t->gap = sent;
	t->counted_us = at_us;
	if (++t->times == ALONE_TIMES)
		t->alone = true;
}

/* Inputs sent up to and including a millisecond come before the changes of it. */
static bool is_sent(const struct learner *l, const struct sent_inputs *in, int input, uint32_t ms)
{
	return input < l->inputs && in->input[input].at_us < ((int64_t)ms + 1) * 1000;
}

int learn_count_changes(struct learner *l, const struct replay *r, struct why *why)
{
	const struct tilelog *log = &r->tiles;
	int sent = 0, next = 0, err = measure_screen(l, r, why);

	if (err)
		return err;
	for (int i = 0; i < l->tiles; i++)
		l->tile[i] = (struct learned_tile){ .alone_runs = l->tile[i].alone_runs, .interval = -1 };
	for (size_t u = 0; u < log->n_updates; u++) {
		size_t end = u + 1 < log->n_updates ? log->update[u + 1].first : log->n;

		for (; is_sent(l, &r->inputs, sent, log->update[u].ms); sent++)
			next = l->step_of[sent] >= 0 ? l->step_of[sent] + 1 : next;
		if (!sent) /* the server sends the first screen */
			continue;
		for (size_t i = log->update[u].first; i < end; i++) {
			int tile = (int)(log->changed[i] / TILE_COLUMNS) * l->across + (int)(log->changed[i] % TILE_COLUMNS);
			uint16_t *runs = &l->changed[(size_t)next * (size_t)l->tiles + (size_t)tile];

			count_lone_change(&l->tile[tile], sent, r->inputs.input[sent - 1].at_us, (int64_t)log->update[u].ms * 1000);
			if (l->tile[tile].interval != next && *runs < UINT16_MAX)
				++*runs;
			l->tile[tile].interval = next;
		}
	}
	for (int i = 0; i < l->tiles; i++)
		l->tile[i].alone_runs += l->tile[i].alone;
	l->runs++;
	return 0;
}

/* Notes the hashes of a step's parts when the step is sent. */
static void hash_sent_parts(void *whose, const struct screen *s, uint32_t ms)
{
	struct learner *l = whose;

	for (; is_sent(l, l->hashed, l->sent, ms); l->sent++) {
		struct learned_step *step = l->step_of[l->sent] < 0 ? NULL : &l->step[l->step_of[l->sent]];

		for (int i = 0; step && i < step->parts; i++) {
			uint64_t hash = deps_hash_part(s, step->part[i].box);

			step->part[i].any |= step->known[i] && step->part[i].hash != hash;
			step->part[i].hash = hash;
			step->known[i] = true;
		}
	}
}

int learn_hash_parts(struct learner *l, const char *log, const struct sent_inputs *inputs)
{
	static const struct rfb_event_callbacks events = { 0 };

	l->hashed = inputs;
	l->sent = 0;
	return replay_decode(log, &events, l, hash_sent_parts, NULL);
}

static int box_area(const struct pixel_area *b)
{
	return b->w * b->h;
}

static void add_box(struct pixel_area *boxes, int *n, int most, struct pixel_area b)
{
	int least = 0;

	if (*n < most) {
		boxes[(*n)++] = b;
		return;
	}
	for (int i = 1; i < *n; i++)
		if (box_area(&boxes[i]) < box_area(&boxes[least]))
			least = i;
	if (box_area(&b) > box_area(&boxes[least]))
		boxes[least] = b;
}

static int compare_places(const void *a, const void *b)
{
	const struct pixel_area *p = a, *q = b;

	return p->y != q->y ? (p->y > q->y) - (p->y < q->y) : (p->x > q->x) - (p->x < q->x);
}

/* Each rectangle is a run of tiles in a row, extended down as long as the rows below have the same run. */
int learn_cover_tiles(const uint8_t *set, int w, int h, int width, int height, struct pixel_area *boxes, int most)
{
	uint8_t *left = memory_new((size_t)w * (size_t)h, 1);
	int n = 0;

	memcpy(left, set, (size_t)w * (size_t)h);
	for (int y = 0; y < h; y++) {
		for (int x = 0; x < w; x++) {
			uint8_t *row = left + (size_t)y * (size_t)w;
			int end = x, down = y;
			struct pixel_area b;

			if (!row[x])
				continue;
			while (end < w && row[end])
				end++;
			for (bool same = true; same && down < h; down += same) {
				row = left + (size_t)down * (size_t)w;
				same = (x == 0 || !row[x - 1]) && (end == w || !row[end]);
				for (int i = x; same && i < end; i++)
					same = row[i];
				if (same)
					memset(row + x, 0, (size_t)(end - x));
			}
			b = area_clip(
				(struct pixel_area){ x * TILE_SIDE, y * TILE_SIDE, (end - x) * TILE_SIDE, (down - y) * TILE_SIDE },
				width, height);
			add_box(boxes, &n, most, b);
			x = end - 1;
		}
	}
	free(left);
	qsort(boxes, (size_t)n, sizeof(*boxes), compare_places);
	return n;
}

static void add_ignored_tiles(struct learner *l, const uint8_t *set, enum deps_why why, struct dependencies *d)
{
	struct pixel_area *boxes = memory_new((size_t)l->tiles, sizeof(*boxes));
	int n = learn_cover_tiles(set, l->across, l->down, l->width, l->height, boxes, l->tiles);

	for (int i = 0; i < n; i++)
		deps_add_ignored(d, &(struct ignored_part){ .box = boxes[i], .why = why });
	free(boxes);
}

static bool changes_alone(const struct learner *l, int tile)
{
	return 2 * l->tile[tile].alone_runs >= l->runs;
}

static int count_changing_replays(const struct learner *l, int step, int tile)
{
	return step < 0 || step > l->steps ? 0 : l->changed[(size_t)step * (size_t)l->tiles + (size_t)tile];
}

/* Whether a tile changes before some steps in some replays only, at least twice. A change that the other replays have one step
 * earlier or later is slow there, not missing. */
static bool changes_sometimes(const struct learner *l, int tile)
{
	int n = 0;

	for (int step = 0; step <= l->steps; step++) {
		int here = count_changing_replays(l, step, tile);

		n += here && here + count_changing_replays(l, step + 1, tile) < l->runs &&
		     here + count_changing_replays(l, step - 1, tile) < l->runs;
	}
	return n > 1;
}

void learn_find_parts(struct learner *l)
{
	uint8_t *set = memory_new((size_t)l->tiles, 1);

	for (int k = 0; k < l->steps; k++) {
		struct learned_step *step = &l->step[k];
		struct pixel_area boxes[LEARN_BOXES];

		for (int i = 0; i < l->tiles; i++) {
			set[i] = count_changing_replays(l, k, i) == l->runs && !changes_alone(l, i);
			l->tile[i].ever |= set[i];
		}
		step->parts = learn_cover_tiles(set, l->across, l->down, l->width, l->height, boxes, LEARN_BOXES);
		for (int i = 0; i < step->parts; i++)
			step->part[i] = (struct dependency){ .line = step->line, .box = boxes[i] };
	}
	free(set);
}

void learn_make_result(struct learner *l, struct dependencies *d)
{
	uint8_t *set = memory_new((size_t)l->tiles, 1);

	*d = (struct dependencies){ .inputs = l->inputs };
	for (int i = 0; i < l->tiles; i++)
		set[i] = changes_alone(l, i);
	add_ignored_tiles(l, set, DEPS_ALONE, d);
	for (int i = 0; i < l->tiles; i++)
		set[i] = !changes_alone(l, i) && !l->tile[i].ever && changes_sometimes(l, i);
	add_ignored_tiles(l, set, DEPS_SOMETIMES, d);
	free(set);
	for (int step = 0; step < l->steps; step++)
		for (int i = 0; i < l->step[step].parts; i++)
			deps_add_dependency(d, &l->step[step].part[i]);
}
