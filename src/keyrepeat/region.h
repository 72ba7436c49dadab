/* SPDX-License-Identifier: GPL-3.0-or-later */
/* region - the rectangle of pixels in which changes count as echoes: read from text, or found from the changes after a few keys.
 * Pure. Coordinates count from the upper left. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct screen_region {
	int x, y, w, h;
};

#define REGION_TEXT 48

/* Reads "600x300+10+20" (width, height, x, y). 0, or -EINVAL (also for an empty rectangle). */
int read_region_text(const char *text, struct screen_region *out);
void write_region_text(const struct screen_region *r, char text[REGION_TEXT]);
/* The intersection; empty (w or h 0) if the two do not overlap. */
struct screen_region region_intersection(const struct screen_region *a, const struct screen_region *b);
bool is_region_empty(const struct screen_region *r);

/* Bits that say when a pixel changed: before the first key, after the last key, or after key i (0 to REGION_KEYS - 1). */
#define REGION_KEYS 5
#define REGION_BEFORE 1u
#define REGION_AFTER 2u
#define REGION_KEY(i) (4u << (i))

struct pixel_change_marks {
	int w, h;
	uint8_t *bits;		/* w x h; the caller's */
};

/* Sets `bit` for each pixel in which the two pictures of w x h pixels differ. True if one of these has never changed without a
 * key. */
bool mark_changed_pixels(struct pixel_change_marks *m, const uint32_t *before, const uint32_t *after, uint8_t bit);

/* Finds the region of the echoes: the group of changes that followed most keys; the widest such group, since a column counter in a
 * status line follows keys, too, but text grows. A small group beside it that also changes without keys is its caret. From this
 * line of text the region extends left, right and down to the edge of the picture, or to the next group that follows keys or that
 * changed without keys both before and after them. False: no group followed at least two keys, or out of memory. */
bool find_echo_region_in_change_marks(const struct pixel_change_marks *m, struct screen_region *out);
