/* SPDX-License-Identifier: GPL-3.0-or-later */
/* screen - a copy of the server's screen: 32 bits per pixel, 0x00RRGGBB, the top byte always 0. */
#pragma once

#include "area.h"

#include <stddef.h>
#include <stdint.h>

#define SCREEN_SIDE_MOST 16384 /* pixels, of width and height; larger screens are refused */
#define SCREEN_PIXELS_MOST (64 << 20)

struct screen {
	int width, height; /* pixels */
	uint32_t *pixels;  /* width * height, row by row; owned */
};

/* 0, -EINVAL for a size that is refused, or -ENOMEM. The old content is kept in the upper left corner, new parts are black. */
int screen_resize(struct screen *s, int width, int height);
void screen_free(struct screen *s);
int screen_write(const struct screen *s, const char *path); /* as a picture, PPM of 8 bits a channel; 0 or -errno */

/* The pixel at x, y; outside of the screen it is black. */
static inline uint32_t screen_pixel(const struct screen *s, int x, int y)
{
	return x >= 0 && y >= 0 && x < s->width && y < s->height ? s->pixels[(size_t)y * (size_t)s->width + (size_t)x] : 0;
}

int screen_parse_area(const char *text, struct pixel_area *b); /* "X,Y,W,H"; 0 or -EINVAL: also negative or empty */
