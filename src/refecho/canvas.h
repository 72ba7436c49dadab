/* SPDX-License-Identifier: GPL-3.0-or-later */
/* canvas - the scene as a picture in memory, for back-ends that hand over pixels (VNC, Wayland). */
#pragma once

#include "scene.h"

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
