// SPDX-License-Identifier: GPL-3.0-or-later
/* The window that is to get the keys. XTEST cannot address a window: keys go to the window with the focus, or below the pointer. So
 * the window gets the focus before the train, the focus is checked before each key, and events report its loss in between. */
#include "x11.h"
#include "clock.h"
#include "proc.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define FOCUS_NS (2 * NS_PER_S) /* longest wait for the focus: a window manager may animate the change */
#define EVENTS (FocusChangeMask | StructureNotifyMask)

static Window get_parent(Display *d, Window w)
{
	Window root, parent = None, *children = NULL;
	unsigned n;

	if (!XQueryTree(d, w, &root, &parent, &children, &n))
		return None;
	if (children)
		XFree(children);
	return parent;
}

static bool is_descendant(Display *d, Window w, Window outer)
{
	while (w && w != outer && w != DefaultRootWindow(d))
		w = get_parent(d, w);
	return w == outer;
}

/* The window around w (or w itself) that a window manager has marked with WM_STATE; else the child of the root window. */
static Window get_top_level(Display *d, Window w)
{
	Atom state = XInternAtom(d, "WM_STATE", False);
	Window parent;

	while (!x11_has_property(d, w, state) && (parent = get_parent(d, w)) && parent != DefaultRootWindow(d))
		w = parent;
	return w;
}

static bool pointer_is_inside(Display *d, Window w)
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
static bool keys_reach_window(Display *d, Window top, Window *focus)
{
	Window now = None;
	int revert;

	XGetInputFocus(d, &now, &revert);
	if (now == *focus && now != None)
		return true;
	if (now == None)
		return false;
	if (now == PointerRoot || is_descendant(d, top, now))
		return now == top || pointer_is_inside(d, top);
	if (!is_descendant(d, now, top))
		return false;
	*focus = now;
	return true;
}

static void focus_target(struct x11_target *self)
{
	Display *d = self->send.display;
	struct pixel_area in = area_intersect(&self->window_at, &self->area);

	/* without a window manager, old toolkits need the pointer above the window, too */
	if (!x11_focus_window(&self->send, self->top) && !pointer_is_inside(d, self->window) && !area_is_empty(&in))
		XTestFakeMotionEvent(d, -1, in.x + in.w / 2, in.y + in.h / 2, 0);
	XSync(d, False);
}

int x11_find_window(struct x11_target *self, const struct target_cfg *cfg, struct why *why)
{
	XWindowAttributes a;

	self->window = (Window)cfg->window;
	if (!XGetWindowAttributes(self->send.display, self->window, &a))
		return why_fail(-1, why, "x11:%s has no window 0x%lx: run xwininfo and click into the window to see its id",
				cfg->where, self->window);
	if (!x11_locate_window(&self->send, self->window, &a, &self->window_at))
		return why_fail(-1, why,
				"window 0x%lx of x11:%s is not visible: open it (it may be minimised, or on another desktop)",
				self->window, cfg->where);
	self->top = get_top_level(self->send.display, self->window);
	XSelectInput(self->watch.display, self->top, EVENTS);
	XSelectInput(self->watch.display, self->watch.root, SubstructureNotifyMask); /* what comes in front */
	if (self->window != self->top)
		XSelectInput(self->watch.display, self->window, StructureNotifyMask);
	return 0;
}

/* True if another program has grabbed the keyboard and would get every key. Found out by a grab of our own: an earlier grab sends
 * no event. */
static bool keyboard_is_grabbed(Display *d, Window w)
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
static bool take_keyboard_events(struct x11_target *self)
{
	Display *d = self->watch.display;
	XEvent event;
	bool settled;

	XSelectInput(d, self->top, EVENTS & ~FocusChangeMask);
	XSync(d, False);
	while (XCheckTypedWindowEvent(d, self->top, FocusOut, &event))
		;
	XGrabServer(d);
	settled = keys_reach_window(d, self->top, &self->focus) && !keyboard_is_grabbed(d, self->top);
	XSelectInput(d, self->top, EVENTS);
	XUngrabServer(d);
	XSync(d, False);
	return settled;
}

