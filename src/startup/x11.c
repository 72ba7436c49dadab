// SPDX-License-Identifier: GPL-3.0-or-later
/* The connection, and looks at what was drawn. */
#include "x11.h"
#include "clock.h"
#include "why.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PAUSE 4			/* times what the last look took */
#define PAUSE_LEAST (2 * NS_PER_MS)
#define PAUSE_MOST (50 * NS_PER_MS)	/* a look that took long was held up, and changes must not be missed for it */

static void name_atoms(struct screen_watch *s)
{
	static const char *const names[ATOMS] = {
		[ATOM_TYPE] = "_NET_WM_WINDOW_TYPE", [ATOM_SPLASH] = "_NET_WM_WINDOW_TYPE_SPLASH",
		[ATOM_TOOLTIP] = "_NET_WM_WINDOW_TYPE_TOOLTIP", [ATOM_NOTIFICATION] = "_NET_WM_WINDOW_TYPE_NOTIFICATION",
		[ATOM_DOCK] = "_NET_WM_WINDOW_TYPE_DOCK", [ATOM_DESKTOP] = "_NET_WM_WINDOW_TYPE_DESKTOP",
		[ATOM_DND] = "_NET_WM_WINDOW_TYPE_DND", [ATOM_PID] = "_NET_WM_PID", [ATOM_MACHINE] = "WM_CLIENT_MACHINE",
		[ATOM_TAKES] = "WM_PROTOCOLS", [ATOM_DELETE] = "WM_DELETE_WINDOW", [ATOM_CHECK] = "_NET_SUPPORTING_WM_CHECK",
		[ATOM_NAME] = "_NET_WM_NAME", [ATOM_UTF8] = "UTF8_STRING", [ATOM_ACTIVE] = "_NET_ACTIVE_WINDOW",
	};

	XInternAtoms(s->display, (char **)(uintptr_t)names, ATOMS, False, s->atom);
}

/* What the display says of our own connection tells whether it sees the same process numbers as we do. */
static bool tells_pids(struct screen_watch *s)
{
	XResClientIdSpec spec = { None, XRES_CLIENT_ID_PID_MASK };
	XResClientIdValue *ids = NULL;
	int a, b, major = 0, minor = 0;
	long n = 0;
	bool same = false;

	if (!XResQueryExtension(s->display, &a, &b) || !XResQueryVersion(s->display, &major, &minor) || (major == 1 && minor < 2))
		return false;
	spec.client = XCreatePixmap(s->display, s->root, 1, 1, 1);	/* anything of ours */
	if (XResQueryClientIds(s->display, 1, &spec, &n, &ids) != Success)
		return false;
	for (long i = 0; i < n; i++)
		same = same || (XResGetClientIdType(&ids[i]) == XRES_CLIENT_ID_PID && XResGetClientPid(&ids[i]) == getpid());
	XResClientIdsDestroy(n, ids);
	XFreePixmap(s->display, spec.client);
	return same;
}

static int prepare_screen(struct screen_watch *s, char *why)
{
	int error, event, a, b, c, e, major = 1, minor = 1, fixes = 5, fixes_minor = 0;
	Display *d = s->display;

	if (!XDamageQueryExtension(d, &event, &error) || !XDamageQueryVersion(d, &major, &minor) ||
	    !XFixesQueryVersion(d, &fixes, &fixes_minor))
		return why_write(-1, why, SCREEN_WHY, "display %s has no DAMAGE extension, which tells what was drawn",
				 DisplayString(d));
	if (!XTestQueryExtension(d, &a, &b, &c, &e))
		return why_write(-1, why, SCREEN_WHY,
				 "display %s has no XTEST extension, so nothing can be sent to the application", DisplayString(d));
	s->damage_event = event + XDamageNotify;
	name_atoms(s);
	s->knows_pids = tells_pids(s);
	if (!x11_pixels_open(s))
		return why_write(-1, why, SCREEN_WHY, "no memory for the pixels of display %s", DisplayString(d));
	s->parts = XFixesCreateRegion(d, NULL, 0);
	/* On the root window it covers all windows; the "non-empty" level sends one event until we take it. */
	s->damage = XDamageCreate(d, s->root, XDamageReportNonEmpty);
	XSelectInput(d, s->root, SubstructureNotifyMask);
	XSync(d, False);
	return 0;
}

