/* SPDX-License-Identifier: GPL-3.0-or-later */
/* x11 - a connection to an X display that cannot block the program for ever, and images in the display's pixel format. The one file
 * of this room that includes the headers of the X libraries. */
#pragma once

#include "watchdog.h"
#include "why.h"
#include "x11/connection.h"
#include "x11/picture.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <X11/Xlib.h>
#include <X11/Xutil.h>
#include <X11/extensions/Xdamage.h>

struct x11_animation_connection {
	Display *display;
	Window root;
	Visual *visual;
	unsigned depth;
	_Atomic bool gone;	/* the connection is broken: Xlib may not be called any more */
	struct watchdog watchdog;
	bool guarded;		/* the watchdog runs */
};

/* Opens a display (NULL: $DISPLAY) with a TrueColor visual. A display that stops reading cannot keep the program from ending: two
 * seconds after a stop signal the connection is shut down. 0 or -errno, with a line in `why`. */
int x11_animation_connection_open(struct x11_animation_connection *x, const char *name, struct why *why);
void x11_animation_connection_close(struct x11_animation_connection *x);
/* Sends all queued requests, then sleeps until an event comes, until_ns is reached or a stop signal arrives. */
void x11_sleep_until_event(struct x11_animation_connection *x, int64_t until_ns);
/* An image in the pixel format of the screen, freed by XDestroyImage(). NULL: out of memory. */
XImage *x11_create_image(const struct x11_animation_connection *x, int width, int height);
/* Converts 0xrrggbb pixels, one for each pixel of `image`, to the image's format. */
void x11_fill_image_from_rgb(const struct x11_animation_connection *x, XImage *image, const uint32_t *rgb);
