// SPDX-License-Identifier: GPL-3.0-or-later
#include "scene.h"

static int line_columns(const struct scene *s)
{
	int n = (SCENE_WIDTH - 4 * s->cell) / SCENE_GLYPH_WIDTH;

	return n < SCENE_LINE_MAX ? n : SCENE_LINE_MAX;
}

void scene_start(struct scene *s, int cell)
{
	*s = (struct scene){ .cell = cell };
	patch_encode(0, &s->cells);
}

static int find_runs(const struct scene *s, const struct patch_cells *before, bool all, bool white, struct scene_box *out)
{
	int n = 0;

	for (int r = 1; r < PATCH_ROWS; r++) {
		bool open = false;

		for (int c = 0; c < PATCH_COLUMNS; c++) {
			bool here = s->cells.white[r][c] == white && (all || before->white[r][c] != white);

			if (here && open)
				out[n - 1].width += s->cell;
			else if (here)
				out[n++] = (struct scene_box){ (2 + c) * s->cell, (2 + r) * s->cell, s->cell, s->cell };
			open = here;
		}
	}
	return n;
}

void scene_number(struct scene *s, uint32_t number, bool all, struct scene_box *white, int *whites,
		  struct scene_box *black, int *blacks)
{
	struct patch_cells before = s->cells;

	s->number = number & PATCH_NUMBER_MAX;
	patch_encode(s->number, &s->cells);
	*whites = find_runs(s, &before, all, true, white);
	*blacks = find_runs(s, &before, all, false, black);
}

struct scene_box scene_type(struct scene *s, unsigned char character, bool *cleared)
{
	*cleared = s->length == line_columns(s);
	if (*cleared)
		s->length = 0;
	s->line[s->length++] = (char)(character >= 0x20 && character < 0x7f ? character : '.');
	return (struct scene_box){ 2 * s->cell + (s->length - 1) * SCENE_GLYPH_WIDTH, 10 * s->cell, SCENE_GLYPH_WIDTH,
				   SCENE_GLYPH_HEIGHT };
}

struct scene_box scene_line(const struct scene *s)
{
	return (struct scene_box){ 2 * s->cell, 10 * s->cell, line_columns(s) * SCENE_GLYPH_WIDTH, SCENE_GLYPH_HEIGHT };
}
