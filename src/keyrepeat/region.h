/* SPDX-License-Identifier: GPL-3.0-or-later */
/* region - the rectangle of pixels in which changes count as echoes: read from text, or found from the changes after a few keys.
 * Pure. Coordinates count from the upper left. */
#pragma once

#include "area.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define REGION_TEXT 48

/* Reads "600x300+10+20" (width, height, x, y). 0, or -EINVAL (also for an empty rectangle). */
int region_parse(const char *text, struct pixel_area *out);
void region_format(const struct pixel_area *r, char text[static REGION_TEXT]);

/* Bits that say when a pixel changed: before the first key, after the last key, or after key i (0 to REGION_KEYS - 1). */
#define REGION_KEYS 5
#define REGION_BEFORE 1u
#define REGION_AFTER 2u
#define REGION_KEY(i) (4u << (i))
#define REGION_LEFT (4u << REGION_KEYS) /* BackSpace did not bring back what was there before the key */

struct change_marks {
	int w, h;
	uint8_t *bits; /* w x h; the caller's */
	bool erased;   /* BackSpace was typed after each key: text does not grow */
	int contrast;  /* the largest change of a pixel after a key, of those that have never changed without one */
};

#define REGION_SAME 16 /* of 255: what a lossy picture may come back other than it was, and what no letter stands out by */

/* By how much a pixel may differ that BackSpace has brought back. */
int region_same(const struct change_marks *m);
/* By how much the two pixels differ in that of their four bytes in which they differ most. */
int region_pixel_change(uint32_t a, uint32_t b);

/* Sets `bit` for each pixel in which the two pictures of w x h pixels differ by more than REGION_SAME; REGION_LEFT only where that
 * is a quarter of the contrast, too. True if one of these has never changed without a key. */
bool region_mark_changes(struct change_marks *m, const uint32_t *before, const uint32_t *after, uint8_t bit);

/* Finds the region of the echoes: the group of changes that followed most keys, and of which BackSpace has left nothing, where it
 * was typed; the widest such group, since a column counter in a
 * status line follows keys, too, but text grows. Of characters that are erased, it is the one beside which a caret blinks, or
 * else the widest that is no wider than a character. A small group beside it that also changes without keys is its caret. From this
 * line of text the region extends, unless keys were erased, left, right and down to the edge of the picture, or to the next group
 * that follows keys or that changed without keys both before and after them. False: no group followed at least two keys. */
bool region_find_echoes(const struct change_marks *m, struct pixel_area *out);
