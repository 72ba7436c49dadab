/* SPDX-License-Identifier: GPL-3.0-or-later */
/* blank - whether a picture is as it was before a character was typed. Pure.
 *
 * It is also that where a caret blinks in it: until a key is typed, two pictures are kept, and pixels that change beyond that are
 * not compared. */
#pragma once

#include "area.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BLANK_PICTURES 2 /* a caret is there, or not */

/* All zero at first. */
struct blank {
	uint32_t *picture[BLANK_PICTURES];
	size_t n, pixels;		  /* pictures kept; pixels of each */
	size_t differing[BLANK_PICTURES]; /* pixels in which the picture now is another */
	bool *changes;			  /* of each pixel: it changes without keys */
};

/* Makes room for pictures of so many pixels. Until `n` is 0 again, the picture at the first change is the one that is kept. */
void blank_alloc(struct blank *b, size_t pixels);
/* The area of the picture has changed from `before` to `now` (rows of `stride` pixels). learn: no key is typed yet. */
void blank_follow(struct blank *b, const uint32_t *before, const uint32_t *now, size_t stride, const struct pixel_area *in,
		  bool learn);
/* True if the picture is one of those kept. */
bool blank_holds(const struct blank *b);
void blank_free(struct blank *b);
