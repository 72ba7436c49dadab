// SPDX-License-Identifier: GPL-3.0-or-later
/* Which windows are the application's, and in sight: the rule stands in screen.h. */
#include "x11.h"
#include "clock.h"
#include "tree.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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
	XSelectInput(s->display, id, StructureNotifyMask | (s->cfg.window ? PropertyChangeMask : 0));
	/* It may have come into sight before we asked to be told. */
	if (XGetWindowAttributes(s->display, id, &a) && a.map_state != IsUnmapped && !find_window(s, id)->mapped) {
		find_window(s, id)->mapped = true;
		find_window(s, id)->mapped_ns = clock_now();
		s->moved = true;
	}
}

static void drop(struct screen_watch *s, struct x11_window *w)
{
	free(w->row);
	*w = s->window[--s->windows];
	s->moved = true;
}

void x11_windows_event(struct screen_watch *s, const XEvent *event, int64_t now_ns)
{
	struct x11_window *w;

	switch (event->type) {
	case CreateNotify:
		if (event->xcreatewindow.parent == s->root)
			add_window(s, event->xcreatewindow.window, event->xcreatewindow.override_redirect);
		break;
	case MapNotify:
		w = find_window(s, event->xmap.window);
		if (w && !w->mapped) {
			w->mapped = true;
			w->mapped_ns = now_ns;
		}
		s->moved = true;	/* a window manager's frame brings the window inside it into sight */
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
			drop(s, w);
		break;
	case ConfigureNotify:
	case PropertyNotify:
		s->moved = true;
		break;
	default:
		break;
	}
}

/* Up to `most` bytes or words of a property; 0: there is none. Owned by the caller, XFree(). */
static unsigned long get_property(Display *d, Window w, Atom name, long most, unsigned char **value, int *format)
{
	Atom type = None;
	unsigned long n = 0, rest;

	*value = NULL;
	if (XGetWindowProperty(d, w, name, 0, most, False, AnyPropertyType, &type, format, &n, &rest, value) != Success)
		return 0;
	if (!n && *value) {
		XFree(*value);
		*value = NULL;
	}
	return n;
}

bool x11_has_property(Display *d, Window w, Atom name)
{
	unsigned char *value;
	int format;
	unsigned long n = get_property(d, w, name, 1, &value, &format);

	if (value)
		XFree(value);
	return n > 0;
}

static bool has_type(struct screen_watch *s, Window w, const enum x11_atom *types, int n)
{
	unsigned char *value;
	int format = 0;
	bool found = false;
	unsigned long have = get_property(s->display, w, s->atom[ATOM_TYPE], 8, &value, &format);

	/* the first is the wanted one, the others in case a window manager does not know it */
	for (int i = 0; have && format == 32 && i < n && !found; i++)
		found = *(Atom *)(void *)value == s->atom[types[i]];
	if (value)
		XFree(value);
	return found;
}

static pid_t pid_from_display(struct screen_watch *s, Window w)
{
	XResClientIdSpec spec = { w, XRES_CLIENT_ID_PID_MASK };
	XResClientIdValue *ids = NULL;
	long n = 0;
	pid_t pid = -1;

	if (!s->knows_pids || XResQueryClientIds(s->display, 1, &spec, &n, &ids) != Success)
		return -1;
	for (long i = 0; i < n && pid <= 0; i++)
		if (XResGetClientIdType(&ids[i]) == XRES_CLIENT_ID_PID)
			pid = XResGetClientPid(&ids[i]);
	XResClientIdsDestroy(n, ids);
	return pid;
}

static bool on_this_machine(struct screen_watch *s, Window w)
{
	XTextProperty name = { 0 };
	char host[256] = "";
	bool same = true;

	if (XGetWMClientMachine(s->display, w, &name) && name.value) {
		gethostname(host, sizeof(host) - 1);
		same = !strcmp((char *)name.value, host);
		XFree(name.value);
	}
	return same;
}

