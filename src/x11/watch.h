/* SPDX-License-Identifier: GPL-3.0-or-later */
/* watch - reports when something was drawn on the screen, and where (DAMAGE extension). */
#pragma once

#include "connection.h"

struct x11_watch {
	struct x11_connection *x;
	Damage damage; /* of the root window, which covers all windows */
	XserverRegion parts;
	int event; /* type of the event that tells of drawing; one comes, and the next after x11_watch_rearm() */
};

/* Starts to watch. False, with one line in `why`: the server lacks an extension; `cure` ends the line. */
bool x11_watch_start(struct x11_watch *w, struct x11_connection *x, const char *cure, struct why *why);
/* Forgets what was drawn until now. */
void x11_watch_forget(struct x11_watch *w);

/* Rearm the event and fetch what was drawn: call both before pixels are read, so that drawing after the reading raises a new
 * event. */
void x11_watch_rearm(struct x11_watch *w);
/* The rectangles drawn since the last call, freed by XFree(); NULL: none, or the connection is broken. */
XRectangle *x11_watch_fetch(struct x11_watch *w, int *n);
/* The box around the parts of these rectangles that lie in the area; empty: none does. */
struct pixel_area x11_bound_parts(const XRectangle *part, int n, const struct pixel_area *in);
