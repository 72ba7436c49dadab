// SPDX-License-Identifier: GPL-3.0-or-later
/* The window that is to get the keys. XTEST cannot address a window: keys go to the window with the focus, or below the pointer. So
 * the window gets the focus before the train, the focus is checked before each key, and events report its loss in between. */
#include "x11.h"
#include "clock.h"
#include "proc.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define FOCUS_NS (2 * NS_PER_S)	/* longest wait for the focus: a window manager may animate the change */
#define EVENTS (FocusChangeMask | StructureNotifyMask)

static Window parent_window_of(Display *d, Window w)
{
	Window root, parent = None, *children = NULL;
	unsigned n;

	if (!XQueryTree(d, w, &root, &parent, &children, &n))
		return None;
	if (children)
		XFree(children);
	return parent;
}

static bool is_window_descendant_of_other(Display *d, Window w, Window outer)
{
	while (w && w != outer && w != DefaultRootWindow(d))
		w = parent_window_of(d, w);
	return w == outer;
}

/* The window around w (or w itself) that a window manager has marked with WM_STATE; else the child of the root window. */
static Window top_level_window_of(Display *d, Window w)
{
	Atom state = XInternAtom(d, "WM_STATE", False);
	Window parent;

	while (!x11_window_has_property(d, w, state) && (parent = parent_window_of(d, w)) && parent != DefaultRootWindow(d))
		w = parent;
	return w;
}

static bool is_pointer_inside_window(Display *d, Window w)
{
	Window at = DefaultRootWindow(d), root, child;
	int a, b, x, y;
	unsigned mask;

	while (XQueryPointer(d, at, &root, &child, &a, &b, &x, &y, &mask) && child) {
		if (child == w)
			return true;
		at = child;
	}
	return false;
}

/* True if a key would go into the window `top`. Where an outer window has the focus, keys go to the window below the pointer. */
static bool would_key_go_into_window(Display *d, Window top, Window *focus)
{
	Window now = None;
	int revert;

	XGetInputFocus(d, &now, &revert);
	if (now == *focus && now != None)
		return true;
	if (now == None)
		return false;
	if (now == PointerRoot || is_window_descendant_of_other(d, top, now))
		return now == top || is_pointer_inside_window(d, top);
	if (!is_window_descendant_of_other(d, now, top))
		return false;
	*focus = now;
	return true;
}

static void focus_target_window(struct x11_target *self)
{
	Display *d = self->send.display;
	struct pixel_area in = area_intersect(&self->window_at, &self->area);

	/* without a window manager, old toolkits need the pointer above the window, too */
	if (!x11_focus_window(&self->send, self->top) && !is_pointer_inside_window(d, self->window) && !area_is_empty(&in))
		XTestFakeMotionEvent(d, -1, in.x + in.w / 2, in.y + in.h / 2, 0);
	XSync(d, False);
}

int x11_find_target_window(struct x11_target *self, const struct target_cfg *cfg, struct why *why)
{
	XWindowAttributes a;

	self->window = (Window)cfg->window;
	if (!XGetWindowAttributes(self->send.display, self->window, &a))
		return fail_with_reason(-1, why, "x11:%s has no window 0x%lx: run xwininfo and click into the window to see its id",
					cfg->where, self->window);
	if (!x11_locate_window(&self->send, self->window, &a, &self->window_at))
		return fail_with_reason(-1, why, "window 0x%lx of x11:%s is not visible: open it (it may be minimised, or on another desktop)",
					self->window, cfg->where);
	self->top = top_level_window_of(self->send.display, self->window);
	XSelectInput(self->watch.display, self->top, EVENTS);
	if (self->window != self->top)
		XSelectInput(self->watch.display, self->window, StructureNotifyMask);
	return 0;
}

/* True if another program has grabbed the keyboard and would get every key. Found out by a grab of our own: an earlier grab sends
 * no event. */
static bool is_keyboard_grabbed(Display *d, Window w)
{
	if (XGrabKeyboard(d, w, False, GrabModeAsync, GrabModeAsync, CurrentTime) != GrabSuccess)
		return true;
	XUngrabKeyboard(d, CurrentTime);
	XSync(d, False);
	return false;
}

