// SPDX-License-Identifier: GPL-3.0-or-later
/* Decides which windows count: those of the application that are visible, by the rules in screen.h; and reads their pixels. */
#include "x11.h"
#include "clock.h"
#include "random.h"
#include "tree.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* --- pixels of the screen and their hashes --- */

bool x11_screen_read(struct screen_watch *s, const struct pixel_area *at, uint32_t *to)
{
	size_t stride = (size_t)s->x.screen.w;

	if (area_is_empty(at))
		return true;
	if (!x11_pixels_read(&s->picture, at) || s->x.broken)
		return false;
	x11_pixels_copy(&s->picture, at->w, at->h, to + (size_t)at->y * stride + (size_t)at->x, stride);
	return true;
}

/* Hash of a row of n pixels. Contains the row's place y, since the hashes of all rows are added up. */
static uint64_t hash_row(const uint32_t *pixel, int n, int y)
{
	uint64_t h = (uint64_t)y + 1;

	for (int x = 0; x < n; x++) {
		h = (h ^ pixel[x]) * 0x9e3779b97f4a7c15u;
		h ^= h >> 29;
	}
	return random_mix(h);
}

/* True if the area has more than one colour and differs from the screen at the start (a window without a background shows what lay
 * below it). */
static bool is_painted(const struct screen_watch *s, const struct pixel_area *at)
{
	uint32_t first = s->now[(size_t)at->y * (size_t)s->x.screen.w + (size_t)at->x];
	bool two = false, new = false;

	for (int y = at->y; y < at->y + at->h && !(two && new); y++) {
		size_t i = (size_t)y * (size_t)s->x.screen.w + (size_t)at->x;

		new = new || memcmp(s->now + i, s->before + i, (size_t)at->w * sizeof(*s->now)) != 0;
		for (int x = 0; x < at->w && !two; x++)
			two = s->now[i + (size_t)x] != first;
	}
	return two && new;
}

void x11_window_update_hash(struct screen_watch *s, struct x11_window *w, const struct pixel_area *part)
{
	if (area_is_empty(part) || !x11_screen_read(s, part, s->now))
		return;
	for (int y = part->y; y < part->y + part->h; y++) {
		uint64_t *row = &w->row[y - w->at.y];

		w->sum -= *row;
		*row = hash_row(s->now + (size_t)y * (size_t)s->x.screen.w + (size_t)w->at.x, w->at.w, y - w->at.y);
		w->sum += *row;
	}
	if (!w->painted)
		w->painted = is_painted(s, &w->at);
}

/* --- windows --- */

void x11_windows_forget(struct screen_watch *s)
{
	for (int i = 0; i < s->windows; i++)
		free(s->window[i].row);
	s->windows = 0;
}

static struct x11_window *find_window(struct screen_watch *s, Window id)
{
	for (int i = 0; i < s->windows; i++)
		if (s->window[i].id == id)
			return &s->window[i];
	return NULL;
}

static void add_window(struct screen_watch *s, Window id, bool override)
{
	XWindowAttributes a;

	if (s->windows == X11_WINDOWS_MAX || find_window(s, id))
		return;
	s->window[s->windows++] = (struct x11_window){ .id = id, .override = override };
	XSelectInput(s->x.display, id, StructureNotifyMask | (s->cfg.window ? PropertyChangeMask : 0));
	/* the window may have been mapped before its events were selected */
	if (XGetWindowAttributes(s->x.display, id, &a) && a.map_state != IsUnmapped && !find_window(s, id)->mapped) {
		find_window(s, id)->mapped = true;
		find_window(s, id)->mapped_ns = clock_now();
		s->moved = true;
	}
}

static void drop_window(struct screen_watch *s, struct x11_window *w)
{
	free(w->row);
	*w = s->window[--s->windows];
	s->moved = true;
}

void x11_windows_note_event(struct screen_watch *s, const XEvent *event, int64_t now_ns)
{
	struct x11_window *w;

	switch (event->type) {
	case CreateNotify:
		if (event->xcreatewindow.parent == s->x.root)
			add_window(s, event->xcreatewindow.window, event->xcreatewindow.override_redirect);
		break;
	case MapNotify:
		w = find_window(s, event->xmap.window);
		if (w && !w->mapped) {
			w->mapped = true;
			w->mapped_ns = now_ns;
		}
		s->moved = true; /* mapping a window manager's frame also shows the window inside it */
		break;
	case UnmapNotify:
		w = find_window(s, event->xunmap.window);
		if (w)
			w->mapped = false;
		s->moved = true;
		break;
	case ReparentNotify:
		w = find_window(s, event->xreparent.parent);
		if (w)
			w->frame = true;
		s->moved = true;
		break;
	case DestroyNotify:
		w = find_window(s, event->xdestroywindow.window);
		if (w)
			drop_window(s, w);
		break;
	case ConfigureNotify:
	case PropertyNotify: s->moved = true; break;
	default: break;
	}
}

/* True if the first type of the window (_NET_WM_WINDOW_TYPE) is one of these n. */
static bool has_type(struct screen_watch *s, Window w, const enum x11_atom *types, int n)
{
	unsigned char *value;
	int format = 0;
	bool found = false;
	unsigned long have = x11_read_property(s->x.display, w, s->atom[ATOM_TYPE], 8, &value, &format);

	/* further types are for window managers that do not know the first */
	for (int i = 0; have && format == 32 && i < n && !found; i++)
		found = *(Atom *)(void *)value == s->atom[types[i]];
	if (value)
		XFree(value);
	return found;
}

