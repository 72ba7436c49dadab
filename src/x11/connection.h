/* SPDX-License-Identifier: GPL-3.0-or-later */
/* connection - a connection to an X display whose loss is an error to report, not the end of the program as Xlib has it. The one
 * file of this room that includes the headers of the X libraries. */
#pragma once

#include "area.h"
#include "clock.h"
#include "watchdog.h"
#include "why.h"

#include <X11/XKBlib.h>
#include <X11/Xatom.h>
#include <X11/Xlib.h>
#include <X11/Xutil.h>
#include <X11/extensions/XShm.h>
#include <X11/extensions/XTest.h>
#include <X11/extensions/Xdamage.h>
#include <X11/extensions/Xfixes.h>

struct x11_connection {
	Display *display; /* NULL: not open */
	Window root;
	Visual *visual;
	int depth;
	struct pixel_area screen;
	_Atomic bool broken; /* from then on all requests of Xlib fail */
	struct watchdog watchdog;
	bool guarded; /* the watchdog runs */
};

/* Opens a display (NULL: $DISPLAY). A request that the server refuses is ignored here; the function that wants its result fails.
 * *x must not move until x11_close(). False with one line in `why`. */
bool x11_open(struct x11_connection *x, const char *name, struct why *why);
/* False, with one line in `why`: the screen has a palette, and no colours of its own for each pixel. */
bool x11_has_true_colours(const struct x11_connection *x, struct why *why);
/* Whether the connection has broken, which is said in `why` then: Xlib's answers to what was asked since are no reason. */
bool x11_explain_loss(const struct x11_connection *x, struct why *why);
/* Closes the connection, if it is open. A broken one is left open: XCloseDisplay() would write to it once more. */
void x11_close(struct x11_connection *x);

#define X11_GRACE_NS (2 * NS_PER_S)	/* from a stop signal until a display that stopped reading is given up */
#define X11_PATIENCE_NS (15 * NS_PER_S) /* from when it should have answered: a slow link needs several round trips */

/* Limits how long Xlib may wait for a display that does not answer (watchdog.h): until until_ns, and for grace_ns after a stop
 * signal. Called again, it changes until_ns. Where no thread can be started, waiting has no limit. */
void x11_limit_waiting(struct x11_connection *x, int64_t until_ns, int64_t grace_ns);

/* Takes an event that has come. False: there is none, or the connection is broken. */
bool x11_take_event(struct x11_connection *x, XEvent *event);
/* Sends all queued requests, then sleeps until an event comes, until_ns is reached or a stop signal arrives. */
void x11_await_event(struct x11_connection *x, int64_t until_ns);

/* The part of connection x11_open() that only connects: NULL with one line in `why`; where the display does not answer, after 15 s
 * or at a stop signal. *broken, which must live as long as the connection, becomes true when it breaks. */
Display *x11_connect(const char *name, _Atomic bool *broken, struct why *why);
