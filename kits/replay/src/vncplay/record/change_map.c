// SPDX-License-Identifier: GPL-3.0-or-later
#include "recorder_inside.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int change_map_restart(struct change_map *f, const struct screen *s)
{
	size_t n = (size_t)s->width * (size_t)s->height;

	change_map_free(f);
	f->seen = malloc(n * sizeof(*f->seen) + 1);
	f->at_ms = calloc(n + 1, sizeof(*f->at_ms));
	f->alone = calloc(n + 1, sizeof(*f->alone));
	if (!f->seen || !f->at_ms || !f->alone) {
		change_map_free(f);
		return -ENOMEM;
	}
	memcpy(f->seen, s->pixels, n * sizeof(*f->seen));
	f->width = s->width;
	f->height = s->height;
	return 0;
}

void change_map_free(struct change_map *f)
{
	free(f->seen);
	free(f->at_ms);
	free(f->alone);
	*f = (struct change_map){ 0 };
}

void change_map_update(struct change_map *f, const struct screen *s, struct box box, uint32_t now_ms, enum change_cause cause)
{
	if (s->width != f->width || s->height != f->height)
		return; /* change_map_restart follows */
	box = box_clip(box, f->width, f->height);
	for (int y = box.y; y < box.y + box.h; y++) {
		size_t row = (size_t)y * (size_t)f->width + (size_t)box.x;

		if (!memcmp(&f->seen[row], &s->pixels[row], (size_t)box.w * sizeof(*f->seen)))
			continue;
		for (size_t i = row; i < row + (size_t)box.w; i++) {
			if (f->seen[i] == s->pixels[i])
				continue;
			f->seen[i] = s->pixels[i];
			if (cause == CHANGE_AFTER_PRESS || (f->alone[i] && now_ms - f->at_ms[i] > BLINK_MS))
				f->alone[i] = 0;
			if (cause == CHANGE_UNPROMPTED && f->alone[i] < 255)
				f->alone[i]++;
			f->at_ms[i] = now_ms ? now_ms : 1;
		}
	}
}

bool change_map_blinks(const struct change_map *f, size_t i, uint32_t now_ms)
{
	return f->alone[i] >= BLINK_TIMES && now_ms - f->at_ms[i] <= BLINK_MS;
}

/* Counts the pixels in `within` that changed at `since_ms` or later and do not blink; sets their bounding box and the last time. */
static int count_changed_pixels(const struct change_map *f, struct box within, uint32_t since_ms, uint32_t now_ms,
				struct box *around, uint32_t *last)
{
	int n = 0, left = 0, right = 0, top = 0, bottom = 0;

	within = box_clip(within, f->width, f->height);
	*last = 0;
	for (int y = within.y; y < within.y + within.h; y++) {
		size_t row = (size_t)y * (size_t)f->width;

		for (int x = within.x; x < within.x + within.w; x++) {
			uint32_t at = f->at_ms[row + (size_t)x];

			if (!at || at < since_ms || change_map_blinks(f, row + (size_t)x, now_ms))
				continue;
			left = !n || x < left ? x : left;
			right = !n || x > right ? x : right;
			top = !n ? y : top;
			bottom = y;
			*last = at > *last ? at : *last;
			n++;
		}
	}
	*around = n ? (struct box){ left, top, right - left + 1, bottom - top + 1 } : (struct box){ 0, 0, 0, 0 };
	return n;
}

int change_map_count(const struct change_map *f, struct box within, uint32_t since_ms, uint32_t now_ms)
{
	struct box around;
	uint32_t last;

	return count_changed_pixels(f, within, since_ms, now_ms, &around, &last);
}

uint32_t change_map_last_ms(const struct change_map *f, struct box within, uint32_t now_ms)
{
	struct box around;
	uint32_t last;

	count_changed_pixels(f, within, 1, now_ms, &around, &last);
	return last;
}

struct box change_map_find_area(const struct change_map *f, struct box within, uint32_t since_ms, uint32_t now_ms, int most)
{
	struct box area, part;
	uint32_t last;

	count_changed_pixels(f, within, since_ms, now_ms, &area, &last);
	while ((int64_t)area.w * area.h > most) {
		struct box one = area, other = area;
		int n;

		if (area.w >= area.h) {
			one.w = area.w / 2;
			other.x += one.w;
			other.w -= one.w;
		} else {
			one.h = area.h / 2;
			other.y += one.h;
			other.h -= one.h;
		}
		n = count_changed_pixels(f, one, since_ms, now_ms, &part, &last);
		if (count_changed_pixels(f, other, since_ms, now_ms, &area, &last) < n)
			area = part;
	}
	return area;
}
