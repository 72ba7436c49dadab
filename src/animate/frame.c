// SPDX-License-Identifier: GPL-3.0-or-later
#include "frame.h"
#include "random.h"

#include <stddef.h>

#define WHITE 0xffffffu
#define PALETTE_BITS 8
#define COLOUR_BITS 24

const char *const frame_contents[] = { "noise", "mixed", "flat", NULL };

/* Makes one of 256 colours, 8 x 8 x 4 shades of red, green and blue, from 8 random bits. */
static uint32_t palette_colour(uint64_t bits)
{
	uint32_t red = (uint32_t)bits & 7, green = (uint32_t)(bits >> 3) & 7, blue = (uint32_t)(bits >> 6) & 3;

	return (red * 255 / 7) << 16 | (green * 255 / 7) << 8 | blue * 255 / 3;
}

static void draw_number_patch(const struct frame_cfg *p, uint32_t frame, uint32_t *rgb)
{
	struct patch_cells cells;

	patch_encode(frame, &cells);
	for (int y = 0; y < FRAME_MARK_HEIGHT; y++) {
		for (int x = 0; x < FRAME_MARK_WIDTH; x++) {
			int row = y / FRAME_CELL - 1, column = x / FRAME_CELL - 1;
			bool inside = row >= 0 && row < PATCH_ROWS && column >= 0 && column < PATCH_COLUMNS;

			rgb[y * p->width + x] = !inside || cells.white[row][column] ? WHITE : 0;
		}
	}
}

static bool is_in_patch_zone(int x, int y)
{
	return x < FRAME_MARK_WIDTH && y < FRAME_MARK_HEIGHT;
}

static int64_t draw_noise(const struct frame_cfg *p, uint64_t *random, uint32_t *rgb)
{
	int64_t bits = 0;

	for (int y = 0; y < p->height; y++) {
		for (int x = 0; x < p->width; x++) {
			rgb[y * p->width + x] = (uint32_t)random_bits(random) & WHITE;
			bits += is_in_patch_zone(x, y) ? 0 : COLOUR_BITS;
		}
	}
	return bits;
}

static int64_t draw_squares(const struct frame_cfg *p, uint64_t *random, uint32_t *rgb)
{
	int64_t bits = 0;
	uint32_t one = 0;

	for (int top = 0; top < p->height; top += FRAME_SQUARE) {
		for (int left = 0; left < p->width; left += FRAME_SQUARE) {
			bool noisy = (top + left) / FRAME_SQUARE % 2 == 0, seen = false;

			one = palette_colour(random_bits(random));
			for (int y = top; y < top + FRAME_SQUARE && y < p->height; y++) {
				for (int x = left; x < left + FRAME_SQUARE && x < p->width; x++) {
					rgb[y * p->width + x] = noisy ? palette_colour(random_bits(random)) : one;
					bits += is_in_patch_zone(x, y) || (!noisy && seen) ? 0 : PALETTE_BITS;
					seen = seen || !is_in_patch_zone(x, y);
				}
			}
		}
	}
	return bits;
}

int64_t frame_draw(const struct frame_cfg *p, uint32_t frame, uint32_t *rgb)
{
	/* one random_bits() spreads seed and number, so that neighbouring frames have unrelated random streams */
	uint64_t random = p->seed ^ ((uint64_t)frame << 32 | frame);
	int64_t bits = PALETTE_BITS;

	random = random_bits(&random);
	switch (p->content) {
	case FRAME_NOISE: bits = draw_noise(p, &random, rgb); break;
	case FRAME_MIXED: bits = draw_squares(p, &random, rgb); break;
	case FRAME_FLAT:
		for (int i = 0; i < p->width * p->height; i++)
			rgb[i] = i ? rgb[0] : palette_colour(random_bits(&random));
		break;
	}
	draw_number_patch(p, frame, rgb);
	return bits;
}
