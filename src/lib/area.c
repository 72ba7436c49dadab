// SPDX-License-Identifier: GPL-3.0-or-later
#include "area.h"

#include <stdint.h>
#include <stdio.h>

static int min_int(int a, int b)
{
	return a < b ? a : b;
}

static int max_int(int a, int b)
{
	return a > b ? a : b;
}

bool area_is_empty(const struct pixel_area *a)
{
	return a->w <= 0 || a->h <= 0;
}

struct pixel_area area_intersect(const struct pixel_area *a, const struct pixel_area *b)
{
	int x = max_int(a->x, b->x), y = max_int(a->y, b->y);
	int64_t right = (int64_t)a->x + a->w, below = (int64_t)a->y + a->h;

	right = right < (int64_t)b->x + b->w ? right : (int64_t)b->x + b->w;
	below = below < (int64_t)b->y + b->h ? below : (int64_t)b->y + b->h;
	return right > x && below > y ? (struct pixel_area){ x, y, (int)(right - x), (int)(below - y) } : (struct pixel_area){ 0 };
}

bool area_meets(const struct pixel_area *a, const struct pixel_area *b)
{
	struct pixel_area common = area_intersect(a, b);

	return !area_is_empty(&common);
}

struct pixel_area area_clip(struct pixel_area a, int width, int height)
{
	return area_intersect(&a, &(struct pixel_area){ 0, 0, width, height });
}

void area_include(struct pixel_area *a, const struct pixel_area *b)
{
	int x = min_int(a->x, b->x), y = min_int(a->y, b->y);

	if (!area_is_empty(b))
		*a = area_is_empty(a) ? *b
				      : (struct pixel_area){ .x = x,
							     .y = y,
							     .w = max_int(a->x + a->w, b->x + b->w) - x,
							     .h = max_int(a->y + a->h, b->y + b->h) - y };
}

int area_read_size(const char *text, void *area)
{
	struct pixel_area *out = area;
	int end = 0;

	return sscanf(text, "%4dx%4d%n", &out->w, &out->h, &end) == 2 && !text[end] && out->w >= 200 && out->h >= 200 ? 0 : -1;
}