/* True if the window has the keyboard; from then on, events report a loss of it. FocusOut events of our own actions (raising, the
 * test grab) are discarded first, and the server is grabbed, so that no other client can take the focus between the test and
 * XSelectInput(). */
static bool does_window_have_keyboard(struct x11_target *self)
{
	Display *d = self->watch.display;
	XEvent event;
	bool settled;

	XSelectInput(d, self->top, EVENTS & ~FocusChangeMask);
	XSync(d, False);
	while (XCheckTypedWindowEvent(d, self->top, FocusOut, &event))
		;
	XGrabServer(d);
	settled = would_key_go_into_window(d, self->top, &self->focus) && !is_keyboard_grabbed(d, self->top);
	XSelectInput(d, self->top, EVENTS);
	XUngrabServer(d);
	XSync(d, False);
	return settled;
}

int x11_focus_window_until_it_has_keys(struct x11_target *self, struct why *why)
{
	int64_t until = clock_now() + FOCUS_NS;
	XWindowAttributes a;

	focus_target_window(self);
	while (!does_window_have_keyboard(self)) {
		if (clock_now() > until || self->send.broken || self->watch.broken || proc_stop)
			return fail_with_reason(-1, why, "window 0x%lx does not get the keyboard: click into it, close what is in front of "
						"it, and switch off a client's own grab (xfreerdp: -grab-keyboard)", self->window);
		proc_sleep_until_or_stop(clock_now() + 20 * NS_PER_MS);
	}
	x11_locate_window(&self->send, self->window, &a, &self->window_at);	/* fails if the window has gone; an event reports that */
	return 0;
}

void x11_write_key_receiver_name(void *p, char *text, size_t size)
{
	struct x11_target *self = p;
	Window w = self->window;
	char *name = NULL;
	int revert;

	if (!w)
		XGetInputFocus(self->send.display, &w, &revert);
	if (w == None || w == PointerRoot || w == self->send.root) {
		snprintf(text, size, "%s", w == None ? "no window (none has the focus)" : "the window below the pointer");
		return;
	}
	w = top_level_window_of(self->send.display, w);
	XFetchName(self->send.display, w, &name);
	if (name && *name)
		snprintf(text, size, "window \"%s\"", name);
	else
		snprintf(text, size, "window 0x%lx", w);
	if (name)
		XFree(name);
}

/* Records why keys no longer reach the window, unless a reason is recorded already. Returns -1. */
static int record_why_keys_miss_window(struct x11_target *self, const char *why)
{
	const char *before = NULL;

	atomic_compare_exchange_strong(&self->seen->left, &before, why);
	return -1;
}

int x11_check_window_gets_keys(void *p, int64_t until_ns)
{
	struct x11_target *self = p;
	bool in;

	if (!self->window)
		return 0;
	x11_limit_waiting(&self->send, until_ns, 0);
	in = would_key_go_into_window(self->send.display, self->top, &self->focus);
	x11_limit_waiting(&self->send, WATCHDOG_IDLE, 0);
	if (self->send.broken)
		return -EPIPE;
	if (!in)
		return record_why_keys_miss_window(self, "another window has the keyboard");
	return 0;
}

void x11_handle_window_event(struct x11_target *self, const XEvent *event)
{
	struct pixel_area now;
	XWindowAttributes a;

	switch (event->type) {
	case FocusOut:
		/* the focus went to a window inside, or the event is about the pointer only: the keyboard stays */
		if (event->xfocus.detail == NotifyInferior || event->xfocus.detail >= NotifyPointer || event->xfocus.mode == NotifyUngrab)
			break;
		record_why_keys_miss_window(self, event->xfocus.mode == NotifyGrab ? "another program grabbed the keyboard" :
					    "another window has the keyboard");
		break;
	case UnmapNotify:
	case DestroyNotify:
		record_why_keys_miss_window(self, "the window was closed or minimised");
		break;
	case ConfigureNotify:
		if (x11_locate_window(&self->watch, self->window, &a, &now) && memcmp(&now, &self->window_at, sizeof(now)) != 0)
			record_why_keys_miss_window(self, "the window was moved or resized");
		break;
	default:
		break;
	}
}
