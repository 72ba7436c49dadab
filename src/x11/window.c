// SPDX-License-Identifier: GPL-3.0-or-later
#include "window.h"

bool x11_has_property(Display *d, Window w, Atom name)
{
	Atom type = None;
	int format;
	unsigned long n, rest;
	unsigned char *value = NULL;

	if (XGetWindowProperty(d, w, name, 0, 0, False, AnyPropertyType, &type, &format, &n, &rest, &value) == Success && value)
		XFree(value);
	return type != None;
}

unsigned long x11_read_property(Display *d, Window w, Atom name, long most, unsigned char **value, int *format)
{
	Atom type = None;
	unsigned long n = 0, rest;

	*value = NULL;
	if (XGetWindowProperty(d, w, name, 0, most, False, AnyPropertyType, &type, format, &n, &rest, value) != Success)
		return 0;
	if (!n && *value) {
		XFree(*value);
		*value = NULL;
	}
	return n;
}

bool x11_has_manager(const struct x11_connection *x)
{
	XWindowAttributes a;

	/* only the window manager may select this event on the root window */
	return XGetWindowAttributes(x->display, x->root, &a) && a.all_event_masks & SubstructureRedirectMask;
}

bool x11_locate_window(const struct x11_connection *x, Window w, XWindowAttributes *a, struct pixel_area *at)
{
	Window child;

	if (!XGetWindowAttributes(x->display, w, a) || a->map_state != IsViewable)
		return false;
	*at = (struct pixel_area){ 0, 0, a->width, a->height };
	return XTranslateCoordinates(x->display, w, x->root, 0, 0, &at->x, &at->y, &child);
}

bool x11_focus_window(const struct x11_connection *x, Window w)
{
	XEvent ask = { .xclient = { .type = ClientMessage,
				    .window = w,
				    .format = 32,
				    .data.l = { 2, CurrentTime },
				    .message_type = XInternAtom(x->display, "_NET_ACTIVE_WINDOW", False) } };

	if (x11_has_property(x->display, x->root, XInternAtom(x->display, "_NET_SUPPORTING_WM_CHECK", False)))
		return XSendEvent(x->display, x->root, False, SubstructureRedirectMask | SubstructureNotifyMask, &ask);
	XRaiseWindow(x->display, w);
	XSetInputFocus(x->display, w, RevertToPointerRoot, CurrentTime);
	return false;
}
