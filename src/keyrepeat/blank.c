// SPDX-License-Identifier: GPL-3.0-or-later
#include "blank.h"
#include "memory.h"

void blank_alloc(struct blank *b, size_t pixels)
{
	blank_free(b);
	b->pixels = pixels;
	b->changes = memory_new(pixels, sizeof(*b->changes));
	for (size_t k = 0; k < BLANK_PICTURES; k++)
		b->picture[k] = memory_new(pixels, sizeof(*b->picture[k]));
}

static void keep_first(struct blank *b, const uint32_t *picture)
{
	memset(b->changes, 0, b->pixels * sizeof(*b->changes));
	for (size_t k = 0; k < BLANK_PICTURES; k++)
		memcpy(b->picture[k], picture, b->pixels * sizeof(*picture));
	b->differing[0] = 0;
	b->n = 1;
}

bool blank_holds(const struct blank *b)
{
	bool holds = !b->n;

	for (size_t k = 0; k < b->n; k++)
		holds |= !b->differing[k];
	return holds;
}

/* Counts the pixel in which pictures are different now, and were before. */
static void count_pixel(struct blank *b, size_t i, uint32_t before, uint32_t now)
{
	for (size_t k = 0; k < b->n && !b->changes[i]; k++) {
		b->differing[k] += now != b->picture[k][i];
		b->differing[k] -= before != b->picture[k][i];
	}
}

/* What has just changed is what another picture is to have, or what is not to be compared. */
static void learn_pixel(struct blank *b, size_t i, uint32_t now)
{
	if (b->n < BLANK_PICTURES) {
		b->picture[b->n][i] = now;
		return;
	}
	for (size_t k = 0; k < b->n && !b->changes[i]; k++)
		b->differing[k] -= now != b->picture[k][i];
	b->changes[i] = true;
}

static void visit_pixels(struct blank *b, const uint32_t *before, const uint32_t *now, size_t stride, const struct pixel_area *in,
			 bool learn)
{
	for (int y = in->y; y < in->y + in->h; y++) {
		size_t first = (size_t)y * stride + (size_t)in->x, end = first + (size_t)in->w;

		if (!memcmp(before + first, now + first, (end - first) * sizeof(*now)))
			continue;
		for (size_t i = first; i < end; i++) {
			if (before[i] == now[i])
				continue;
			if (learn)
				learn_pixel(b, i, now[i]);
			else
				count_pixel(b, i, before[i], now[i]);
		}
	}
}

void blank_follow(struct blank *b, const uint32_t *before, const uint32_t *now, size_t stride, const struct pixel_area *in,
		  bool learn)
{
	if (!b->n)
		keep_first(b, before);
	visit_pixels(b, before, now, stride, in, false);
	if (!learn || blank_holds(b))
		return;
	visit_pixels(b, before, now, stride, in, true);
	if (b->n < BLANK_PICTURES)
		b->differing[b->n++] = 0;
}

void blank_free(struct blank *b)
{
	for (size_t k = 0; k < BLANK_PICTURES; k++)
		free(b->picture[k]);
	free(b->changes);
	*b = (struct blank){ 0 };
}
