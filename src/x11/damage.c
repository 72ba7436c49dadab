// SPDX-License-Identifier: GPL-3.0-or-later
#include "damage.h"

bool x11_damage_start(struct x11_damage *w, struct x11_connection *x, const char *cure, struct why *why)
{
	int error, event, major = 1, minor = 1, fixes = 5, fixes_minor = 0;

	if (!XDamageQueryExtension(x->display, &event, &error) || !XDamageQueryVersion(x->display, &major, &minor) ||
	    !XFixesQueryVersion(x->display, &fixes, &fixes_minor)) {
		why_say(why, "display %s has no DAMAGE extension, which reports what was drawn: %s", DisplayString(x->display),
			cure);
		return false;
	}
	*w = (struct x11_damage){ .x = x,
				  .event = event + XDamageNotify,
				  .parts = XFixesCreateRegion(x->display, NULL, 0),
				  .damage = XDamageCreate(x->display, x->root, XDamageReportNonEmpty) };
	x11_damage_forget(w); /* a new damage object begins with the whole screen as damaged */
	return true;
}

void x11_damage_forget(struct x11_damage *w)
{
	XEvent old;

	/* first the event, so that drawing after XDamageSubtract() raises a new one */
	XSync(w->x->display, False);
	while (!w->x->broken && XCheckTypedEvent(w->x->display, w->event, &old))
		;
	x11_damage_rearm(w);
	XSync(w->x->display, False);
}

void x11_damage_rearm(struct x11_damage *w)
{
	XDamageSubtract(w->x->display, w->damage, None, None);
}

XRectangle *x11_damage_fetch(struct x11_damage *w, int *n)
{
	*n = 0;
	XDamageSubtract(w->x->display, w->damage, None, w->parts);
	return XFixesFetchRegion(w->x->display, w->parts, n);
}

struct pixel_area x11_bound_parts(const XRectangle *part, int n, const struct pixel_area *in)
{
	struct pixel_area box = { 0 };

	for (int i = 0; i < n; i++) {
		struct pixel_area one = { part[i].x, part[i].y, part[i].width, part[i].height };

		one = area_intersect(&one, in);
		if (!area_is_empty(&one))
			area_include(&box, &one);
	}
	return box;
}
