// SPDX-License-Identifier: GPL-3.0-or-later
#include "x11.h"
#include "clock.h"
#include "proc.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STOP_NS (2 * NS_PER_S)	/* from a stop signal until the connection is shut down */

int x11_animation_connection_open(struct x11_animation_connection *x, const char *name, struct why *why)
{
	*x = (struct x11_animation_connection){ 0 };
	x->display = x11_connect(name, &x->gone, why);
	if (!x->display)
		return -ENOENT;
	x->root = DefaultRootWindow(x->display);
	x->visual = DefaultVisual(x->display, DefaultScreen(x->display));
	x->depth = (unsigned)DefaultDepth(x->display, DefaultScreen(x->display));
	if (x->visual->class != TrueColor) {
		why_say(why, "display %s has no true colours; start it with a depth of 16 or 24", XDisplayName(name));
		x11_animation_connection_close(x);
		return -ENOTSUP;
	}
	/* Xlib waits for ever for a display that reads nothing, and goes on waiting after a signal */
	x->guarded = !socket_watchdog_start(&x->watchdog, ConnectionNumber(x->display), WATCHDOG_STOP, STOP_NS);
	return 0;
}

void x11_animation_connection_close(struct x11_animation_connection *x)
{
	x11_close_unless_broken(x->display, &x->gone);
	if (x->guarded)
		socket_watchdog_end(&x->watchdog);
	x->guarded = false;
	x->display = NULL;
}

void x11_sleep_until_event(struct x11_animation_connection *x, int64_t until_ns)
{
	int fd = ConnectionNumber(x->display);
	fd_set in;

	if (atomic_load(&x->gone) || XPending(x->display) || atomic_load(&x->gone))
		return;
	FD_ZERO(&in);
	FD_SET(fd, &in);
	proc_select_until_or_stop(fd + 1, &in, NULL, until_ns);
}

XImage *x11_create_image(const struct x11_animation_connection *x, int width, int height)
{
	const union { uint16_t word; uint8_t byte[2]; } one = { 1 };
	XImage *image = XCreateImage(x->display, x->visual, x->depth, ZPixmap, 0, NULL, (unsigned)width, (unsigned)height, 32, 0);

	if (!image)
		return NULL;
	image->byte_order = one.byte[0] ? LSBFirst : MSBFirst;	/* of this machine; Xlib swaps where the X server's differs */
	XInitImage(image);
	image->data = malloc((size_t)image->bytes_per_line * (size_t)height);
	if (!image->data) {
		XDestroyImage(image);
		return NULL;
	}
	return image;
}

/* Scales a colour of 8 bits to the bits of `mask`, the place of the colour within a pixel. */
static unsigned long scale_colour_to_mask(uint32_t value, unsigned long mask)
{
	unsigned long low = mask & (~mask + 1);

	return low ? (value * (mask / low) + 127) / 255 * low : 0;
}

void x11_fill_image_from_rgb(const struct x11_animation_connection *x, XImage *image, const uint32_t *rgb)
{
	const Visual *v = x->visual;

	for (int y = 0; y < image->height; y++) {
		for (int c = 0; c < image->width; c++, rgb++) {
			unsigned long pixel = scale_colour_to_mask(*rgb >> 16 & 0xff, v->red_mask) | scale_colour_to_mask(*rgb >> 8 & 0xff,
															  v->green_mask) |
					      scale_colour_to_mask(*rgb & 0xff, v->blue_mask);

			if (image->bits_per_pixel == 32)
				memcpy(image->data + (size_t)y * (size_t)image->bytes_per_line + (size_t)c * 4, &(uint32_t){ (uint32_t)pixel }, 4);
			else
				XPutPixel(image, c, y, pixel);
		}
	}
}
