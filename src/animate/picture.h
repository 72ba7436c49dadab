/* SPDX-License-Identifier: GPL-3.0-or-later */
/* picture - the frames: each a function of seed and number alone, so that a frame shown again is the same to the last pixel.
 *
 * What a frame shows is chosen so that compressing it does not hide what caching does:
 *	noise	every pixel one of 2^24 colours by chance: 3 bytes a pixel, which nothing lossless makes smaller
 *	mixed	squares of 10 x 10 pixels, in turn by chance, every pixel one of 256 colours, and of one colour: half a byte a pixel
 *		at least, about what a picture of 256 colours on a web page takes
 *	flat	one of 256 colours: as little as can be
 * In the upper left corner stands its number as a patch (patch.h), in a white zone of PICTURE_MARK_WIDTH x PICTURE_MARK_HEIGHT. */
#ifndef ANIMATE_PICTURE_H
#define ANIMATE_PICTURE_H

#include "patch.h"

#include <stdint.h>

#define PICTURE_CELL 4
#define PICTURE_MARK_WIDTH ((PATCH_COLUMNS + 2) * PICTURE_CELL)
#define PICTURE_MARK_HEIGHT ((PATCH_ROWS + 2) * PICTURE_CELL)
#define PICTURE_SQUARE 10

enum picture_content { PICTURE_NOISE, PICTURE_MIXED, PICTURE_FLAT };
extern const char *const picture_contents[];	/* NULL-terminated */

struct picture {
	int width, height;	/* the mark fits */
	enum picture_content content;
	uint64_t seed;
};

/* Fills width x height pixels (0xrrggbb, row by row). Frames are numbered to PATCH_NUMBER_MAX. Returns how much chance is in it, in
 * bits: what any lossless coding of a single frame takes at least. */
int64_t picture_draw(const struct picture *p, uint32_t frame, uint32_t *rgb);

#endif
