// SPDX-License-Identifier: GPL-3.0-or-later
/* learn_core - what came before what, over several replays. */
#include "learn_core.h"

#include "learn_walk.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define CELLS_MOST (512u << 20)	/* tiles times steps */
#define ALONE_US 1000000	/* a change so long after any input comes by itself, */
#define ALONE_APART_US 100000	/* where there are three of them, so far apart, before the next input */
#define ALONE_TIMES 3

struct learn_part {
	struct box box;
	uint64_t hash;
	bool any, known;
};

struct tile {			/* of the replay that is being read, but for the first two */
	int alone_runs;
	bool ever;		/* belongs to a step */
	bool alone;
	int interval;		/* the last in which it changed; -1: none yet */
	int gap, times;
	int64_t counted_us;
};

struct learn {
	const struct input_trace *t;
	int inputs, steps, runs;
	int *line, *step_of;	/* of a step; of an input, or -1 */
	int width, height, across, down, tiles;
	uint16_t *changed;	/* by step and tile: in how many replays */
	struct tile *tile;
	struct learn_part *part;	/* LEARN_BOXES for each step */
	int *parts;
	struct deps_ignore *ignore;
	int n_ignore;
	/* of the replay that is being read */
	int next, sent;
	int64_t last_us;
	const int64_t *sent_us;
};

