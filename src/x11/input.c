// SPDX-License-Identifier: GPL-3.0-or-later
#include "input.h"

#define KEY_LEVELS 4

bool x11_window_has_property(Display *d, Window w, Atom name)
{
	Atom type = None;
	int format;
	unsigned long n, rest;
	unsigned char *value = NULL;

	if (XGetWindowProperty(d, w, name, 0, 0, False, AnyPropertyType, &type, &format, &n, &rest, &value) == Success && value)
		XFree(value);
	return type != None;
}

bool x11_focus_window(Display *d, Window w)
{
	XEvent ask = { .xclient = { .type = ClientMessage, .window = w, .message_type = XInternAtom(d, "_NET_ACTIVE_WINDOW", False),
				    .format = 32, .data.l = { 2, CurrentTime } } };
	Window root = DefaultRootWindow(d);

	if (x11_window_has_property(d, root, XInternAtom(d, "_NET_SUPPORTING_WM_CHECK", False)))
		return XSendEvent(d, root, False, SubstructureRedirectMask | SubstructureNotifyMask, &ask);
	XRaiseWindow(d, w);
	XSetInputFocus(d, w, RevertToPointerRoot, CurrentTime);
	return false;
}

KeyCode x11_find_keycode(Display *d, KeySym keysym, unsigned usable, int *level)
{
	int first, last;

	XDisplayKeycodes(d, &first, &last);
	for (*level = 0; keysym && *level < KEY_LEVELS; ++*level)
		for (int code = first; usable & 1u << *level && code <= last; code++)
			if (XkbKeycodeToKeysym(d, (KeyCode)code, 0, *level) == keysym)
				return (KeyCode)code;
	return 0;
}