struct screen_watch *screen_open(const struct screen_cfg *cfg, char *why)
{
	struct screen_watch *s = calloc(1, sizeof(*s));

	if (!s) {
		snprintf(why, SCREEN_WHY, "out of memory");
		return NULL;
	}
	s->cfg = *cfg;
	s->display = x11_connect(cfg->display, &s->broken, why, SCREEN_WHY);
	if (!s->display) {
		free(s);
		return NULL;
	}
	s->root = DefaultRootWindow(s->display);
	s->width = DisplayWidth(s->display, DefaultScreen(s->display));
	s->height = DisplayHeight(s->display, DefaultScreen(s->display));
	if (prepare_screen(s, why)) {
		screen_close(s);
		return NULL;
	}
	return s;
}

void screen_close(struct screen_watch *s)
{
	x11_windows_forget(s);
	x11_pixels_close(s);
	x11_disconnect(s->display, &s->broken);
	free(s);
}

const char *screen_display(const struct screen_watch *s)
{
	return DisplayString(s->display);
}

const char *screen_manager(struct screen_watch *s)
{
	Display *d = s->display;
	unsigned char *value = NULL, *name = NULL;
	XWindowAttributes a;
	Atom type;
	int format = 0;
	unsigned long n = 0, rest;

	snprintf(s->manager, sizeof(s->manager), "unnamed");
	if (XGetWindowProperty(d, s->root, s->atom[ATOM_CHECK], 0, 1, False, XA_WINDOW, &type, &format, &n, &rest, &value) == Success &&
	    n && value &&
	    XGetWindowProperty(d, *(Window *)(void *)value, s->atom[ATOM_NAME], 0, 31, False,
			       s->atom[ATOM_UTF8], &type, &format, &n, &rest, &name) == Success &&
	    n && name)
		snprintf(s->manager, sizeof(s->manager), "%s", (char *)name);
	if (value)
		XFree(value);
	if (name)
		XFree(name);
	/* Only one client may ask for this event on the root window: that is what makes it the window manager. */
	return XGetWindowAttributes(d, s->root, &a) && a.all_event_masks & SubstructureRedirectMask ? s->manager : NULL;
}

void screen_describe(struct screen_watch *s, char *text, size_t size)
{
	snprintf(text, size, "%s %d, %dx%d, pixels by %s, owners of windows by %s", ServerVendor(s->display),
		 VendorRelease(s->display), s->width, s->height, s->picture.shared ? "shared memory" : "GetImage",
		 s->knows_pids ? "X-Resource" : "_NET_WM_PID");
}

/* The damage so far is nobody's. The event is thrown away first, so that what is drawn from the
 * subtraction on makes one of its own. */
static void forget_damage(struct screen_watch *s)
{
	XEvent old;

	XSync(s->display, False);
	while (XPending(s->display))
		XNextEvent(s->display, &old);
	XDamageSubtract(s->display, s->damage, None, None);
	XSync(s->display, False);
	s->drawn_ns = 0;
}

int screen_begin(struct screen_watch *s)
{
	struct x11_area all = { 0, 0, s->width, s->height };

	x11_windows_forget(s);
	s->seen = (struct screen_seen){ 0 };
	s->menus = s->moved = false;
	s->next_ns = 0;
	s->owner = 0;
	forget_damage(s);
	if (!x11_pixels_read(s, &all, s->before) || s->broken)
		return -EPIPE;
	memcpy(s->now, s->before, (size_t)s->width * (size_t)s->height * sizeof(*s->now));
	return 0;
}

void screen_owner(struct screen_watch *s, pid_t root)
{
	s->owner = root;
}

void screen_with_menus(struct screen_watch *s, bool on)
{
	s->menus = on;
	s->moved = true;
}

int screen_fd(const struct screen_watch *s)
{
	return ConnectionNumber(s->display);
}

int screen_handle(struct screen_watch *s)
{
	while (!s->broken && XEventsQueued(s->display, QueuedAfterReading) > 0) {
		XEvent event;
		int64_t now = clock_now();

		XNextEvent(s->display, &event);
		if (event.type == s->damage_event)
			s->drawn_ns = s->drawn_ns ? s->drawn_ns : now;
		else
			x11_windows_event(s, &event, now);
	}
	if (s->moved && !s->drawn_ns)
		s->drawn_ns = clock_now();
	return s->broken ? -EPIPE : 0;
}