struct learn *learn_open(const struct input_trace *t)
{
	struct learn *l = calloc(1, sizeof(*l));

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

void learn_free(struct learn *l)
{
	if (!l)
		return;
	free(l->line);
	free(l->step_of);
	free(l->changed);
	free(l->tile);
	free(l->part);
	free(l->parts);
	free(l->ignore);
	free(l);
}

int learn_inputs(const struct learn *l)
{
	return l->inputs;
}

int learn_steps(const struct learn *l)
{
	return l->steps;
}

/* --- where ----------------------------------------------------------------------------------------------------- */

static void start_tiles(struct learn *l)
{
	for (int i = 0; i < l->tiles; i++) {
		struct tile *t = &l->tile[i];

		t->times = t->gap = 0;
		t->interval = -1;
		t->alone = false;
	}
}

static int on_sized(void *whose, int width, int height)
{
	struct learn *l = whose;

	if (l->tiles)
		return width == l->width && height == l->height ? 0 : -ERANGE;
	l->width = width;
	l->height = height;
	l->across = (width + LEARN_TILE - 1) / LEARN_TILE;
	l->down = (height + LEARN_TILE - 1) / LEARN_TILE;
	if (((uint64_t)l->steps + 1) * (uint64_t)(l->across * l->down) > CELLS_MOST)
		return -ENOMEM;
	l->tiles = l->across * l->down;
	l->changed = calloc(((size_t)l->steps + 1) * (size_t)l->tiles + 1, sizeof(*l->changed));
	l->tile = calloc((size_t)l->tiles + 1, sizeof(*l->tile));
	if (!l->changed || !l->tile)
		return -ENOMEM;
	start_tiles(l);
	return 0;
}

static void on_input_sent(void *whose, int input, const struct screen *s)
{
	struct learn *l = whose;

	(void)s;
	l->sent = input + 1;
	l->last_us = l->sent_us[input];
	if (l->step_of[input] >= 0)
		l->next = l->step_of[input] + 1;
}

static void note_alone(struct learn *l, struct tile *t, int64_t at_us)
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

static void on_changed(void *whose, int number, int64_t at_us)
{
	struct learn *l = whose;
	struct tile *t = &l->tile[number];
	uint16_t *runs = &l->changed[(size_t)l->next * (size_t)l->tiles + (size_t)number];

	if (!l->sent)	/* the first screen */
		return;
	note_alone(l, t, at_us);
	if (t->interval == l->next)
		return;
	t->interval = l->next;
	if (*runs < UINT16_MAX)
		++*runs;
}

int learn_where(struct learn *l, const char *log, const int64_t *sent_us, char *why, size_t size)
{
	static const struct learn_walk walk = { .sized = on_sized, .changed = on_changed, .sent = on_input_sent };
	struct learn_walk w = walk;
	int err;

	w.whose = l;
	l->next = l->sent = 0;
	l->sent_us = sent_us;
	start_tiles(l);
	err = learn_walk(&w, log, sent_us, l->inputs, why, size);
	if (err)
		return err;
	for (int i = 0; i < l->tiles; i++)
		l->tile[i].alone_runs += l->tile[i].alone;
	l->runs++;
	return 0;
}

/* --- parts ----------------------------------------------------------------------------------------------------- */

static int add_ignored(struct learn *l, const uint8_t *set, enum deps_why why)
{
	int most = l->tiles, n;
	struct box *boxes = calloc((size_t)most + 1, sizeof(*boxes));
	struct deps_ignore *more;

	if (!boxes)
		return -ENOMEM;
	n = learn_boxes(set, l->across, l->down, l->width, l->height, boxes, most);
	more = realloc(l->ignore, (size_t)(l->n_ignore + n + 1) * sizeof(*more));
	if (more)
		l->ignore = more;
	for (int i = 0; more && i < n; i++)
		l->ignore[l->n_ignore++] = (struct deps_ignore){ .box = boxes[i], .why = why };
	free(boxes);
	return more ? 0 : -ENOMEM;
}

static bool is_alone(const struct learn *l, const struct tile *t)
{
	return 2 * t->alone_runs >= l->runs;
}

static int changed_in(const struct learn *l, int step, int tile)
{
	return step < 0 || step > l->steps ? 0 : l->changed[(size_t)step * (size_t)l->tiles + (size_t)tile];
}

/* In some replays only, at least twice; one that the others do one step later (or did one before)
 * is slow there, and not missing. */
static bool comes_sometimes(const struct learn *l, int tile)
{
	int n = 0;

	for (int step = 0; step <= l->steps; step++) {
		int here = changed_in(l, step, tile);

		n += here && here + changed_in(l, step + 1, tile) < l->runs && here + changed_in(l, step - 1, tile) < l->runs;
	}
	return n > 1;
}

int learn_parts(struct learn *l)
{
	uint8_t *set = calloc((size_t)l->tiles + 1, 1);
	int err;

	if (!set)
		return -ENOMEM;
	for (int step = 0; step < l->steps; step++) {
		struct box boxes[LEARN_BOXES];

		for (int i = 0; i < l->tiles; i++) {
			set[i] = l->changed[(size_t)step * (size_t)l->tiles + (size_t)i] == l->runs && !is_alone(l, &l->tile[i]);
			l->tile[i].ever |= set[i];
		}
		l->parts[step] = learn_boxes(set, l->across, l->down, l->width, l->height, boxes, LEARN_BOXES);
		for (int i = 0; i < l->parts[step]; i++)
			l->part[step * LEARN_BOXES + i] = (struct learn_part){ .box = boxes[i] };
	}
	for (int i = 0; i < l->tiles; i++)
		set[i] = is_alone(l, &l->tile[i]);
	err = add_ignored(l, set, DEPS_ALONE);
	for (int i = 0; i < l->tiles; i++)
		set[i] = !is_alone(l, &l->tile[i]) && !l->tile[i].ever && comes_sometimes(l, i);
	if (!err)
		err = add_ignored(l, set, DEPS_SOMETIMES);
	free(set);
	return err;
}

/* --- what ------------------------------------------------------------------------------------------------------ */

static int same_size(void *whose, int width, int height)
{
	struct learn *l = whose;

	return width == l->width && height == l->height ? 0 : -ERANGE;
}

static void no_change(void *whose, int tile, int64_t at_us)
{
	(void)whose;
	(void)tile;
	(void)at_us;
}

static void look_at_step(void *whose, int input, const struct screen *s)
{
	struct learn *l = whose;
	int step = l->step_of[input];

	for (int i = 0; step >= 0 && i < l->parts[step]; i++) {
		struct learn_part *p = &l->part[step * LEARN_BOXES + i];
		uint64_t hash = deps_hash(s, p->box);

		p->any |= p->known && p->hash != hash;
		p->known = true;
		p->hash = hash;
	}
}

int learn_what(struct learn *l, const char *log, const int64_t *sent_us, char *why, size_t size)
{
	struct learn_walk w = { .whose = l, .sized = same_size, .changed = no_change, .sent = look_at_step };

	return learn_walk(&w, log, sent_us, l->inputs, why, size);
}

int learn_deps(const struct learn *l, struct deps *d)
{
	int err = 0;

	*d = (struct deps){ .inputs = l->inputs };
	for (int i = 0; !err && i < l->n_ignore; i++)
		err = deps_add_ignore(d, &l->ignore[i]);
	for (int step = 0; step < l->steps; step++) {
		for (int i = 0; !err && i < l->parts[step]; i++) {
			const struct learn_part *p = &l->part[step * LEARN_BOXES + i];
			struct deps_before b = { .line = l->line[step], .box = p->box, .any = p->any, .hash = p->hash };

			err = deps_add_before(d, &b);
		}
	}
	if (err)
		deps_free(d);
	return err;
}
