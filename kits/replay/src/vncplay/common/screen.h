/* SPDX-License-Identifier: GPL-3.0-or-later */
/* screen - a copy of the server's screen: 32 bits per pixel, 0x00RRGGBB, the top byte always 0. */
#pragma once

#include <stdint.h>

#define SCREEN_SIDE_MOST 16384 /* pixels, of width and height; larger screens are refused */
#define SCREEN_PIXELS_MOST (64 << 20)

struct screen {
	int width, height; /* pixels */
	uint32_t *pixels;  /* width * height, row by row; owned */
};

struct box { /* a rectangle, in pixels; w or h 0: empty */
	int x, y, w, h;
};

/* 0, -EINVAL for a size that is refused, or -ENOMEM. The old content is kept in the upper left corner, new parts are black. */
int screen_resize(struct screen *s, int width, int height);
void screen_free(struct screen *s);
int screen_write(const struct screen *s, const char *path); /* as a picture, PPM of 8 bits a channel; 0 or -errno */

int box_parse(const char *text, struct box *b);		  /* "X,Y,W,H"; 0 or -EINVAL: also negative or empty */
struct box box_clip(struct box b, int width, int height); /* the part of it within (0, 0) to (width, height) */
struct box box_join(struct box a, struct box b);	  /* the smallest box around both; an empty one adds nothing */
int box_meets(struct box a, struct box b);		  /* 1: both have at least one pixel in common */