int64_t screen_due(const struct screen_watch *s)
{
	return !s->drawn_ns ? INT64_MAX : s->drawn_ns > s->next_ns ? s->drawn_ns : s->next_ns;
}

int64_t screen_sync(struct screen_watch *s)
{
	int64_t now = clock_now();

	if (!s->broken)
		XSync(s->display, False);
	screen_handle(s);
	return s->drawn_ns && s->drawn_ns < now ? s->drawn_ns : now;
}

/* What was drawn inside of windows that count is read, the bounds of it in each. */
static void read_damage(struct screen_watch *s)
{
	int n = 0;
	XRectangle *parts;

	/* Taken before pixels are read: what is drawn after the reading makes an event of its own. */
	XDamageSubtract(s->display, s->damage, None, s->parts);
	parts = XFixesFetchRegion(s->display, s->parts, &n);
	for (int i = 0; parts && i < s->windows; i++) {
		struct x11_window *w = &s->window[i];
		int left = s->width, top = s->height, right = 0, bottom = 0;

		if (!w->row || (!w->counts && !w->menu))
			continue;
		for (int k = 0; k < n; k++) {
			struct x11_area part = { parts[k].x, parts[k].y, parts[k].width, parts[k].height }, in = x11_both(&part, &w->at);

			if (!in.w || !in.h)
				continue;
			left = in.x < left ? in.x : left;
			top = in.y < top ? in.y : top;
			right = in.x + in.w > right ? in.x + in.w : right;
			bottom = in.y + in.h > bottom ? in.y + in.h : bottom;
		}
		if (right > left && bottom > top)
			x11_window_read(s, w, &(struct x11_area){ left, top, right - left, bottom - top });
	}
	if (parts)
		XFree(parts);
}

static uint64_t combine_hash(uint64_t a, uint64_t b)
{
	uint64_t z = (a ^ (b + 0x9e3779b97f4a7c15u + (a << 6) + (a >> 2))) * 0xbf58476d1ce4e5b9u;

	return z ^ (z >> 31);
}

static void sum_up(struct screen_watch *s, int64_t now_ns)
{
	struct screen_seen *seen = &s->seen;
	int64_t area = 0;

	seen->windows = 0;
	seen->painted = false;
	seen->picture = seen->set = 0;
	for (int i = 0; i < s->windows; i++) {
		const struct x11_window *w = &s->window[i];
		/* without the window's id: the same picture is the same in every run */
		uint64_t place = combine_hash((uint64_t)w->at.x << 32 | (uint64_t)(uint32_t)w->at.y, (uint64_t)w->at.w << 32 | (uint64_t)w->at.h);

		if (!w->counts && !(w->menu && s->menus))
			continue;
		seen->picture += combine_hash(place, w->sum);
		seen->set += combine_hash(w->id, 1);
		if (!w->counts)
			continue;
		seen->windows++;
		seen->painted = seen->painted || w->painted;
		if ((int64_t)w->at.w * w->at.h > area) {
			area = (int64_t)w->at.w * w->at.h;
			seen->width = w->at.w;
			seen->height = w->at.h;
		}
	}
	if (seen->painted && !seen->paint_ns)
		seen->paint_ns = now_ns;
}

int screen_look(struct screen_watch *s)
{
	int64_t begin = clock_now(), drawn = s->drawn_ns, end, pause;
	uint64_t before = s->seen.picture;

	s->drawn_ns = 0;
	if (s->moved) {
		s->moved = false;
		x11_windows_settle(s);
	}
	read_damage(s);
	end = clock_now();
	sum_up(s, end);
	s->seen.looks++;
	s->seen.look_ns = end;
	if (drawn && s->seen.picture != before && end - drawn > s->seen.longest_ns)
		s->seen.longest_ns = end - drawn;
	pause = PAUSE * (end - begin);
	s->next_ns = end + (pause < PAUSE_LEAST ? PAUSE_LEAST : pause > PAUSE_MOST ? PAUSE_MOST : pause);
	return s->broken ? -EPIPE : 0;
}

const struct screen_seen *screen_seen(const struct screen_watch *s)
{
	return &s->seen;
}
