/* SPDX-License-Identifier: GPL-3.0-or-later */
/* pixels - reads pixels of the screen from the root window: what a person sees, also where one window covers another. */
#pragma once

#include "connection.h"
#include "patch.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A buffer for rectangles of the screen, in memory shared with the X server where that is possible. */
struct x11_pixels {
	struct x11_connection *x;
	XImage *image; /* NULL: not open; after x11_pixels_read(), row 0 is the top row of the rectangle */
	XShmSegmentInfo shm;
	bool shared;
};

/* Allocates a buffer for rectangles of up to w x h pixels. False: the screen cannot be read. */
bool x11_pixels_alloc(struct x11_pixels *p, struct x11_connection *x, int w, int h);
/* Reads a rectangle of the screen. False: not on the screen, or the connection is broken. */
bool x11_pixels_read(struct x11_pixels *p, const struct pixel_area *at);
/* Copies the w x h pixels read last to pixels of 32 bits, `stride` pixels a row. Bits that belong to no colour become 0. */
void x11_pixels_copy(const struct x11_pixels *p, int w, int h, uint32_t *out, size_t stride);
/* Frees the buffer, if it is open. */
void x11_pixels_free(struct x11_pixels *p);

/* Luminance of a pixel of an XImage, 0 (black) to 255 (white): patch_image.luminance. */
int x11_luminance(const void *image, int x, int y);

/* An image in the pixel format of the screen, freed by XDestroyImage(). */
XImage *x11_create_image(const struct x11_connection *x, int width, int height);
/* Converts 0xrrggbb pixels, one for each pixel of `image`, to the image's format. */
void x11_fill_image(const struct x11_connection *x, XImage *image, const uint32_t *rgb);

/* Finds a numbered patch (patch.h) on the screen and from then on reads only the rectangle around it. */
struct x11_patch {
	struct x11_pixels picture; /* of the rectangle; not open until the patch has been found */
	struct pixel_area area;	   /* on the screen: the patch and a margin */
	struct patch_place place;  /* of the patch within the rectangle */
};

/* Looks for a patch with cells of 3 to max_cell pixels in a part of the screen, and reads its number. False: no patch, or not
 * readable (half drawn, covered); the caller may try again. */
#define X11_PATCH_CELL_MAX 40
bool x11_patch_find(struct x11_patch *p, struct x11_connection *x, const struct pixel_area *in, double max_cell, uint32_t *number);
/* Reads the number that the patch shows now. False: half drawn, covered or moved. */
bool x11_patch_read(struct x11_patch *p, uint32_t *number);
