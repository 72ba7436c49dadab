/* SPDX-License-Identifier: GPL-3.0-or-later */
/* screen - a picture of 32 bits a pixel (0x00RRGGBB, the top byte always 0), as the server's screen is kept on this side. */
#ifndef THINPROBE_SCREEN_H
#define THINPROBE_SCREEN_H

#include <stddef.h>
#include <stdint.h>

#define SCREEN_SIDE_MOST 16384	/* pixels a side; a server that asks for more is refused */
#define SCREEN_PIXELS_MOST (64 << 20)

struct screen {
	int width, height;	/* pixels */
	uint32_t *pixels;	/* width * height of them, row by row; owned */
};

struct box {		/* a rectangle of pixels; w or h 0: empty */
	int x, y, w, h;
};

/* 0, -EINVAL for a size that is refused, -ENOMEM. What was shown is kept in the upper left corner, the rest is black. */
int screen_resize(struct screen *s, int width, int height);
void screen_free(struct screen *s);

struct box box_clip(struct box b, int width, int height);	/* what of it lies within */
struct box box_join(struct box a, struct box b);		/* the smallest around both; an empty one adds nothing */
int box_meets(struct box a, struct box b);			/* share at least one pixel */

#endif
