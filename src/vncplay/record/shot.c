// SPDX-License-Identifier: GPL-3.0-or-later
#include "shot.h"

#include <errno.h>
#include <stdlib.h>

#define STEP 6			/* pixels between two pieces that are looked at */
#define POINTER 38		/* pixels a side that a pointer's picture may cover, */
#define POINTER_BEFORE 12	/* of which so many are left of it and above */
#define TEXTURE_LEAST 12	/* pixels that differ from the most frequent colour, and an eighth of all */

struct box shot_wider(struct box b, int by, const struct screen *s)
{
	return box_clip((struct box){ b.x - by, b.y - by, b.w + 2 * by, b.h + 2 * by }, s->width, s->height);
}

struct box shot_box(int x, int y, int side, const struct screen *s)
{
	return box_clip((struct box){ x - side / 2, y - side / 2, side, side }, s->width, s->height);
}

int shot_take(struct trace_event *e, struct box box, const struct screen *s, const struct fresh *f,
	      uint32_t since_ms, uint32_t now_ms)
{
	size_t n = 0;
	int left = 0;

	e->box = box;
	e->pixels = malloc((size_t)box.w * (size_t)box.h * sizeof(*e->pixels) + 1);
	if (!e->pixels)
		return -ENOMEM;
	for (int y = box.y; y < box.y + box.h; y++) {
		for (int x = box.x; x < box.x + box.w; x++) {
			size_t i = (size_t)y * (size_t)s->width + (size_t)x;
			bool any = fresh_blinks(f, x, y, now_ms) || (f->at_ms[i] && f->at_ms[i] >= since_ms);

			left += !any;
			e->pixels[n++] = any ? TRACE_ANY : s->pixels[i];
		}
	}
	return left;
}

static int texture(const uint32_t *pixels, int n)
{
	int counted = 0, most = 0;

	for (int i = 0; i < n; i++)
		counted += pixels[i] != TRACE_ANY;
	for (int i = 0; i < n && most < counted - TEXTURE_LEAST; i += 5) {	/* a colour of most pixels is met */
		int same = 0;

		if (pixels[i] == TRACE_ANY)
			continue;
		for (int k = 0; k < n; k++)
			same += pixels[k] == pixels[i];
		most = same > most ? same : most;
	}
	return counted - most;
}

static bool is_flat(const uint32_t *pixels, int n)
{
	int rough = texture(pixels, n);

	return rough < TEXTURE_LEAST || rough < n / 8;
}

bool shot_flat(const struct trace_event *e)
{
	return is_flat(e->pixels, e->box.w * e->box.h);
}

struct box shot_anchor(int x, int y, int side, int reach, const struct screen *s, const struct fresh *f, uint32_t now_ms)
{
	struct box best = { 0, 0, 0, 0 };
	int64_t nearest = INT64_MAX;

	for (int dy = -reach; dy <= reach; dy += STEP) {
		for (int dx = -reach; dx <= reach; dx += STEP) {
			int64_t away = (int64_t)dx * dx + (int64_t)dy * dy;
			struct box box = shot_box(x + dx, y + dy, side, s);
			struct trace_event e;

			if (away >= nearest || box.w < side || box.h < side ||
			    box_meets(box, (struct box){ x - POINTER_BEFORE, y - POINTER_BEFORE, POINTER, POINTER }))
				continue;
			if (shot_take(&e, box, s, f, UINT32_MAX, now_ms) == box.w * box.h && !shot_flat(&e)) {
				nearest = away;
				best = box;
			}
			free(e.pixels);
		}
	}
	return best;
}