/* The process that owns a window, by X-Resource; -1: not known. */
static pid_t query_window_owner(struct screen_watch *s, Window w)
{
	XResClientIdSpec spec = { w, XRES_CLIENT_ID_PID_MASK };
	XResClientIdValue *ids = NULL;
	long n = 0;
	pid_t pid = -1;

	if (!s->knows_pids || XResQueryClientIds(s->x.display, 1, &spec, &n, &ids) != Success)
		return -1;
	for (long i = 0; i < n && pid <= 0; i++)
		if (XResGetClientIdType(&ids[i]) == XRES_CLIENT_ID_PID)
			pid = XResGetClientPid(&ids[i]);
	XResClientIdsDestroy(n, ids);
	return pid;
}

static bool is_local_window(struct screen_watch *s, Window w)
{
	XTextProperty name = { 0 };
	char host[256] = "";
	bool same = true;

	if (XGetWMClientMachine(s->x.display, w, &name) && name.value) {
		gethostname(host, sizeof(host) - 1);
		same = !strcmp((char *)name.value, host);
		XFree(name.value);
	}
	return same;
}

/* The process that owns a window, by _NET_WM_PID; -1: not known. */
static pid_t read_owner_property(struct screen_watch *s, Window w)
{
	unsigned char *value;
	int format = 0;
	pid_t pid = -1;
	unsigned long n = x11_read_property(s->x.display, w, s->atom[ATOM_PID], 1, &value, &format);

	if (n && format == 32 && is_local_window(s, w))
		pid = (pid_t) * (unsigned long *)(void *)value;
	if (value)
		XFree(value);
	return pid;
}

/* True if the window has --window's text in its title, or as its class. */
static bool has_wanted_name(struct screen_watch *s, Window w)
{
	char *title = NULL;
	unsigned char *utf8 = NULL;
	XClassHint class = { NULL, NULL };
	int format = 0;
	bool same = false;

	if (XGetClassHint(s->x.display, w, &class))
		same = (class.res_name && !strcmp(class.res_name, s->cfg.window)) ||
		       (class.res_class && !strcmp(class.res_class, s->cfg.window));
	if (!same && x11_read_property(s->x.display, w, s->atom[ATOM_NAME], 256, &utf8, &format) && format == 8)
		same = strstr((char *)utf8, s->cfg.window) != NULL;
	if (!same && XFetchName(s->x.display, w, &title) && title)
		same = strstr(title, s->cfg.window) != NULL;
	if (class.res_name)
		XFree(class.res_name);
	if (class.res_class)
		XFree(class.res_class);
	if (utf8)
		XFree(utf8);
	if (title)
		XFree(title);
	return same;
}

/* True if the window has a class, a name or protocols, as every application's window has (ICCCM 4.1.2); a frame has none of
 * them. */
static bool has_client_properties(struct screen_watch *s, Window w)
{
	return x11_has_property(s->x.display, w, XA_WM_CLASS) || x11_has_property(s->x.display, w, XA_WM_NAME) ||
	       x11_has_property(s->x.display, w, s->atom[ATOM_TAKES]);
}

static bool is_own_window(struct screen_watch *s, struct x11_window *w)
{
	pid_t pid;

	if (s->cfg.window && !w->override)
		return has_wanted_name(s, w->id);
	if (w->owner == X11_OWNER_UNKNOWN) {
		pid = query_window_owner(s, w->id);
		if (pid <= 0)
			pid = read_owner_property(s, w->id);
		w->owner = (pid > 0 ? tree_has_process(s->owner, pid) : has_client_properties(s, w->id)) ? X11_OWNER_APPLICATION
													 : X11_OWNER_OTHER;
	}
	return w->owner == X11_OWNER_APPLICATION;
}

/* Finds the part of a window that lies on the screen, and reads it if it is new or has moved. False: not visible, or too small. */
static bool locate_window(struct screen_watch *s, struct x11_window *w, XWindowAttributes *a)
{
	struct pixel_area at;

	if (w->frame || !w->mapped || !x11_locate_window(&s->x, w->id, a, &at) || a->class != InputOutput ||
	    a->width < s->cfg.least || a->height < s->cfg.least)
		return false;
	at = area_intersect(&at, &s->x.screen);
	if (area_is_empty(&at))
		return false;
	if (memcmp(&at, &w->at, sizeof(at)) != 0 || !w->row) {
		uint64_t *row = calloc((size_t)at.h, sizeof(*row));

		if (!row)
			return false;
		free(w->row);
		w->row = row;
		w->sum = 0;
		w->at = at;
		x11_window_update_hash(s, w, &at);
	}
	return true;
}

static void classify_window(struct screen_watch *s, struct x11_window *w)
{
	static const enum x11_atom never[] = { ATOM_TOOLTIP, ATOM_NOTIFICATION, ATOM_DND, ATOM_DOCK, ATOM_DESKTOP },
				   splash = ATOM_SPLASH;
	bool was = w->counts || w->menu, is_splash;
	XWindowAttributes a;

	w->counts = w->menu = false;
	if (w->frame || !w->mapped || !is_own_window(s, w) || has_type(s, w->id, never, 5))
		return;
	if (!was && w->row) { /* the window was hidden meanwhile: read it again */
		free(w->row);
		w->row = NULL;
	}
	if (!locate_window(s, w, &a))
		return;
	w->override = a.override_redirect;
	is_splash = has_type(s, w->id, &splash, 1);
	if ((is_splash || w->override) && !s->seen.splash_ns && !s->seen.mapped_ns)
		s->seen.splash_ns = w->mapped_ns;
	if (is_splash)
		return;
	w->counts = !w->override;
	w->menu = w->override;
	if (w->counts && (!s->seen.mapped_ns || w->mapped_ns < s->seen.mapped_ns))
		s->seen.mapped_ns = w->mapped_ns;
}

void x11_windows_classify(struct screen_watch *s)
{
	for (int i = 0; i < s->windows && !s->x.broken; i++)
		classify_window(s, &s->window[i]);
}
