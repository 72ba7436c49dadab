// SPDX-License-Identifier: GPL-3.0-or-later
/* Raw events come whichever window has the focus or a grab (since version 2.1 of the extension); specification: XI2proto.txt. The
 * master devices report each event of their slaves once, including keys sent by XTEST or by a VNC client. A held key is one
 * event, since the server's automatic repeats are not raw; repeats sent by a VNC viewer are. */
#include "cli.h"
#include "downcast.h"
#include "clock.h"
#include "input.h"
#include "x11/connection.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <X11/XKBlib.h>
#include <X11/extensions/XInput2.h>

#define WHEEL_FIRST 4
#define WHEEL_LAST 7
#define PATIENCE_OPEN_S 10 /* time limit for connecting */
#define PATIENCE_S 5	   /* time limit for a later answer: an episode may end that much later */

struct x11_input {
	struct input_source source; /* first member, so that the pointers convert */
	struct trigger_keys keys;
	Display *display;
	int opcode, xkb_event;
	KeySym *map; /* `columns` keysyms for each key code from min_code on */
	int min_code, max_code, columns;
	_Atomic bool broken;
};

/* ---- timeouts: Xlib waits for an answer without limit, even through signals, and a server may be stopped ---- */

static volatile sig_atomic_t connection = -1;
static char no_answer[160];

static void break_connection(int signal)
{
	int err = errno;
	ssize_t told;

	(void)signal;
	if (connection >= 0) { /* Xlib finds the connection broken and returns */
		shutdown(connection, SHUT_RDWR);
		errno = err;
		return;
	}
	told = write(STDERR_FILENO, no_answer, strlen(no_answer));
	(void)told;
	_exit(EXIT_RUN); /* the watchdog process restores the changed settings */
}

static void set_timeout(int seconds)
{
	struct sigaction sa = { .sa_handler = seconds ? break_connection : SIG_DFL };

	if (!seconds)
		alarm(0);
	sigemptyset(&sa.sa_mask);
	sigaction(SIGALRM, &sa, NULL);
	if (seconds)
		alarm((unsigned)seconds);
}

/* Asks the display for the keyboard map, which changes when a program sends a character that is on no key. */
static void fetch_keyboard_map(struct x11_input *x)
{
	if (x->map)
		XFree(x->map);
	XDisplayKeycodes(x->display, &x->min_code, &x->max_code);
	x->map = XGetKeyboardMapping(x->display, (KeyCode)x->min_code, x->max_code - x->min_code + 1, &x->columns);
}

static void refetch_keyboard_map(struct x11_input *x)
{
	connection = ConnectionNumber(x->display);
	set_timeout(PATIENCE_S);
	fetch_keyboard_map(x);
	set_timeout(0);
}

/* Does this key count? A key may have several keysyms: the first columns are without and with shift, of two layouts. */
static bool key_is_trigger(const struct x11_input *x, int code, char *what, size_t size)
{
	for (int i = 0; x->map && code >= x->min_code && code <= x->max_code && i < x->columns && i < 4; i++) {
		KeySym symbol = x->map[(code - x->min_code) * x->columns + i];
		const char *name;

		if (!input_has_key(&x->keys, (uint32_t)symbol))
			continue;
		/* (XKeysymToString would return memory that cannot be freed.) */
		if (symbol >= 0x01000000)
			snprintf(what, size, "U%04lX", symbol & 0xffffff);
		else if ((name = XKeysymToString(symbol)))
			snprintf(what, size, "%s", name);
		else
			snprintf(what, size, "key %d", code);
		return true;
	}
	return false;
}

static bool event_is_trigger(const struct x11_input *x, const XIRawEvent *raw, char *what, size_t size)
{
	if (raw->evtype == XI_RawKeyPress)
		return key_is_trigger(x, raw->detail, what, size);
	snprintf(what, size, "button %d", raw->detail);
	return raw->evtype == XI_RawButtonRelease && x->keys.button && (raw->detail < WHEEL_FIRST || raw->detail > WHEEL_LAST);
}

static const struct input_source_ops ops;

