/* SPDX-License-Identifier: GPL-3.0-or-later */
/* picture - pixels of the screen. The root window's, not a window's own: what a person sees, also where something covers it. */
#ifndef THINPROBE_X11_PICTURE_H
#define THINPROBE_X11_PICTURE_H

#include "connection.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A rectangle of the screen, up to a size, as it can be read: by shared memory where the server can reach it. */
struct x11_picture {
	Display *display;
	XImage *image;			/* after a reading: its first row is the rectangle's */
	XShmSegmentInfo shm;
	bool shared;
};

/* Room for w x h pixels. False when none can be had. */
bool x11_picture_open(struct x11_picture *p, Display *display, int w, int h);
/* Reads what the screen shows there. False when it cannot be read (the rectangle is not on the screen, a broken connection). */
bool x11_picture_read(struct x11_picture *p, int x, int y, int w, int h);
/* Copies a picture of w x h that was read to pixels of 32 bits, `stride` of them a row. Bits that are of no colour are 0. */
void x11_picture_copy(const struct x11_picture *p, int w, int h, uint32_t *out, size_t stride);
/* Does nothing where none is open. `broken`: without a word to the server. */
void x11_picture_close(struct x11_picture *p, bool broken);

/* For patch_read(), of an XImage. */
int x11_luminance(const void *image, int x, int y);
/* Of a rectangle on the screen, for XDestroyImage(). NULL: it cannot be read. */
XImage *x11_whole_image(Display *d, int x, int y, int w, int h);

#endif
