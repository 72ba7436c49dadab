// SPDX-License-Identifier: GPL-3.0-or-later
#include "area.h"

static int least(int a, int b)
{
	return a < b ? a : b;
}

static int most(int a, int b)
{
	return a > b ? a : b;
}

bool area_is_empty(const struct pixel_area *a)
{
	return a->w <= 0 || a->h <= 0;
}

struct pixel_area area_intersect(const struct pixel_area *a, const struct pixel_area *b)
{
	int x = most(a->x, b->x), y = most(a->y, b->y);

	return (struct pixel_area){
		.x = x, .y = y, .w = most(least(a->x + a->w, b->x + b->w) - x, 0), .h = most(least(a->y + a->h, b->y + b->h) - y, 0)
	};
}

void area_include(struct pixel_area *a, const struct pixel_area *b)
{
	int x = least(a->x, b->x), y = least(a->y, b->y);

	*a = area_is_empty(a)
		     ? *b
		     : (struct pixel_area){
			       .x = x, .y = y, .w = most(a->x + a->w, b->x + b->w) - x, .h = most(a->y + a->h, b->y + b->h) - y
		       };
}