int x11_take_keyboard(struct x11_target *self, struct why *why)
{
	int64_t until = clock_now() + FOCUS_NS;
	XWindowAttributes a;

	focus_target(self);
	while (!take_keyboard_events(self)) {
		if (clock_now() > until || self->send.broken || self->watch.broken || proc_stop)
			return why_fail(-1, why,
					"window 0x%lx does not get the keyboard: click into it, close what is in front of "
					"it, and switch off a client's own grab (xfreerdp: -grab-keyboard)",
					self->window);
		proc_sleep(clock_now() + 20 * NS_PER_MS);
	}
	x11_locate_window(&self->send, self->window, &a,
			  &self->window_at); /* fails if the window has gone; an event reports that */
	return 0;
}

void x11_write_receiver(void *p, char *text, size_t size)
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
	w = get_top_level(self->send.display, w);
	XFetchName(self->send.display, w, &name);
	if (name && *name)
		snprintf(text, size, "window \"%s\"", name);
	else
		snprintf(text, size, "window 0x%lx", w);
	if (name)
		XFree(name);
}

/* Records why keys no longer reach the window, unless a reason is recorded already. A held key would go on repeating in another
 * window: it is released at once, on the connection `d` of the calling thread. Returns -1. */
static int record_keyboard_loss(struct x11_target *self, Display *d, const char *why)
{
	const char *before = NULL;
	int down = atomic_load(&self->down);

	if (self->hold && down) {
		x11_send_chord(d, &self->act[down - 1].chord, false);
		XFlush(d);
	}
	atomic_compare_exchange_strong(&self->seen->left, &before, why);
	return -1;
}

int x11_check_keyboard(void *p, int64_t until_ns)
{
	struct x11_target *self = p;
	bool in;

	if (!self->window)
		return 0;
	x11_limit_waiting(&self->send, until_ns, 0);
	in = keys_reach_window(self->send.display, self->top, &self->focus);
	x11_limit_waiting(&self->send, WATCHDOG_IDLE, 0);
	if (self->send.broken)
		return -EPIPE;
	if (!in)
		return record_keyboard_loss(self, self->send.display, "another window has the keyboard");
	return 0;
}

#define CLIENT_BITS 21 /* of an id, below those that tell whose the window is */

/* True if a window of another program is in front of the watched area. Only children of the root window are in front of others. */
static bool area_is_covered(struct x11_target *self)
{
	Display *d = self->watch.display;
	Window outer = self->window, parent, root, *window = NULL;
	bool above = false, covered = false;
	unsigned n = 0;

	while ((parent = get_parent(d, outer)) && parent != self->watch.root)
		outer = parent;
	if (!XQueryTree(d, self->watch.root, &root, &parent, &window, &n))
		return false;
	for (unsigned i = 0; i < n && !covered; above |= window[i++] == outer) {
		XWindowAttributes a;

		covered = above && window[i] >> CLIENT_BITS != self->window >> CLIENT_BITS &&
			  XGetWindowAttributes(d, window[i], &a) && a.map_state == IsViewable && a.class == InputOutput &&
			  area_meets(&self->area,
				     &(struct pixel_area){ a.x, a.y, a.width + 2 * a.border_width, a.height + 2 * a.border_width });
	}
	XFree(window);
	return covered;
}

void x11_note_window_event(struct x11_target *self, const XEvent *event)
{
	Display *d = self->watch.display;
	struct pixel_area now;
	XWindowAttributes a;

	if (event->xany.window == self->watch.root) {
		if (!atomic_load(&self->seen->covered_ns) && area_is_covered(self))
			atomic_store(&self->seen->covered_ns, clock_now());
		return;
	}
	switch (event->type) {
	case FocusOut:
		/* the focus went to a window inside, or the event is about the pointer only: the keyboard stays */
		if (event->xfocus.detail == NotifyInferior || event->xfocus.detail >= NotifyPointer ||
		    event->xfocus.mode == NotifyUngrab)
			break;
		record_keyboard_loss(self, d,
				     event->xfocus.mode == NotifyGrab ? "another program grabbed the keyboard"
								      : "another window has the keyboard");
		break;
	case UnmapNotify:
	case DestroyNotify: record_keyboard_loss(self, d, "the window was closed or minimised"); break;
	case ConfigureNotify:
		if (x11_locate_window(&self->watch, self->window, &a, &now) && memcmp(&now, &self->window_at, sizeof(now)) != 0)
			record_keyboard_loss(self, d, "the window was moved or resized");
		break;
	default: break;
	}
}
