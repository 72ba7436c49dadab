// SPDX-License-Identifier: GPL-3.0-or-later
/* learn_core - finds the changes of the screen before each input that all replays have in common. */
#include "learn_core.h"
#include "vncplay/common/fbs.h"
#include "vncplay/common/rfb.h"
#include "vncplay/common/tilelog.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define CELLS_MOST (512u << 20) /* bound of tiles * steps, for memory */
#define ALONE_US 1000000	/* a tile changes by itself when it changes later than this after an input, */
#define ALONE_APART_US 100000	/* ALONE_TIMES times, at least this far apart, before the next input */
#define ALONE_TIMES 3

struct learned_part {
	struct box box;
	uint64_t hash;
	bool any, known;
};

struct learned_tile { /* of the current replay, except alone_runs and ever */
	int alone_runs;
	bool ever; /* the tile is part of a step */
	bool alone;
	int interval; /* the last interval between steps in which the tile changed; -1: none yet */
	int gap, times;
	int64_t counted_us;
};

struct learner {
	const struct input_trace *t;
	int inputs, steps, runs;
	int *line, *step_of; /* line of each step in the trace; step of each input, -1: the input is no step */
	int width, height, across, down, tiles;
	uint16_t *changed; /* changed[step * tiles + tile]: number of replays in which the tile changed before that step */
	struct learned_tile *tile;
	struct learned_part *part; /* part[step * LEARN_BOXES + i], i < parts[step] */
	int *parts;
	struct dependencies result; /* so far: the parts to ignore */
	/* the current replay: the next step, inputs sent so far, when the last was sent */
	int next, sent;
	int64_t last_us;
	const int64_t *sent_us;
	struct tilelog seen; /* which tiles changed since the last block */
	int resized, err;
};

struct learner *learn_begin(const struct input_trace *t)
{
	struct learner *l = calloc(1, sizeof(*l));

	if (!l)
		return NULL;
	l->t = t;
	l->line = calloc((size_t)t->n + 1, sizeof(*l->line));
	l->step_of = calloc((size_t)t->n + 1, sizeof(*l->step_of));
	if (!l->line || !l->step_of) {
		learn_free(l);
		return NULL;
	}
	for (int i = 0; i < t->n; i++) {
		const struct trace_event *e = &t->events[i];

		if (e->kind == TRACE_SNAPSHOT)
			continue;
		l->step_of[l->inputs] = -1;
		if (e->kind == TRACE_PRESS || e->kind == TRACE_KEY_DOWN) {
			l->line[l->steps] = e->line;
			l->step_of[l->inputs] = l->steps++;
		}
		l->inputs++;
	}
	l->parts = calloc((size_t)l->steps + 1, sizeof(*l->parts));
	l->part = calloc((size_t)l->steps * LEARN_BOXES + 1, sizeof(*l->part));
	if (l->parts && l->part)
		return l;
	learn_free(l);
	return NULL;
}

void learn_free(struct learner *l)
{
	if (!l)
		return;
	free(l->line);
	free(l->step_of);
	free(l->changed);
	free(l->tile);
	tilelog_free(&l->seen);
	free(l->part);
	free(l->parts);
	deps_free(&l->result);
	free(l);
}

int learn_count_steps(const struct learner *l)
{
	return l->steps;
}

static void reset_learn_tiles(struct learner *l)
{
	for (int i = 0; i < l->tiles; i++) {
		struct learned_tile *t = &l->tile[i];

		t->times = t->gap = 0;
		t->interval = -1;
		t->alone = false;
	}
}

static void on_resized(void *whose, int width, int height)
{
	struct learner *l = whose;
	size_t tiles;

	l->resized++;
	tilelog_resize(&l->seen, width, height);
	if (l->tiles) {
		l->err = width == l->width && height == l->height ? 0 : -ERANGE;
		return;
	}
	l->width = width;
	l->height = height;
	l->across = l->seen.columns;
	l->down = l->seen.rows;
	l->err = -ENOMEM;
	if (((uint64_t)l->steps + 1) * (uint64_t)(l->across * l->down) > CELLS_MOST)
		return;
	tiles = (size_t)l->across * (size_t)l->down;
	l->changed = calloc(((size_t)l->steps + 1) * tiles + 1, sizeof(*l->changed));
	l->tile = calloc(tiles + 1, sizeof(*l->tile));
	if (!l->changed || !l->tile || l->seen.err)
		return;
	l->tiles = (int)tiles;
	reset_learn_tiles(l);
	l->err = 0;
}

static void on_painted(void *whose, struct box b)
{
	struct learner *l = whose;

	tilelog_mark(&l->seen, box_clip(b, l->width, l->height));
}

