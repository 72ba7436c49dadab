// SPDX-License-Identifier: GPL-3.0-or-later
/* The connection to the display, and looks at what was drawn. */
#include "x11.h"
#include "clock.h"
#include "why.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PAUSE 4 /* from one look to the next: 4 times the duration of the look ... */
#define PAUSE_LEAST (2 * NS_PER_MS)
#define PAUSE_MOST (50 * NS_PER_MS) /* ... but not more after a look that was delayed, so that no change is missed */

static void intern_atoms(struct screen_watch *s)
{
	static const char *const names[ATOMS] = {
		[ATOM_TYPE] = "_NET_WM_WINDOW_TYPE",
		[ATOM_SPLASH] = "_NET_WM_WINDOW_TYPE_SPLASH",
		[ATOM_TOOLTIP] = "_NET_WM_WINDOW_TYPE_TOOLTIP",
		[ATOM_NOTIFICATION] = "_NET_WM_WINDOW_TYPE_NOTIFICATION",
		[ATOM_DOCK] = "_NET_WM_WINDOW_TYPE_DOCK",
		[ATOM_DESKTOP] = "_NET_WM_WINDOW_TYPE_DESKTOP",
		[ATOM_DND] = "_NET_WM_WINDOW_TYPE_DND",
		[ATOM_PID] = "_NET_WM_PID",
		[ATOM_MACHINE] = "WM_CLIENT_MACHINE",
		[ATOM_TAKES] = "WM_PROTOCOLS",
		[ATOM_DELETE] = "WM_DELETE_WINDOW",
		[ATOM_CHECK] = "_NET_SUPPORTING_WM_CHECK",
		[ATOM_NAME] = "_NET_WM_NAME",
	};

	XInternAtoms(s->x.display, (char **)(uintptr_t)names, ATOMS, False, s->atom);
}

/* True if the X server knows the process ids of its clients (X-Resource 1.2) as this process sees them: asks for our own. */
static bool server_knows_pids(struct screen_watch *s)
{
	XResClientIdSpec spec = { None, XRES_CLIENT_ID_PID_MASK };
	XResClientIdValue *ids = NULL;
	int a, b, major = 0, minor = 0;
	long n = 0;
	bool same = false;

	if (!XResQueryExtension(s->x.display, &a, &b) || !XResQueryVersion(s->x.display, &major, &minor) ||
	    (major == 1 && minor < 2))
		return false;
	spec.client = XCreatePixmap(s->x.display, s->x.root, 1, 1, 1); /* any resource of this client */
	if (XResQueryClientIds(s->x.display, 1, &spec, &n, &ids) != Success)
		return false;
	for (long i = 0; i < n; i++)
		same = same || (XResGetClientIdType(&ids[i]) == XRES_CLIENT_ID_PID && XResGetClientPid(&ids[i]) == getpid());
	XResClientIdsDestroy(n, ids);
	XFreePixmap(s->x.display, spec.client);
	return same;
}

static int prepare_screen(struct screen_watch *s, struct why *why)
{
	size_t pixels = (size_t)s->x.screen.w * (size_t)s->x.screen.h;
	Display *d = s->x.display;
	int a, b, c, e;

	if (!x11_damage_start(&s->drawing, &s->x, "start its server with it", why))
		return -1;
	if (!XTestQueryExtension(d, &a, &b, &c, &e))
		return why_fail(-1, why,
				"display %s has no XTEST extension, which sends keys to the application: start its server "
				"with it",
				DisplayString(d));
	intern_atoms(s);
	s->knows_pids = server_knows_pids(s);
	s->before = calloc(pixels, sizeof(*s->before));
	s->now = calloc(pixels, sizeof(*s->now));
	if (!s->before || !s->now || !x11_pixels_alloc(&s->picture, &s->x, s->x.screen.w, s->x.screen.h))
		return why_fail(-1, why, "no memory for the pixels of display %s", DisplayString(d));
	XSelectInput(d, s->x.root, SubstructureNotifyMask);
	XSync(d, False);
	return 0;
}

struct screen_watch *screen_open(const struct screen_cfg *cfg, struct why *why)
{
	struct screen_watch *s = calloc(1, sizeof(*s));

	if (!s) {
		why_say(why, "out of memory");
		return NULL;
	}
	s->cfg = *cfg;
	if (x11_open(&s->x, cfg->display, why) && !prepare_screen(s, why))
		return s;
	x11_explain_loss(&s->x, why);
	screen_close(s);
	return NULL;
}

void screen_close(struct screen_watch *s)
{
	x11_windows_forget(s);
	x11_pixels_free(&s->picture);
	free(s->before);
	free(s->now);
	x11_close(&s->x);
	free(s);
}

const char *screen_display_name(const struct screen_watch *s)
{
	return DisplayString(s->x.display);
}

