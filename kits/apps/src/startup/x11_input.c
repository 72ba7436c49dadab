// SPDX-License-Identifier: GPL-3.0-or-later
/* Input for the application: keys and clicks by XTEST, and the request to close its windows. */
#include "x11.h"
#include "act.h"
#include "why.h"

int screen_check_keys(struct screen_watch *s, const struct event_script *script, struct why *why)
{
	struct x11_chord chord;

	for (size_t i = 0; i < script->n; i++) {
		for (size_t k = 0; k < script->event[i].n; k++) {
			const struct input_act *act = &script->event[i].act[k];

			if (act->kind != ACT_KEY || !x11_find_chord(s->x.display, act, &chord))
				continue;
			if (x11_explain_loss(&s->x, why))
				return -1;
			return why_fail(-1, why,
					"event %s: the keyboard of display %s has no key for %s: use another, or add it "
					"with setxkbmap",
					script->event[i].name, DisplayString(s->x.display), keysym_name(act->keysym));
		}
	}
	return 0;
}

/* The menu, or the window that counts, that was mapped last; NULL: none. */
static struct x11_window *newest_window(struct screen_watch *s, bool menu)
{
	struct x11_window *found = NULL;

	for (int i = 0; i < s->windows; i++) {
		struct x11_window *w = &s->window[i];

		if ((menu ? w->menu : w->counts) && (!found || w->mapped_ns > found->mapped_ns))
			found = w;
	}
	return found;
}

static bool pointer_is_in_area(struct screen_watch *s, const struct pixel_area *at)
{
	Window root, child;
	int x, y, a, b;
	unsigned mask;

	return XQueryPointer(s->x.display, s->x.root, &root, &child, &x, &y, &a, &b, &mask) && x >= at->x && y >= at->y &&
	       x < at->x + at->w && y < at->y + at->h;
}

void screen_focus_newest(struct screen_watch *s)
{
	struct x11_window *w = newest_window(s, false);

	if (!w || newest_window(s, true))
		return;
	x11_focus_window(&s->x, w->id);
	/* old toolkits need the pointer above the window, too */
	if (!pointer_is_in_area(s, &w->at))
		XTestFakeMotionEvent(s->x.display, -1, w->at.x + w->at.w / 2, w->at.y + w->at.h / 2, 0);
	XSync(s->x.display, False);
}

static void click_at(struct screen_watch *s, int x, int y)
{
	const struct x11_window *w = newest_window(s, false);

	XTestFakeMotionEvent(s->x.display, -1, x + (w ? w->at.x : 0), y + (w ? w->at.y : 0), 0);
	XTestFakeButtonEvent(s->x.display, 1, True, 0);
	XTestFakeButtonEvent(s->x.display, 1, False, 0);
}

void screen_send_input(struct screen_watch *s, const struct scripted_event *e)
{
	struct x11_chord chord;

	for (size_t i = 0; i < e->n; i++) {
		if (e->act[i].kind != ACT_KEY) {
			click_at(s, e->act[i].x, e->act[i].y);
		} else if (!x11_find_chord(s->x.display, &e->act[i], &chord)) {
			x11_send_chord(s->x.display, &chord, true);
			x11_send_chord(s->x.display, &chord, false);
		}
	}
	XFlush(s->x.display);
}

int screen_request_close(struct screen_watch *s)
{
	int asked = 0;

	for (int i = 0; i < s->windows; i++) {
		XEvent ask = { .xclient = { .type = ClientMessage,
					    .window = s->window[i].id,
					    .message_type = s->atom[ATOM_TAKES],
					    .format = 32,
					    .data.l = { (long)s->atom[ATOM_DELETE], CurrentTime } } };
		Atom *protocols = NULL;
		int n = 0;

		if (!s->window[i].counts || !XGetWMProtocols(s->x.display, s->window[i].id, &protocols, &n))
			continue;
		for (int k = 0; k < n; k++)
			if (protocols[k] == s->atom[ATOM_DELETE] &&
			    XSendEvent(s->x.display, s->window[i].id, False, NoEventMask, &ask))
				asked++;
		XFree(protocols);
	}
	if (!s->x.broken)
		XFlush(s->x.display);
	return asked;
}