static void count_lone_change(struct learner *l, struct learned_tile *t, int64_t at_us)
{
	if (at_us - l->last_us < ALONE_US || (t->gap == l->sent && at_us - t->counted_us < ALONE_APART_US))
		return;
	if (t->gap != l->sent)
		t->times = 0;
	t->gap = l->sent;
	t->counted_us = at_us;
	if (++t->times == ALONE_TIMES)
		t->alone = true;
}

static void record_tile_change(struct learner *l, int number, int64_t at_us)
{
	struct learned_tile *t = &l->tile[number];
	uint16_t *runs = &l->changed[(size_t)l->next * (size_t)l->tiles + (size_t)number];

	if (!l->sent) /* before the first input: the server sends the first screen */
		return;
	count_lone_change(l, t, at_us);
	if (t->interval == l->next)
		return;
	t->interval = l->next;
	if (*runs < UINT16_MAX)
		++*runs;
}

/* Compares the painted tiles and notes those that changed. */
static void record_changed_tiles(struct learner *l, const struct screen *s, uint32_t ms)
{
	tilelog_compare(&l->seen, s, ms);
	for (size_t i = 0; i < l->seen.n; i++)
		record_tile_change(l,
				   (int)(l->seen.changed[i] / TILE_COLUMNS) * l->across + (int)(l->seen.changed[i] % TILE_COLUMNS),
				   (int64_t)ms * 1000);
	l->seen.n = l->seen.n_updates = 0;
}

static void set_last_input(struct learner *l, int input)
{
	l->sent = input + 1;
	l->last_us = l->sent_us[input];
	if (l->step_of[input] >= 0)
		l->next = l->step_of[input] + 1;
}

/* Notes the hashes of a step's parts when the step is sent. */
static void record_part_hashes(struct learner *l, int input, const struct screen *s)
{
	int step = l->step_of[input];

	for (int i = 0; step >= 0 && i < l->parts[step]; i++) {
		struct learned_part *p = &l->part[step * LEARN_BOXES + i];
		uint64_t hash = deps_hash_part(s, p->box);

		p->any |= p->known && p->hash != hash;
		p->known = true;
		p->hash = hash;
	}
}

/* Notes the inputs sent up to and including millisecond `ms`, before the log's block of that time. Returns the number of
 * inputs sent so far. */
static int learn_sent_inputs(struct learner *l, int sent, int64_t ms, bool parts, const struct screen *s)
{
	while (sent < l->inputs && l->sent_us[sent] < (ms + 1) * 1000) {
		if (parts)
			record_part_hashes(l, sent++, s);
		else
			set_last_input(l, sent++);
	}
	return sent;
}

static int decode_blocks(struct learner *l, struct fbs_reader *log, struct rfb_decoder *rfb, bool parts, struct why *why)
{
	struct fbs_block block;
	int sent = 0, more, err;

	while ((more = fbs_next_block(log, &block)) == 1) {
		sent = learn_sent_inputs(l, sent, block.ms, parts, rfb_screen(rfb));
		err = rfb_decode_bytes(rfb, block.bytes, block.n);
		if (err == -EPROTO)
			why_say(why, "%s", rfb_failure_text(rfb));
		if (l->resized > 1)
			return why_fail(-EPROTO, why, "the screen changes its size");
		if (err || l->err || l->seen.err)
			return err ? err : l->err ? l->err : l->seen.err;
		if (!parts)
			record_changed_tiles(l, rfb_screen(rfb), block.ms);
	}
	if (more < 0)
		return why_fail(more, why, "the log ends within a block");
	learn_sent_inputs(l, sent, INT64_MAX / 1000 - 1, parts, rfb_screen(rfb));
	return l->resized ? 0 : why_fail(-EPROTO, why, "the log has no screen");
}

int learn_read_log(struct learner *l, const char *path, const int64_t *sent_us, bool parts, struct why *why)
{
	const struct rfb_event_callbacks events = { .resized = on_resized, .painted = parts ? NULL : on_painted };
	const char *what = NULL;
	struct fbs_reader *log;
	struct rfb_decoder *rfb;
	int err;

	l->next = l->sent = l->err = l->resized = 0;
	tilelog_free(&l->seen);
	l->seen.every = true;
	l->sent_us = sent_us;
	reset_learn_tiles(l);
	errno = 0;
	log = fbs_open(path, &what);
	if (!log)
		return errno ? why_fail(-errno, why, "%s", strerror(errno)) : why_fail(-EPROTO, why, "%s", what);
	rfb = rfb_decoder_open(&events, l, NULL, 0, 0);
	err = rfb ? decode_blocks(l, log, rfb, parts, why) : -ENOMEM;
	rfb_decoder_free(rfb);
	fbs_close(log);
	for (int i = 0; i < l->tiles && !err && !parts; i++)
		l->tile[i].alone_runs += l->tile[i].alone;
	l->runs += !err && !parts;
	return err;
}

