/* SPDX-License-Identifier: GPL-3.0-or-later */
/* scene - what the window shows: the patch, and below it a line of the characters typed. Where everything stands is said
 * here once, for both faces (X11 and VNC).
 *
 *	SCENE_WIDTH x SCENE_HEIGHT pixels, white
 *	patch: upper left pixel at (2 cell, 2 cell), 8 x 6 cells, in a quiet zone of 2 cells
 *	line of text: top at 10 cell, left at 2 cell; begun anew when it is full */
#ifndef THINPROBE_REFECHO_SCENE_H
#define THINPROBE_REFECHO_SCENE_H

#include "patch.h"

#include <stdbool.h>
#include <stdint.h>

#define SCENE_WIDTH 320
#define SCENE_HEIGHT 240
#define SCENE_CELL_MIN 4	/* 6 at least for a reader at half scale */
#define SCENE_CELL_MAX 16
#define SCENE_GLYPH_WIDTH 12	/* room of a character; a face may draw it smaller */
#define SCENE_GLYPH_HEIGHT 16
#define SCENE_LINE_MAX 64

/* With noise the patch is drawn in these greys, each pixel up to NOISE away: too many colours for lossless coding. */
#define SCENE_NOISE 63
#define SCENE_NOISE_BLACK 64
#define SCENE_NOISE_WHITE 191

struct scene_box {
	int x, y, width, height;
};

struct scene {
	int cell;
	uint32_t number;
	struct patch_cells cells;
	char line[SCENE_LINE_MAX];
	int length;
};

void scene_start(struct scene *s, int cell);

/* Shows another number: the cells that turn white and those that turn black, as boxes of whole runs in a row; with `all`,
 * every cell below the marker. Each array holds PATCH_ROWS * PATCH_COLUMNS. */
void scene_number(struct scene *s, uint32_t number, bool all, struct scene_box *white, int *whites,
		  struct scene_box *black, int *blacks);

/* Adds a character to the line: its box. *cleared: the line was full; it now holds this character alone. */
struct scene_box scene_type(struct scene *s, unsigned char character, bool *cleared);

struct scene_box scene_line(const struct scene *s);

#endif
