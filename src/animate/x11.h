/* SPDX-License-Identifier: GPL-3.0-or-later */
/* x11 - a connection to a display that is never waited for without end, and the one place that names the X libraries. */
#ifndef ANIMATE_X11_H
#define ANIMATE_X11_H

#include "watchdog.h"
#include "x11/connection.h"
#include "x11/picture.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <X11/Xlib.h>
#include <X11/Xutil.h>
#include <X11/extensions/Xdamage.h>

struct x11_session {
	Display *display;
	Window root;
	Visual *visual;
	unsigned depth;
	_Atomic bool gone;	/* the connection is broken: Xlib may not be called any more */
	struct watchdog watchdog;
	bool guarded;
};

/* Opens a display (NULL: $DISPLAY) with true colours. A display that takes nothing any more cannot
 * keep the program from ending: two seconds after a stop signal the connection is cut. 0 or -errno,
 * with a line in `why`. */
int x11_session_open(struct x11_session *x, const char *name, char *why, size_t size);
void x11_session_close(struct x11_session *x);
/* Sleeps until there is something to read, until then, or until a stop signal. Sends what is waiting first. */
void x11_sleep(struct x11_session *x, int64_t until_ns);
/* An image of the screen's kind with room for its pixels, to be given back by XDestroyImage(). NULL: no memory. */
XImage *x11_image(const struct x11_session *x, int width, int height);
/* Of 0xrrggbb pixels, to such an image. */
void x11_paint(const struct x11_session *x, XImage *image, const uint32_t *rgb);

#endif
