/* SPDX-License-Identifier: GPL-3.0-or-later */
/* scene - layout of the window: the patch, and below it a line with the characters typed. The same for both back-ends (X11, VNC).
 *
 *	SCENE_WIDTH x SCENE_HEIGHT pixels, white
 *	patch: upper left pixel at (2 cell, 2 cell), 8 x 6 cells, with 2 cells of white around it
 *	line of text: top at 10 cell, left at 2 cell; cleared when it is full */
#pragma once

#include "area.h"
#include "patch.h"

#include <stdbool.h>
#include <stdint.h>

#define SCENE_WIDTH 320
#define SCENE_HEIGHT 240
#define SCENE_CELL_MIN 4 /* pixels; a display scaled to half its size needs 6 */
#define SCENE_CELL_MAX 16
#define SCENE_GLYPH_WIDTH 12 /* box of a character; a back-end may draw it smaller */
#define SCENE_GLYPH_HEIGHT 16
#define SCENE_LINE_MAX 64 /* characters */

/* With noise, black and white of the patch become these greys, each pixel up to SCENE_NOISE away: too many colours for lossless
 * encodings. */
#define SCENE_NOISE 63
#define SCENE_NOISE_BLACK 64
#define SCENE_NOISE_WHITE 191

struct echo_scene {
	int cell;	 /* pixels of a patch cell */
	uint32_t number; /* shown by the patch */
	struct patch_cells cells;
	char line[SCENE_LINE_MAX]; /* `length` characters, without a 0 at the end */
	int length;
};

void scene_init(struct echo_scene *s, int cell);

/* Changes the number shown: the cells that turn white and those that turn black, cells side by side joined to one box; with `all`,
 * every cell below the marker row. Each array holds PATCH_ROWS * PATCH_COLUMNS boxes. */
void scene_set_number(struct echo_scene *s, uint32_t number, bool all, struct pixel_area *white, int *whites,
		      struct pixel_area *black, int *blacks);

/* Adds a character to the line of text and returns its box. *cleared: the line was full and now holds this character alone. */
struct pixel_area scene_add_character(struct echo_scene *s, unsigned char character, bool *cleared);

struct pixel_area scene_line_box(const struct echo_scene *s); /* the box of the whole line of text */

/* Glyphs of 5 x 7 dots for a back-end without fonts: true if dot x, y of the character is set. Characters outside 0x20..0x7e look
 * like '.'; dots outside the glyph are not set. */
bool scene_has_dot(unsigned char character, int x, int y);

/* The scene as a picture in memory, for back-ends that hand over pixels (VNC, Wayland). */
struct echo_canvas {
	struct echo_scene scene;
	uint32_t *pixel; /* SCENE_WIDTH x SCENE_HEIGHT, 0x00RRGGBB; owned */
	bool noise;
	uint64_t random;
};

/* What a drawing has changed: a box around the cells, and one in the line of text; width 0: nothing. */
struct canvas_change {
	struct pixel_area cells, text;
};

void canvas_init(struct echo_canvas *c, int cell, bool noise, uint64_t seed); /* shows number 0 */
void canvas_free(struct echo_canvas *c);
/* Draws the number as a patch and adds the characters to the line of text. */
struct canvas_change canvas_draw(struct echo_canvas *c, uint32_t number, const unsigned char *typed, size_t n);
