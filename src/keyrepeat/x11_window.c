// SPDX-License-Identifier: GPL-3.0-or-later
/* The window that keys are meant for. XTEST has no addressee: keys go where the focus is, or below the pointer. So the
 * focus is taken before the train, asked for before each key, and its loss is listened for in between. */
#include "x11.h"
#include "clock.h"
#include "proc.h"
#include "why.h"

#include <errno.h>
#include <stdio.h>

#define FOCUS_NS (2 * NS_PER_S)	/* a window manager may animate */
#define EVENTS (FocusChangeMask | StructureNotifyMask)

static Window root_of(Display *d)
{
	return RootWindow(d, DefaultScreen(d));
}

static Window parent_of(Display *d, Window w)
{
	Window root, parent = None, *children = NULL;
	unsigned n;

	if (!XQueryTree(d, w, &root, &parent, &children, &n))
		return None;
	if (children)
		XFree(children);
	return parent;
}

static bool is_inside(Display *d, Window w, Window outer)
{
	while (w && w != outer && w != root_of(d))
		w = parent_of(d, w);
	return w == outer;
}

static bool has_property(Display *d, Window w, Atom name)
{
	Atom type = None;
	int format;
	unsigned long n, rest;
	unsigned char *value = NULL;

	if (XGetWindowProperty(d, w, name, 0, 0, False, AnyPropertyType, &type, &format, &n, &rest, &value) == Success && value)
		XFree(value);
	return type != None;
}

/* What a window manager calls the window, which it marks with WM_STATE; else the one below the root. */
static Window top_of(Display *d, Window w)
{
	Atom state = XInternAtom(d, "WM_STATE", False);
	Window parent;

	while (!has_property(d, w, state) && (parent = parent_of(d, w)) && parent != root_of(d))
		w = parent;
	return w;
}

static bool locate_window(Display *d, Window w, struct region *at)
{
	XWindowAttributes a;
	Window child;

	if (!XGetWindowAttributes(d, w, &a) || a.map_state != IsViewable)
		return false;
	*at = (struct region){ 0, 0, a.width, a.height };
	return XTranslateCoordinates(d, w, root_of(d), 0, 0, &at->x, &at->y, &child);
}

static bool pointer_inside(Display *d, Window w)
{
	Window at = root_of(d), root, child;
	int a, b, x, y;
	unsigned mask;

	while (XQueryPointer(d, at, &root, &child, &a, &b, &x, &y, &mask) && child) {
		if (child == w)
			return true;
		at = child;
	}
	return false;
}

/* Would a key go into the window? A focus further up gives keys to what is below the pointer. */
static bool keys_go_in(Display *d, Window top, Window *focus)
{
	Window now = None;
	int revert;

	XGetInputFocus(d, &now, &revert);
	if (now == *focus && now != None)
		return true;
	if (now == None)
		return false;
	if (now == PointerRoot || is_inside(d, top, now))
		return now == top || pointer_inside(d, top);
	if (!is_inside(d, now, top))
		return false;
	*focus = now;
	return true;
}

/* Asks the window manager, who would else take back what we set; without one there is only the focus itself, and toolkits of old
 * want the pointer above the window, too. */
static void take_focus(struct x11 *self)
{
	Display *d = self->send;
	XEvent ask = { .xclient = { .type = ClientMessage, .window = self->top,
				    .message_type = XInternAtom(d, "_NET_ACTIVE_WINDOW", False), .format = 32, .data.l = { 2, CurrentTime } } };
	struct region in = region_both(&self->window_at, &self->area);

	if (has_property(d, root_of(d), XInternAtom(d, "_NET_SUPPORTING_WM_CHECK", False))) {
		XSendEvent(d, root_of(d), False, SubstructureRedirectMask | SubstructureNotifyMask, &ask);
	} else {
		XRaiseWindow(d, self->top);
		XSetInputFocus(d, self->top, RevertToPointerRoot, CurrentTime);
		if (!pointer_inside(d, self->window) && !region_empty(&in))
			XTestFakeMotionEvent(d, DefaultScreen(d), in.x + in.w / 2, in.y + in.h / 2, 0);
	}
	XSync(d, False);
}

int x11_window_open(struct x11 *self, const struct target_cfg *cfg, char *why)
{
	XWindowAttributes a;

	self->window = (Window)cfg->window;
	if (!XGetWindowAttributes(self->send, self->window, &a))
		return why_write(-1, why, TARGET_WHY,
				 "x11:%s has no window 0x%lx: xwininfo tells its number when you click into it", cfg->where,
				 self->window);
	if (!locate_window(self->send, self->window, &self->window_at))
		return why_write(-1, why, TARGET_WHY,
				 "window 0x%lx of x11:%s is not in sight: open it (it may be minimised, or on another desktop)",
				 self->window, cfg->where);
	self->top = top_of(self->send, self->window);
	XSelectInput(self->watch, self->top, EVENTS);
	if (self->window != self->top)
		XSelectInput(self->watch, self->window, StructureNotifyMask);
	return 0;
}