static int read_display(struct input_source *s, void (*each)(void *arg, const struct input_event *event), void *arg)
{
	struct x11_input *x = DOWNCAST(s, struct x11_input, s->ops == &ops);
	int mode = QueuedAfterReading; /* read from the socket once, so that a flood of events is handled in portions */

	for (; !x->broken && XEventsQueued(x->display, mode) > 0 && !x->broken; mode = QueuedAlready) {
		struct input_event event = { .seen_ns = clock_now() };
		XEvent e;

		XNextEvent(x->display, &e);
		if (e.type == MappingNotify || e.type == x->xkb_event)
			refetch_keyboard_map(x);
		if (e.type != GenericEvent || e.xcookie.extension != x->opcode || !XGetEventData(x->display, &e.xcookie))
			continue;
		if (event_is_trigger(x, e.xcookie.data, event.what, sizeof(event.what)))
			each(arg, &event);
		XFreeEventData(x->display, &e.xcookie);
	}
	return x->broken ? -EPIPE : 0;
}

/* Leaves the connection open until the process ends: XCloseDisplay would wait for a server that may be stopped, and write to a
 * broken connection. */
static void close_display(struct input_source *s)
{
	struct x11_input *x = DOWNCAST(s, struct x11_input, s->ops == &ops);

	if (x->map)
		XFree(x->map);
	free(x);
}

static const struct input_source_ops ops = { .name = "x11", .read = read_display, .close = close_display };

/* libXi crashes where the connection breaks in one of its functions. */
static int end_without_display(Display *d)
{
	die(EXIT_RUN, "display %s went away", DisplayString(d));
}

/* 0, or -ENOTSUP if the display has no X input extension 2.1. */
static int select_events(struct x11_input *x)
{
	unsigned char bits[XIMaskLen(XI_LASTEVENT)] = { 0 };
	XIEventMask mask = { .deviceid = XIAllMasterDevices, .mask_len = sizeof(bits), .mask = bits };
	unsigned changes = XkbMapNotifyMask | XkbNewKeyboardNotifyMask;
	int event, error, major = 2, minor = 2;

	if (!XQueryExtension(x->display, "XInputExtension", &x->opcode, &event, &error) ||
	    XIQueryVersion(x->display, &major, &minor) || (major == 2 && minor < 1))
		return -ENOTSUP;
	XISetMask(bits, XI_RawKeyPress);
	XISetMask(bits, XI_RawButtonRelease);
	XISelectEvents(x->display, DefaultRootWindow(x->display), &mask, 1);
	if (!XkbQueryExtension(x->display, NULL, &x->xkb_event, NULL, NULL, NULL))
		x->xkb_event = -1;
	/* (An XKB client, as Xlib is, gets no MappingNotify.) */
	XkbSelectEvents(x->display, XkbUseCoreKbd, changes, changes);
	fetch_keyboard_map(x);
	return 0;
}

int input_open_x11(struct input_source **out, const char *display, const struct trigger_keys *keys, struct why *why)
{
	struct x11_input *x = calloc(1, sizeof(*x));
	XIOErrorHandler later;
	int err;

	*out = NULL;
	if (!x)
		return why_fail(-ENOMEM, why, "out of memory");
	snprintf(no_answer, sizeof(no_answer), "vamp: display %.80s does not answer: is it stopped, or its link down?\n",
		 XDisplayName(display));
	connection = -1;
	set_timeout(PATIENCE_OPEN_S);
	x->display = x11_connect(display, &x->broken, why);
	if (!x->display) {
		set_timeout(0);
		free(x);
		return -ECONNREFUSED;
	}
	x->source = (struct input_source){ .ops = &ops, .fd = ConnectionNumber(x->display) };
	x->keys = *keys;
	later = XSetIOErrorHandler(end_without_display);
	err = select_events(x);
	XSetIOErrorHandler(later);
	set_timeout(0);
	if (err) {
		why_say(why, "display %s has no X input extension 2.1 or later: use a newer X server, or --evdev",
			XDisplayName(display));
		close_display(&x->source);
		return err;
	}
	*out = &x->source;
	return 0;
}
