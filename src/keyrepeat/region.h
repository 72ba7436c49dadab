/* SPDX-License-Identifier: GPL-3.0-or-later */
/* region - a rectangle of pixels in which echoes are looked for: as text, and found from what a few keys change.
 *
 * Pure: pictures come in as pixels. Pixels are counted from the upper left. */
#ifndef KEYREPEAT_REGION_H
#define KEYREPEAT_REGION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct region {
	int x, y, w, h;
};

#define REGION_TEXT 48

/* "600x300+10+20", all of it. 0, or -EINVAL (also for an empty one). */
int region_read(const char *text, struct region *out);
void region_write(const struct region *r, char text[REGION_TEXT]);
/* What both cover; empty (w or h 0) when nothing. */
struct region region_both(const struct region *a, const struct region *b);
bool region_empty(const struct region *r);

/* Which pixels of a picture changed when: without a key, before the first and after the last; and with each of them. */
#define REGION_KEYS 5
#define REGION_BEFORE 1u
#define REGION_AFTER 2u
#define REGION_KEY(i) (4u << (i))

struct region_marks {
	int w, h;
	uint8_t *bits;		/* w x h, owned by who made it */
};

/* Sets `bit` where the pictures, both w x h, differ. True when a pixel did that has not changed without a key before. */
bool region_mark(struct region_marks *m, const uint32_t *before, const uint32_t *after, uint8_t bit);

/* Where keys show: the group of changes that came with most of the keys (the widest, if several
 * did: a column counter in a status line follows keys too, but text grows). A small thing beside it
 * that also changes by itself is its caret. From that line the region reaches to the left and right
 * and down to the end of the picture, or to the next thing that follows keys or changes by itself,
 * both before and after them (what did so only once was a greeting that went). False when no place
 * followed at least two keys, or when memory is short. */
bool region_find(const struct region_marks *m, struct region *out);

#endif
