// SPDX-License-Identifier: GPL-3.0-or-later
#include "area.h"

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

	return (struct pixel_area){ .x = x,
				    .y = y,
				    .w = max_int(min_int(a->x + a->w, b->x + b->w) - x, 0),
				    .h = max_int(min_int(a->y + a->h, b->y + b->h) - y, 0) };
}

void area_include(struct pixel_area *a, const struct pixel_area *b)
{
	int x = min_int(a->x, b->x), y = min_int(a->y, b->y);

	*a = area_is_empty(a) ? *b
			      : (struct pixel_area){ .x = x,
						     .y = y,
						     .w = max_int(a->x + a->w, b->x + b->w) - x,
						     .h = max_int(a->y + a->h, b->y + b->h) - y };
}
