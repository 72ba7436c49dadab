// SPDX-License-Identifier: GPL-3.0-or-later
/* Pixels of the screen. The root window's, not a window's own: what a person sees, also where something covers it. */
#include "x11.h"
#include "random.h"

#include <stdlib.h>
#include <string.h>

struct x11_area x11_both(const struct x11_area *a, const struct x11_area *b)
{
	int left = a->x > b->x ? a->x : b->x, right = a->x + a->w < b->x + b->w ? a->x + a->w : b->x + b->w;
	int top = a->y > b->y ? a->y : b->y, bottom = a->y + a->h < b->y + b->h ? a->y + a->h : b->y + b->h;

	return (struct x11_area){ left, top, right > left ? right - left : 0, bottom > top ? bottom - top : 0 };
}

bool x11_pixels_open(struct screen_watch *s)
{
	size_t pixels = (size_t)s->width * (size_t)s->height;

	s->before = calloc(pixels, sizeof(*s->before));
	s->now = calloc(pixels, sizeof(*s->now));
	if (!s->before || !s->now)
		return false;
	return x11_picture_open(&s->picture, s->display, s->width, s->height);
}

void x11_pixels_close(struct screen_watch *s)
{
	x11_picture_close(&s->picture, s->broken);
	free(s->before);
	free(s->now);
}

bool x11_pixels_read(struct screen_watch *s, const struct x11_area *at, uint32_t *to)
{
	if (!at->w || !at->h)
		return true;
	if (!x11_picture_read(&s->picture, at->x, at->y, at->w, at->h) || s->broken)
		return false;
	x11_picture_copy(&s->picture, at->w, at->h, to + (size_t)at->y * (size_t)s->width + (size_t)at->x, (size_t)s->width);
	return true;
}

/* The rows' hashes are summed, so each carries its place. */
static uint64_t row_hash(const uint32_t *pixel, int n, int y)
{
	uint64_t h = (uint64_t)y + 1;

	for (int x = 0; x < n; x++) {
		h = (h ^ pixel[x]) * 0x9e3779b97f4a7c15u;
		h ^= h >> 29;
	}
	return random_mix(h);
}

/* More than one colour, and not merely what lay below a window without a background. */
static bool shows_something(const struct screen_watch *s, const struct x11_area *at)
{
	uint32_t first = s->now[(size_t)at->y * (size_t)s->width + (size_t)at->x];
	bool two = false, new = false;

	for (int y = at->y; y < at->y + at->h && !(two && new); y++) {
		size_t i = (size_t)y * (size_t)s->width + (size_t)at->x;

		new = new || memcmp(s->now + i, s->before + i, (size_t)at->w * sizeof(*s->now)) != 0;
		for (int x = 0; x < at->w && !two; x++)
			two = s->now[i + (size_t)x] != first;
	}
	return two && new;
}

void x11_window_read(struct screen_watch *s, struct x11_window *w, const struct x11_area *part)
{
	if (!part->w || !part->h || !x11_pixels_read(s, part, s->now))
		return;
	for (int y = part->y; y < part->y + part->h; y++) {
		uint64_t *row = &w->row[y - w->at.y];

		w->sum -= *row;
		*row = row_hash(s->now + (size_t)y * (size_t)s->width + (size_t)w->at.x, w->at.w, y - w->at.y);
		w->sum += *row;
	}
	if (!w->painted)
		w->painted = shows_something(s, &w->at);
}
