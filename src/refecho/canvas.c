// SPDX-License-Identifier: GPL-3.0-or-later
#include "canvas.h"
#include "memory.h"
#include "random.h"

#define MARGIN 2 /* pixels of a glyph's box above and on the left of the glyph */

static uint32_t grey_colour(int value)
{
	return (uint32_t)value * 0x010101u;
}

static void fill_colour(struct echo_canvas *c, const struct pixel_area *box, uint32_t colour)
{
	for (int y = box->y; y < box->y + box->h; y++)
		for (int x = box->x; x < box->x + box->w; x++)
			c->pixel[y * SCENE_WIDTH + x] = colour;
}

/* Fills a box with pixels of random colours, up to SCENE_NOISE away from the grey `middle` in each channel. */
static void fill_noise(struct echo_canvas *c, const struct pixel_area *box, int middle)
{
	for (int y = box->y; y < box->y + box->h; y++) {
		for (int x = box->x; x < box->x + box->w; x++) {
			uint64_t bits = random_bits(&c->random);
			uint32_t colour = 0;

			/* 21 random bits for each channel; taking the remainder makes some colours 1 in 16,000 more likely */
			for (int i = 0; i < 3; i++, bits >>= 21)
				colour = colour << 8 |
					 (uint32_t)(middle - SCENE_NOISE + (int)((bits & 0x1fffff) % (2 * SCENE_NOISE + 1)));
			c->pixel[y * SCENE_WIDTH + x] = colour;
		}
	}
}

static void paint_patch_boxes(struct echo_canvas *c, const struct pixel_area *box, int n, bool white)
{
	for (int i = 0; i < n; i++) {
		if (c->noise)
			fill_noise(c, &box[i], white ? SCENE_NOISE_WHITE : SCENE_NOISE_BLACK);
		else
			fill_colour(c, &box[i], grey_colour(white ? 255 : 0));
	}
}

static void draw_number(struct echo_canvas *c, uint32_t number, struct pixel_area *changed)
{
	struct pixel_area white[PATCH_ROWS * PATCH_COLUMNS], black[PATCH_ROWS * PATCH_COLUMNS];
	int whites, blacks;

	scene_set_number(&c->scene, number, c->noise, white, &whites, black, &blacks);
	paint_patch_boxes(c, white, whites, true);
	paint_patch_boxes(c, black, blacks, false);
	/* one rectangle around all changed cells: cheaper for client and server than a dozen small ones */
	for (int i = 0; i < whites; i++)
		area_include(changed, &white[i]);
	for (int i = 0; i < blacks; i++)
		area_include(changed, &black[i]);
}

static void draw_glyph(struct echo_canvas *c, const struct pixel_area *box, unsigned char character)
{
	for (int y = 0; y < box->h; y++)
		for (int x = 0; x < box->w; x++)
			c->pixel[(box->y + y) * SCENE_WIDTH + box->x + x] =
				scene_has_dot(character, (x - MARGIN + 2) / 2 - 1, (y - MARGIN + 2) / 2 - 1) ? grey_colour(0)
													     : grey_colour(255);
}

struct canvas_change canvas_draw(struct echo_canvas *c, uint32_t number, const unsigned char *typed, size_t n)
{
	struct canvas_change changed = { 0 };

	draw_number(c, number, &changed.cells);
	for (size_t i = 0; i < n; i++) {
		bool cleared;
		struct pixel_area box = scene_add_character(&c->scene, typed[i], &cleared), line = scene_line_box(&c->scene);

		if (cleared) {
			fill_colour(c, &line, grey_colour(255));
			area_include(&changed.text, &line);
		}
		draw_glyph(c, &box, typed[i]);
		area_include(&changed.text, &box);
	}
	return changed;
}

void canvas_init(struct echo_canvas *c, int cell, bool noise, uint64_t seed)
{
	struct pixel_area ground = { 0, 0, SCENE_WIDTH, SCENE_HEIGHT };

	*c = (struct echo_canvas){ .pixel = memory_new(SCENE_WIDTH * SCENE_HEIGHT, sizeof(*c->pixel)),
				   .noise = noise,
				   .random = seed };
	scene_init(&c->scene, cell);
	fill_colour(c, &ground, grey_colour(255));
	for (int i = 0; i < PATCH_ROWS * PATCH_COLUMNS; i++) {
		struct pixel_area box = { (2 + i % PATCH_COLUMNS) * cell, (2 + i / PATCH_COLUMNS) * cell, cell, cell };

		paint_patch_boxes(c, &box, 1, c->scene.cells.white[i / PATCH_COLUMNS][i % PATCH_COLUMNS]);
	}
}

void canvas_free(struct echo_canvas *c)
{
	free(c->pixel);
	c->pixel = NULL;
}
