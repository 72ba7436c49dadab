// SPDX-License-Identifier: GPL-3.0-or-later
#include "connection.h"
#include "proc.h"

/* Xlib's own error handlers print a message and exit. */
static int ignore_request_error(Display *d, XErrorEvent *e)
{
	(void)d;
	(void)e;
	return 0;
}

static int ignore_io_error(Display *d)
{
	(void)d;
	return 0;
}

static void mark_broken(Display *d, void *flag)
{
	(void)d;
	atomic_store((_Atomic bool *)flag, true);
}

Display *x11_connect(const char *name, _Atomic bool *broken, struct why *why)
{
	Display *d;

	XSetErrorHandler(ignore_request_error);
	XSetIOErrorHandler(ignore_io_error);
	d = XOpenDisplay(name);
	if (d)
		XSetIOErrorExitHandler(d, mark_broken, broken);
	else if (*XDisplayName(name))
		why_say(why, "cannot open display %s: is it running, and may you use it (xhost, XAUTHORITY)?", XDisplayName(name));
	else
		why_say(why, "which display? name it, or set DISPLAY");
	return d;
}

bool x11_open(struct x11_connection *x, const char *name, struct why *why)
{
	Display *d;

	*x = (struct x11_connection){ .display = NULL };
	x->display = d = x11_connect(name, &x->broken, why);
	if (!d)
		return false;
	x->root = DefaultRootWindow(d);
	x->visual = DefaultVisual(d, DefaultScreen(d));
	x->depth = DefaultDepth(d, DefaultScreen(d));
	x->screen = (struct pixel_area){ 0, 0, DisplayWidth(d, DefaultScreen(d)), DisplayHeight(d, DefaultScreen(d)) };
	return true;
}

bool x11_has_true_colours(const struct x11_connection *x, struct why *why)
{
	if (x->visual->class == TrueColor)
		return true;
	why_say(why, "display %s has no true colours; start it with a depth of 16 or 24", DisplayString(x->display));
	return false;
}

void x11_close(struct x11_connection *x)
{
	if (x->display && !x->broken)
		XSync(x->display, False); /* may find out that the connection is broken */
	if (x->display && !x->broken)
		XCloseDisplay(x->display);
	if (x->guarded)
		watchdog_end(&x->watchdog);
	*x = (struct x11_connection){ .display = NULL };
}

void x11_limit_waiting(struct x11_connection *x, int64_t until_ns, int64_t grace_ns)
{
	if (x->guarded)
		atomic_store(&x->watchdog.until_ns, until_ns);
	else
		x->guarded = !watchdog_start(&x->watchdog, ConnectionNumber(x->display), until_ns, grace_ns);
}

bool x11_take_event(struct x11_connection *x, XEvent *event)
{
	/* each of these calls may find out that the connection is broken */
	if (x->broken || !XPending(x->display) || x->broken)
		return false;
	XNextEvent(x->display, event);
	return !x->broken;
}

void x11_await_event(struct x11_connection *x, int64_t until_ns)
{
	fd_set in;

	if (x->broken || XPending(x->display) || x->broken)
		return;
	FD_ZERO(&in);
	FD_SET(ConnectionNumber(x->display), &in);
	proc_select(ConnectionNumber(x->display) + 1, &in, NULL, until_ns);
}
