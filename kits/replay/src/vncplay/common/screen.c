// SPDX-License-Identifier: GPL-3.0-or-later
#include "screen.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int screen_resize(struct screen *s, int width, int height)
{
	uint32_t *pixels;
	int rows, columns;

	if (width < 1 || height < 1 || width > SCREEN_SIDE_MOST || height > SCREEN_SIDE_MOST ||
	    (int64_t)width * height > SCREEN_PIXELS_MOST)
		return -EINVAL;
	if (s->pixels && width == s->width && height == s->height)
		return 0;
	/* (large blocks are zeroed by the kernel: parts that are never painted use no memory) */
	pixels = calloc((size_t)width * (size_t)height, sizeof(*pixels));
	if (!pixels)
		return -ENOMEM;
	if (s->pixels) {
		rows = height < s->height ? height : s->height;
		columns = width < s->width ? width : s->width;
		for (int y = 0; y < rows; y++)
			memcpy(pixels + (size_t)y * (size_t)width, s->pixels + (size_t)y * (size_t)s->width,
			       (size_t)columns * sizeof(*pixels));
	}
	free(s->pixels);
	*s = (struct screen){ .width = width, .height = height, .pixels = pixels };
	return 0;
}

void screen_free(struct screen *s)
{
	free(s->pixels);
	*s = (struct screen){ 0 };
}

/* Clips the range [*at, *at + *n) to [0, most). No input overflows. */
static void clip_range(int *at, int *n, int most)
{
	int64_t from = *at, to = from + *n;

	from = from < 0 ? 0 : from;
	to = to > most ? most : to;
	*at = to > from ? (int)from : 0;
	*n = to > from ? (int)(to - from) : 0;
}

struct box box_clip(struct box b, int width, int height)
{
	clip_range(&b.x, &b.w, width);
	clip_range(&b.y, &b.h, height);
	return b.w && b.h ? b : (struct box){ 0 };
}

static int box_is_empty(struct box b)
{
	return b.w <= 0 || b.h <= 0;
}

struct box box_join(struct box a, struct box b)
{
	int right, bottom;

	if (box_is_empty(a))
		return b;
	if (box_is_empty(b))
		return a;
	right = a.x + a.w > b.x + b.w ? a.x + a.w : b.x + b.w;
	bottom = a.y + a.h > b.y + b.h ? a.y + a.h : b.y + b.h;
	a.x = a.x < b.x ? a.x : b.x;
	a.y = a.y < b.y ? a.y : b.y;
	a.w = right - a.x;
	a.h = bottom - a.y;
	return a;
}

int box_meets(struct box a, struct box b)
{
	return !box_is_empty(a) && !box_is_empty(b) && a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h;
}

int box_parse(const char *text, struct box *b)
{
	int end = 0;

	if (sscanf(text, "%5d,%5d,%5d,%5d%n", &b->x, &b->y, &b->w, &b->h, &end) != 4 || text[end])
		return -EINVAL;
	return b->x < 0 || b->y < 0 || b->w < 1 || b->h < 1 ? -EINVAL : 0;
}
