/* SPDX-License-Identifier: GPL-3.0-or-later */
/* damage - reports when something was drawn on the screen, and where (DAMAGE extension). */
#pragma once

#include "connection.h"

struct x11_damage {
	struct x11_connection *x;
	Damage damage; /* of the root window, which covers all windows */
	XserverRegion parts;
	int event; /* type of the event that tells of drawing; one comes, and the next after x11_damage_rearm() */
};

/* Starts to watch. False, with one line in `why`: the server lacks an extension; `cure` ends the line. */
bool x11_damage_start(struct x11_damage *w, struct x11_connection *x, const char *cure, struct why *why);
/* Forgets what was drawn until now. */
void x11_damage_forget(struct x11_damage *w);

/* Rearm the event and fetch what was drawn: call both before pixels are read, so that drawing after the reading raises a new
 * event. */
void x11_damage_rearm(struct x11_damage *w);
/* The rectangles drawn since the last call, freed by XFree(); NULL: none, or the connection is broken. */
XRectangle *x11_damage_fetch(struct x11_damage *w, int *n);
/* The box around the parts of these rectangles that lie in the area; empty: none does. */
struct pixel_area x11_bound_parts(const XRectangle *part, int n, const struct pixel_area *in);
