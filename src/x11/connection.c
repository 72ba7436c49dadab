// SPDX-License-Identifier: GPL-3.0-or-later
#include "connection.h"

#include <stdatomic.h>
#include <stdio.h>

/* Xlib's own error handlers print a message and exit. */
static int x11_ignore_request_error(Display *d, XErrorEvent *e)
{
	(void)d;
	(void)e;
	return 0;
}

static int x11_ignore_io_error(Display *d)
{
	(void)d;
	return 0;
}

static void x11_mark_connection_broken(Display *d, void *flag)
{
	(void)d;
	atomic_store((_Atomic bool *)flag, true);
}

Display *x11_connect(const char *name, _Atomic bool *broken, struct why *why)
{
	Display *d;

	XSetErrorHandler(x11_ignore_request_error);
	XSetIOErrorHandler(x11_ignore_io_error);
	d = XOpenDisplay(name);
	if (d)
		XSetIOErrorExitHandler(d, x11_mark_connection_broken, broken);
	else if (*XDisplayName(name))
		why_say(why, "cannot open display %s: is it running, and may you use it (xhost, XAUTHORITY)?", XDisplayName(name));
	else
		why_say(why, "which display? name it, or set DISPLAY");
	return d;
}

void x11_close_unless_broken(Display *d, const _Atomic bool *broken)
{
	if (d && !*broken)
		XCloseDisplay(d);
}
