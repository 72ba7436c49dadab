// SPDX-License-Identifier: GPL-3.0-or-later
#include "connection.h"
#include "memory.h"
#include "proc.h"

#include <string.h>
#include <sys/socket.h>

/* Xlib's own error handlers print a message and exit. */
static int ignore_request_error(Display *d, XErrorEvent *e)
{
	(void)d;
	(void)e;
	return 0;
}

static _Thread_local bool opening; /* in the thread that opens a display */

static int ignore_io_error(Display *d)
{
	(void)d;
	if (opening)
		pthread_exit(NULL); /* Xlib would end the program, without a word */
	return 0;
}

static void mark_broken(Display *d, void *flag)
{
	(void)d;
	atomic_store((_Atomic bool *)flag, true);
}

#define CHECK_NS (5 * NS_PER_MS)

/* XOpenDisplay() waits for an answer without end, and goes on after signals. So a thread of its own waits, which is left behind
 * with this where no answer comes. */
struct opening {
	char *name;
	Display *display;
	_Atomic bool done;
};

static void mark_done(void *arg)
{
	atomic_store(&((struct opening *)arg)->done, true);
}

static void *open_display(void *arg)
{
	struct opening *o = arg;

	opening = true;
	pthread_cleanup_push(mark_done, o);
	o->display = XOpenDisplay(o->name);
	pthread_cleanup_pop(1);
	return NULL;
}

/* NULL with one line in `why` if there was no answer, or XOpenDisplay() failed. */
static Display *open_in_time(const char *name, struct why *why)
{
	struct opening *o = memory_new(1, sizeof(*o));
	int64_t until = clock_now() + X11_PATIENCE_NS;
	pthread_t thread;
	Display *d;
	int err;

	o->name = name ? must_alloc(strdup(name)) : NULL;
	err = proc_start_thread(&thread, 0, open_display, o);
	if (err) {
		why_say(why, "cannot open display %s: no thread: %s", XDisplayName(name), strerror(err));
		free(o->name);
		free(o);
		return NULL;
	}
	while (!atomic_load(&o->done) && !proc_stop && clock_now() < until)
		clock_sleep(clock_now() + CHECK_NS);
	if (!atomic_load(&o->done)) {
		pthread_detach(thread);
		why_say(why, "display %s does not answer%s: is it stopped, or its link down?", XDisplayName(name),
			proc_stop ? ", and a stop was asked for" : "");
		return NULL;
	}
	pthread_join(thread, NULL);
	d = o->display;
	free(o->name);
	free(o);
	if (!d)
		why_say(why, "cannot open display %s: is it running, and may you use it (xhost, XAUTHORITY)?", XDisplayName(name));
	return d;
}

Display *x11_connect(const char *name, _Atomic bool *broken, struct why *why)
{
	Display *d;

	XSetErrorHandler(ignore_request_error);
	XSetIOErrorHandler(ignore_io_error);
	if (!*XDisplayName(name)) {
		why_say(why, "which display? name it, or set DISPLAY");
		return NULL;
	}
	d = open_in_time(name, why);
	if (d)
		XSetIOErrorExitHandler(d, mark_broken, broken);
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

bool x11_explain_loss(const struct x11_connection *x, struct why *why)
{
	if (x->broken)
		why_say(why, "the connection to display %s broke: does its server still run?", DisplayString(x->display));
	return x->broken;
}

void x11_close(struct x11_connection *x)
{
	if (x->display && !x->broken)
		XSync(x->display, False); /* may find out that the connection is broken */
	if (x->display && !x->broken)
		/* the server frees what it has; XCloseDisplay() crashes where the connection breaks meanwhile */
		shutdown(ConnectionNumber(x->display), SHUT_RDWR);
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
