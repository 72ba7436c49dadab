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

void change_map_update(struct change_map *f, const struct screen *s, struct pixel_area box, uint32_t now_ms,
		       enum change_cause cause)
{
	if (s->width != f->width || s->height != f->height)
		return; /* change_map_restart follows */
	box = area_clip(box, f->width, f->height);
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

struct changed_pixels change_map_find_changed(const struct change_map *f, struct pixel_area within, uint32_t since_ms,
					      uint32_t now_ms)
{
	struct changed_pixels found = { 0 };
	int left = 0, right = 0, top = 0, bottom = 0;

	within = area_clip(within, f->width, f->height);
	for (int y = within.y; y < within.y + within.h; y++) {
		size_t row = (size_t)y * (size_t)f->width;

		for (int x = within.x; x < within.x + within.w; x++) {
			uint32_t at = f->at_ms[row + (size_t)x];

			if (!at || at < since_ms || change_map_blinks(f, row + (size_t)x, now_ms))
				continue;
			left = !found.n || x < left ? x : left;
			right = !found.n || x > right ? x : right;
			top = !found.n ? y : top;
			bottom = y;
			found.last_ms = at > found.last_ms ? at : found.last_ms;
			found.n++;
		}
	}
	if (found.n)
		found.around = (struct pixel_area){ left, top, right - left + 1, bottom - top + 1 };
	return found;
}

struct pixel_area change_map_find_area(const struct change_map *f, struct pixel_area within, uint32_t since_ms, uint32_t now_ms,
				       int most)
{
	struct changed_pixels all = change_map_find_changed(f, within, since_ms, now_ms);

	while ((int64_t)all.around.w * all.around.h > most) {
		struct pixel_area one = all.around, other = one;
		struct changed_pixels first;

		if (one.w >= one.h) {
			one.w /= 2;
			other.x += one.w;
			other.w -= one.w;
		} else {
			one.h /= 2;
			other.y += one.h;
			other.h -= one.h;
		}
		first = change_map_find_changed(f, one, since_ms, now_ms);
		all = change_map_find_changed(f, other, since_ms, now_ms);
		if (all.n < first.n)
			all = first;
	}
	return all.around;
}