static int box_area(const struct box *b)
{
	return b->w * b->h;
}

static void add_box(struct box *boxes, int *n, int most, struct box b)
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
	const struct box *p = a, *q = b;

	return p->y != q->y ? (p->y > q->y) - (p->y < q->y) : (p->x > q->x) - (p->x < q->x);
}

/* Each rectangle is a run of tiles in a row, extended down as long as the rows below have the same run. */
int learn_cover_tiles(const uint8_t *set, int w, int h, int width, int height, struct box *boxes, int most)
{
	uint8_t *left = malloc((size_t)w * (size_t)h + 1);
	int n = 0;

	if (!left)
		return 0;
	memcpy(left, set, (size_t)w * (size_t)h);
	for (int y = 0; y < h; y++) {
		for (int x = 0; x < w; x++) {
			uint8_t *row = left + (size_t)y * (size_t)w;
			int end = x, down = y;
			struct box b;

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
			b = box_clip((struct box){ x * TILE_SIDE, y * TILE_SIDE, (end - x) * TILE_SIDE, (down - y) * TILE_SIDE },
				     width, height);
			add_box(boxes, &n, most, b);
			x = end - 1;
		}
	}
	free(left);
	qsort(boxes, (size_t)n, sizeof(*boxes), compare_places);
	return n;
}

static int add_ignored_tiles(struct learner *l, const uint8_t *set, enum deps_why why)
{
	struct box *boxes = calloc((size_t)l->tiles + 1, sizeof(*boxes));
	int n = boxes ? learn_cover_tiles(set, l->across, l->down, l->width, l->height, boxes, l->tiles) : 0;
	int err = boxes ? 0 : -ENOMEM;

	for (int i = 0; !err && i < n; i++)
		err = deps_add_ignored(&l->result, &(struct ignored_part){ .box = boxes[i], .why = why });
	free(boxes);
	return err;
}

static bool changes_alone(const struct learner *l, const struct learned_tile *t)
{
	return 2 * t->alone_runs >= l->runs;
}

static int count_replays(const struct learner *l, int step, int tile)
{
	return step < 0 || step > l->steps ? 0 : l->changed[(size_t)step * (size_t)l->tiles + (size_t)tile];
}

/* Whether a tile changes before some steps in some replays only, at least twice. A change that the other replays have one step
 * earlier or later is slow there, not missing. */
static bool changes_sometimes(const struct learner *l, int tile)
{
	int n = 0;

	for (int step = 0; step <= l->steps; step++) {
		int here = count_replays(l, step, tile);

		n += here && here + count_replays(l, step + 1, tile) < l->runs && here + count_replays(l, step - 1, tile) < l->runs;
	}
	return n > 1;
}

int learn_find_parts(struct learner *l)
{
	uint8_t *set = calloc((size_t)l->tiles + 1, 1);
	int err;

	if (!set)
		return -ENOMEM;
	for (int step = 0; step < l->steps; step++) {
		struct box boxes[LEARN_BOXES];

		for (int i = 0; i < l->tiles; i++) {
			set[i] = l->changed[(size_t)step * (size_t)l->tiles + (size_t)i] == l->runs &&
				 !changes_alone(l, &l->tile[i]);
			l->tile[i].ever |= set[i];
		}
		l->parts[step] = learn_cover_tiles(set, l->across, l->down, l->width, l->height, boxes, LEARN_BOXES);
		for (int i = 0; i < l->parts[step]; i++)
			l->part[step * LEARN_BOXES + i] = (struct learned_part){ .box = boxes[i] };
	}
	for (int i = 0; i < l->tiles; i++)
		set[i] = changes_alone(l, &l->tile[i]);
	err = add_ignored_tiles(l, set, DEPS_ALONE);
	for (int i = 0; i < l->tiles; i++)
		set[i] = !changes_alone(l, &l->tile[i]) && !l->tile[i].ever && changes_sometimes(l, i);
	if (!err)
		err = add_ignored_tiles(l, set, DEPS_SOMETIMES);
	free(set);
	return err;
}

int learn_make_result(struct learner *l, struct dependencies *d)
{
	int err = 0;

	*d = l->result;
	l->result = (struct dependencies){ 0 };
	d->inputs = l->inputs;
	for (int step = 0; step < l->steps; step++) {
		for (int i = 0; !err && i < l->parts[step]; i++) {
			const struct learned_part *p = &l->part[step * LEARN_BOXES + i];
			struct dependency b = { .line = l->line[step], .box = p->box, .any = p->any, .hash = p->hash };

			err = deps_add_change(d, &b);
		}
	}
	if (err)
		deps_free(d);
	return err;
}
