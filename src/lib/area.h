/* SPDX-License-Identifier: GPL-3.0-or-later */
/* area - a rectangle of pixels, counted from the upper left. */
#pragma once

#include <stdbool.h>

struct pixel_area {
	int x, y, w, h; /* w or h 0: empty */
};

bool area_is_empty(const struct pixel_area *a);
/* What both have in common; all 0: nothing. No input overflows. */
struct pixel_area area_intersect(const struct pixel_area *a, const struct pixel_area *b);
bool area_meets(const struct pixel_area *a, const struct pixel_area *b);
/* Reads the size of a screen, "1024x768", into a struct pixel_area. 0; -1: none, or under 200 pixels. */
int area_read_size(const char *text, void *area);
struct pixel_area area_clip(struct pixel_area a, int width, int height); /* the part within (0, 0) to (width, height) */
/* Widens *a to the smallest area around both; an empty one adds nothing. */
void area_include(struct pixel_area *a, const struct pixel_area *b);
