/* SPDX-License-Identifier: GPL-3.0-or-later */
/* area - a rectangle of pixels, counted from the upper left. */
#pragma once

#include <stdbool.h>

struct pixel_area {
	int x, y, w, h; /* w or h 0: empty */
};

bool area_is_empty(const struct pixel_area *a);
struct pixel_area area_intersect(const struct pixel_area *a, const struct pixel_area *b);
/* Widens *a, which may be empty, to the box around both. */
void area_include(struct pixel_area *a, const struct pixel_area *b);
