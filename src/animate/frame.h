/* SPDX-License-Identifier: GPL-3.0-or-later */
/* frame - pixels of the frames: computed from seed and frame number alone, so that a frame shown again is identical.
 *
 * The contents differ in how far lossless compression can shrink a frame:
 *	noise	random pixels of 2^24 colours: 3 bytes a pixel, incompressible
 *	mixed	squares of 10 x 10 pixels like a chessboard, one half with random pixels of 256 colours, the other half each of one
 *		colour: at least half a byte a pixel, about as much as a 256-colour picture on a web page
 *	flat	all of one of 256 colours: hardly any bytes
 * In the upper left corner the frame's number stands as a patch (patch.h) in a white zone of FRAME_MARK_WIDTH x
 * FRAME_MARK_HEIGHT pixels. */
#pragma once

#include "patch.h"

#include <stdint.h>

#define FRAME_CELL 4 /* pixels of a patch cell */
#define FRAME_MARK_WIDTH ((PATCH_COLUMNS + 2) * FRAME_CELL)
#define FRAME_MARK_HEIGHT ((PATCH_ROWS + 2) * FRAME_CELL)
#define FRAME_SQUARE 10

enum frame_content { FRAME_NOISE, FRAME_MIXED, FRAME_FLAT };
extern const char *const frame_contents[]; /* NULL-terminated */

struct frame_cfg {
	int width, height; /* pixels; at least FRAME_MARK_WIDTH x FRAME_MARK_HEIGHT */
	enum frame_content content;
	uint64_t seed;
};

/* Fills width x height pixels (0xrrggbb, row by row) with frame number 0 to PATCH_NUMBER_MAX. Returns the random bits in the frame:
 * the least that a lossless coding of this frame alone can take. */
int64_t frame_draw(const struct frame_cfg *p, uint32_t frame, uint32_t *rgb);