static pid_t pid_from_property(struct screen_watch *s, Window w)
{
	unsigned char *value;
	int format = 0;
	pid_t pid = -1;
	unsigned long n = get_property(s->display, w, s->atom[ATOM_PID], 1, &value, &format);

	if (n && format == 32 && on_this_machine(s, w))
		pid = (pid_t)*(unsigned long *)(void *)value;
	if (value)
		XFree(value);
	return pid;
}

static bool is_called(struct screen_watch *s, Window w)
{
	char *title = NULL;
	unsigned char *utf8 = NULL;
	XClassHint class = { NULL, NULL };
	int format = 0;
	bool same = false;

	if (XGetClassHint(s->display, w, &class))
		same = (class.res_name && !strcmp(class.res_name, s->cfg.window)) || (class.res_class && !strcmp(class.res_class, s->cfg.window));
	if (!same && get_property(s->display, w, s->atom[ATOM_NAME], 256, &utf8, &format) && format == 8)
		same = strstr((char *)utf8, s->cfg.window) != NULL;
	if (!same && XFetchName(s->display, w, &title) && title)
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

/* A frame has neither; an application's window has one of them by the conventions (ICCCM 4.1.2). */
static bool is_named(struct screen_watch *s, Window w)
{
	return x11_has_property(s->display, w, XA_WM_CLASS) || x11_has_property(s->display, w, XA_WM_NAME) ||
	       x11_has_property(s->display, w, s->atom[ATOM_TAKES]);
}

static bool is_ours(struct screen_watch *s, struct x11_window *w)
{
	pid_t pid;

	if (s->cfg.window && !w->override)
		return is_called(s, w->id);
	if (w->whose == X11_UNASKED) {
		pid = pid_from_display(s, w->id);
		if (pid <= 0)
			pid = pid_from_property(s, w->id);
		w->whose = (pid > 0 ? tree_holds(s->owner, pid) : is_named(s, w->id)) ? X11_OURS : X11_OTHERS;
	}
	return w->whose == X11_OURS;
}

static bool place_window(struct screen_watch *s, struct x11_window *w, XWindowAttributes *a)
{
	struct x11_area all = { 0, 0, s->width, s->height }, at;
	Window child;

	if (w->frame || !w->mapped || !XGetWindowAttributes(s->display, w->id, a) || a->map_state != IsViewable ||
	    a->class != InputOutput || a->width < s->cfg.least || a->height < s->cfg.least)
		return false;
	at = (struct x11_area){ 0, 0, a->width, a->height };
	if (!XTranslateCoordinates(s->display, w->id, s->root, 0, 0, &at.x, &at.y, &child))
		return false;
	at = x11_both(&at, &all);
	if (!at.w || !at.h)
		return false;
	if (memcmp(&at, &w->at, sizeof(at)) != 0 || !w->row) {
		uint64_t *row = calloc((size_t)at.h, sizeof(*row));

		if (!row)
			return false;
		free(w->row);
		w->row = row;
		w->sum = 0;
		w->at = at;
		x11_window_read(s, w, &at);
	}
	return true;
}

static void settle_one(struct screen_watch *s, struct x11_window *w)
{
	static const enum x11_atom never[] = { ATOM_TOOLTIP, ATOM_NOTIFICATION, ATOM_DND, ATOM_DOCK, ATOM_DESKTOP }, splash = ATOM_SPLASH;
	bool was = w->counts || w->menu, is_splash;
	XWindowAttributes a;

	w->counts = w->menu = false;
	if (w->frame || !w->mapped || !is_ours(s, w) || has_type(s, w->id, never, 5))
		return;
	if (!was && w->row) {	/* out of sight meanwhile, and drawn anew since */
		free(w->row);
		w->row = NULL;
	}
	if (!place_window(s, w, &a))
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

void x11_windows_settle(struct screen_watch *s)
{
	for (int i = 0; i < s->windows && !s->broken; i++)
		settle_one(s, &s->window[i]);
}