const char *screen_manager_name(struct screen_watch *s)
{
	Display *d = s->x.display;
	unsigned char *window, *name = NULL;
	int format = 0;

	snprintf(s->manager, sizeof(s->manager), "unnamed");
	if (x11_read_property(d, s->x.root, s->atom[ATOM_CHECK], 1, &window, &format) && format == 32 &&
	    x11_read_property(d, *(Window *)(void *)window, s->atom[ATOM_NAME], 31, &name, &format) && format == 8)
		snprintf(s->manager, sizeof(s->manager), "%s", (char *)name);
	if (window)
		XFree(window);
	if (name)
		XFree(name);
	return x11_has_manager(&s->x) ? s->manager : NULL;
}

void screen_describe(struct screen_watch *s, char *text, size_t size)
{
	snprintf(text, size, "%s %d, %dx%d, pixels by %s, owners of windows by %s", ServerVendor(s->x.display),
		 VendorRelease(s->x.display), s->x.screen.w, s->x.screen.h, s->picture.shared ? "shared memory" : "GetImage",
		 s->knows_pids ? "X-Resource" : "_NET_WM_PID");
}

int screen_reset(struct screen_watch *s)
{
	XEvent old;

	x11_windows_forget(s);
	s->seen = (struct screen_content){ 0 };
	s->menus = s->moved = false;
	s->next_ns = s->drawn_ns = 0;
	s->owner = 0;
	XSync(s->x.display, False);
	while (x11_take_event(&s->x, &old))
		;
	x11_damage_forget(&s->drawing);
	if (!x11_screen_read(s, &s->x.screen, s->before) || s->x.broken)
		return -EPIPE;
	memcpy(s->now, s->before, (size_t)s->x.screen.w * (size_t)s->x.screen.h * sizeof(*s->now));
	return 0;
}

void screen_set_root_process(struct screen_watch *s, pid_t root)
{
	s->owner = root;
}

void screen_include_menus(struct screen_watch *s, bool on)
{
	s->menus = on;
	s->moved = true;
}

int screen_fd(const struct screen_watch *s)
{
	return ConnectionNumber(s->x.display);
}

int screen_handle_events(struct screen_watch *s)
{
	XEvent event;

	while (x11_take_event(&s->x, &event)) {
		int64_t now = clock_now();

		if (event.type == s->drawing.event)
			s->drawn_ns = s->drawn_ns ? s->drawn_ns : now;
		else
			x11_windows_note_event(s, &event, now);
	}
	if (s->moved && !s->drawn_ns)
		s->drawn_ns = clock_now();
	return s->x.broken ? -EPIPE : 0;
}

int64_t screen_next_look_ns(const struct screen_watch *s)
{
	return !s->drawn_ns ? INT64_MAX : s->drawn_ns > s->next_ns ? s->drawn_ns : s->next_ns;
}

int64_t screen_await_reports(struct screen_watch *s)
{
	int64_t now = clock_now();

	if (!s->x.broken)
		XSync(s->x.display, False);
	screen_handle_events(s);
	return s->drawn_ns && s->drawn_ns < now ? s->drawn_ns : now;
}

/* Reads what was drawn inside windows that count: in each window the bounding box of the damage. */
static void read_drawing(struct screen_watch *s)
{
	int n;
	XRectangle *parts = x11_damage_fetch(&s->drawing, &n);

	for (int i = 0; parts && i < s->windows; i++) {
		struct x11_window *w = &s->window[i];
		struct pixel_area drawn = x11_bound_parts(parts, n, &w->at);

		if (w->row && (w->counts || w->menu))
			x11_window_update_hash(s, w, &drawn);
	}
	if (parts)
		XFree(parts);
}

static uint64_t combine_hashes(uint64_t a, uint64_t b)
{
	uint64_t z = (a ^ (b + 0x9e3779b97f4a7c15u + (a << 6) + (a >> 2))) * 0xbf58476d1ce4e5b9u;

	return z ^ (z >> 31);
}

static void update_content(struct screen_watch *s, int64_t now_ns)
{
	struct screen_content *seen = &s->seen;
	int64_t area = 0;

	seen->windows = 0;
	seen->painted = false;
	seen->picture = seen->set = 0;
	for (int i = 0; i < s->windows; i++) {
		const struct x11_window *w = &s->window[i];
		/* without the window's id, so that the same picture has the same hash in every run */
		uint64_t place = combine_hashes((uint64_t)w->at.x << 32 | (uint64_t)(uint32_t)w->at.y,
						(uint64_t)w->at.w << 32 | (uint64_t)w->at.h);

		if (!w->counts && !(w->menu && s->menus))
			continue;
		seen->picture += combine_hashes(place, w->sum);
		seen->set += combine_hashes(w->id, 1);
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
		x11_windows_classify(s);
	}
	read_drawing(s);
	end = clock_now();
	update_content(s, end);
	s->seen.looks++;
	s->seen.look_ns = end;
	if (drawn && s->seen.picture != before && end - drawn > s->seen.longest_ns)
		s->seen.longest_ns = end - drawn;
	pause = PAUSE * (end - begin);
	s->next_ns = end + (pause < PAUSE_LEAST ? PAUSE_LEAST : pause > PAUSE_MOST ? PAUSE_MOST : pause);
	return s->x.broken ? -EPIPE : 0;
}

const struct screen_content *screen_get_content(const struct screen_watch *s)
{
	return &s->seen;
}
