/* SPDX-License-Identifier: GPL-3.0-or-later */
/* picture - reads pixels of the screen from the root window: what a person sees, also where one window covers another. */
#pragma once

#include "connection.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A buffer for rectangles of the screen, in memory shared with the X server where that is possible. */
struct x11_screen_pixels {
	Display *display;
	XImage *image;			/* NULL: not open; after x11_screen_pixels_read(), row 0 is the top row of the rectangle */
	XShmSegmentInfo shm;
	bool shared;
};

/* Allocates a buffer for rectangles of up to w x h pixels. False: out of memory. */
bool x11_screen_pixels_alloc(struct x11_screen_pixels *p, Display *display, int w, int h);
/* Reads the w x h pixels of the screen at x, y. False: not on the screen, or the connection is broken. */
bool x11_screen_pixels_read(struct x11_screen_pixels *p, int x, int y, int w, int h);
/* Copies the w x h pixels read last to pixels of 32 bits, `stride` pixels a row. Bits that belong to no colour become 0. */
void x11_screen_pixels_copy_to_rgb(const struct x11_screen_pixels *p, int w, int h, uint32_t *out, size_t stride);
/* Frees the buffer, if it is open. `broken`: the connection is, so that nothing may be sent to the server. */
void x11_screen_pixels_free(struct x11_screen_pixels *p, bool broken);

/* Luminance of a pixel of an XImage, 0 (black) to 255 (white): patch_searched_image.luminance. */
int x11_pixel_luminance(const void *image, int x, int y);
/* Reads the w x h pixels of the screen at x, y; freed by XDestroyImage(). NULL: cannot be read. */
XImage *x11_read_screen_image(Display *d, int x, int y, int w, int h);