/* A grab from before the run sends no event: every key would go to who holds it. Whether there is one is known by taking one. */
static bool grabbed(Display *d, Window w)
{
	if (XGrabKeyboard(d, w, False, GrabModeAsync, GrabModeAsync, CurrentTime) != GrabSuccess)
		return true;
	XUngrabKeyboard(d, CurrentTime);
	XSync(d, False);
	return false;
}

/* Does the keyboard belong to the window, and is its loss told from now on? What our own doing has
 * brought about is none, nor is the grab by which it is asked: so nothing is told until then, and
 * nobody else is served between the answer and the asking for events. */
static bool has_settled(struct x11 *self)
{
	Display *d = self->watch;
	XEvent event;
	bool settled;

	XSelectInput(d, self->top, EVENTS & ~FocusChangeMask);
	XSync(d, False);
	while (XCheckTypedWindowEvent(d, self->top, FocusOut, &event))
		;
	XGrabServer(d);
	settled = keys_go_in(d, self->top, &self->focus) && !grabbed(d, self->top);
	XSelectInput(d, self->top, EVENTS);
	XUngrabServer(d);
	XSync(d, False);
	return settled;
}

int x11_window_take(struct x11 *self, char *why)
{
	int64_t until = clock_now() + FOCUS_NS;

	take_focus(self);
	while (!has_settled(self)) {
		if (clock_now() > until || self->send_broken || self->watch_broken || proc_stop) {
			snprintf(why, TARGET_WHY, "window 0x%lx does not get the keyboard: click into it, "
				 "close what is in front of it, and switch off a client's own grab (xfreerdp: -grab-keyboard)", self->window);
			return -1;
		}
		proc_wait_stop(clock_now() + 20 * NS_PER_MS);
	}
	locate_window(self->send, self->window, &self->window_at);	/* gone meanwhile: the event that tells so comes */
	return 0;
}

void x11_window_receiver(void *p, char *text, size_t size)
{
	struct x11 *self = p;
	Window w = self->window;
	char *name = NULL;
	int revert;

	if (!w)
		XGetInputFocus(self->send, &w, &revert);
	if (w == None || w == PointerRoot || w == root_of(self->send)) {
		snprintf(text, size, "%s", w == None ? "no window (none has the focus)" : "the window below the pointer");
		return;
	}
	w = top_of(self->send, w);
	XFetchName(self->send, w, &name);
	if (name && *name)
		snprintf(text, size, "window \"%s\"", name);
	else
		snprintf(text, size, "window 0x%lx", w);
	if (name)
		XFree(name);
}

static int left(struct x11 *self, const char *why)
{
	const char *before = NULL;

	/* the first reason is the reason */
	atomic_compare_exchange_strong(&self->seen->left, &before, why);
	return -1;
}

int x11_window_aim(void *p, int64_t until_ns)
{
	struct x11 *self = p;
	bool in;

	if (!self->window)
		return 0;
	x11_await(&self->send_patience, until_ns);
	in = keys_go_in(self->send, self->top, &self->focus);
	x11_await(&self->send_patience, WATCHDOG_IDLE);
	if (self->send_broken)	/* then there is no focus either */
		return -EPIPE;
	if (!in)
		return left(self, "another window has the keyboard");
	return 0;
}

void x11_window_event(struct x11 *self, const XEvent *event)
{
	struct region now;

	switch (event->type) {
	case FocusOut:
		/* To a window inside, or told to us because the pointer is here: the keyboard stays. */
		if (event->xfocus.detail == NotifyInferior || event->xfocus.detail >= NotifyPointer || event->xfocus.mode == NotifyUngrab)
			break;
		left(self, event->xfocus.mode == NotifyGrab ? "another program grabbed the keyboard" : "another window has the keyboard");
		break;
	case UnmapNotify:
	case DestroyNotify:
		left(self, "the window was closed or minimised");
		break;
	case ConfigureNotify:
		if (locate_window(self->watch, self->window, &now) && (now.x != self->window_at.x || now.y != self->window_at.y ||
								now.w != self->window_at.w || now.h != self->window_at.h))
			left(self, "the window was moved or resized");
		break;
	default:
		break;
	}
}
