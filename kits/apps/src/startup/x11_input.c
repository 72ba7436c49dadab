// SPDX-License-Identifier: GPL-3.0-or-later
/* Input for the application: keys and clicks by XTEST, and the request to close its windows. */
#include "x11.h"
#include "keysym.h"
#include "why.h"

#include <stdio.h>

/* The key that gives a symbol without Shift or with it; *shift: whether Shift must be held. 0: no such key. */
static KeyCode find_keycode(Display *d, KeySym symbol, bool *shift)
{
	int level;
	KeyCode code = x11_find_keycode(d, symbol, 3, &level);

	*shift = level == 1;
	return code;
}

int screen_check_keys_of_script(struct screen_watch_state *s, const struct event_script *script, struct why *why)
{
	bool shift;

	for (size_t i = 0; i < script->n; i++) {
		for (size_t k = 0; k < script->event[i].n; k++) {
			const struct input_act *act = &script->event[i].act[k];

			if (act->kind != ACT_KEY || find_keycode(s->display, act->keysym, &shift))
				continue;
			why_say(why, "event %s: the keyboard of display %s has no key for %s: use another, or add it with setxkbmap",
				 script->event[i].name, DisplayString(s->display), keysym_name(act->keysym));
			return -1;
		}
	}
	return 0;
}

/* The menu, or the window that counts, that was mapped last; NULL: none. */
static struct x11_watched_window *newest_window(struct screen_watch_state *s, bool menu)
{
	struct x11_watched_window *found = NULL;

	for (int i = 0; i < s->windows; i++) {
		struct x11_watched_window *w = &s->window[i];

		if ((menu ? w->menu : w->counts) && (!found || w->mapped_ns > found->mapped_ns))
			found = w;
	}
	return found;
}

static bool is_pointer_in_area(struct screen_watch_state *s, const struct x11_area *at)
{
	Window root, child;
	int x, y, a, b;
	unsigned mask;

	return XQueryPointer(s->display, s->root, &root, &child, &x, &y, &a, &b, &mask) && x >= at->x &&
	       y >= at->y && x < at->x + at->w && y < at->y + at->h;
}

void screen_focus_newest_window(struct screen_watch_state *s)
{
	struct x11_watched_window *w = newest_window(s, false);

	if (!w || newest_window(s, true))
		return;
	x11_focus_window(s->display, w->id);
	/* old toolkits need the pointer above the window, too */
	if (!is_pointer_in_area(s, &w->at))
		XTestFakeMotionEvent(s->display, DefaultScreen(s->display), w->at.x + w->at.w / 2, w->at.y + w->at.h / 2, 0);
	XSync(s->display, False);
}

/* Presses the modifiers and the key, and releases them in the opposite order. */
static void press_and_release_key_of_act(struct screen_watch_state *s, const struct input_act *act)
{
	static const struct {
		unsigned held;
		KeySym symbol;
	} modifiers[] = { { ACT_CTRL, 0xffe3 }, { ACT_SHIFT, 0xffe1 }, { ACT_ALT, 0xffe9 }, { POST_SUPER, 0xffeb } };
	enum { MODIFIERS = sizeof(modifiers) / sizeof(*modifiers), CODES };
	bool shift = false, unused;
	KeyCode codes[CODES];
	unsigned held;

	codes[MODIFIERS] = find_keycode(s->display, act->keysym, &shift);
	held = act->held | (shift ? ACT_SHIFT : 0);
	for (int i = 0; i < MODIFIERS; i++)
		codes[i] = held & modifiers[i].held ? find_keycode(s->display, modifiers[i].symbol, &unused) : 0;
	for (int i = 0; i < 2 * CODES; i++) {
		KeyCode code = codes[i < CODES ? i : 2 * CODES - 1 - i];

		if (code)
			XTestFakeKeyEvent(s->display, code, i < CODES, 0);
	}
}

static void click_at(struct screen_watch_state *s, int x, int y)
{
	const struct x11_watched_window *w = newest_window(s, false);
	int screen = DefaultScreen(s->display);

	XTestFakeMotionEvent(s->display, screen, x + (w ? w->at.x : 0), y + (w ? w->at.y : 0), 0);
	XTestFakeButtonEvent(s->display, 1, True, 0);
	XTestFakeButtonEvent(s->display, 1, False, 0);
}

void screen_send_input(struct screen_watch_state *s, const struct scripted_event *e)
{
	for (size_t i = 0; i < e->n; i++) {
		if (e->act[i].kind == ACT_KEY)
			press_and_release_key_of_act(s, &e->act[i]);
		else
			click_at(s, e->act[i].x, e->act[i].y);
	}
	XFlush(s->display);
}

int screen_ask_windows_to_close(struct screen_watch_state *s)
{
	int asked = 0;

	for (int i = 0; i < s->windows; i++) {
		XEvent ask = { .xclient = { .type = ClientMessage, .window = s->window[i].id, .message_type = s->atom[ATOM_TAKES], .format = 32,
					    .data.l = { (long)s->atom[ATOM_DELETE], CurrentTime } } };
		Atom *protocols = NULL;
		int n = 0;

		if (!s->window[i].counts || !XGetWMProtocols(s->display, s->window[i].id, &protocols, &n))
			continue;
		for (int k = 0; k < n; k++)
			if (protocols[k] == s->atom[ATOM_DELETE] && XSendEvent(s->display, s->window[i].id, False, NoEventMask, &ask))
				asked++;
		XFree(protocols);
	}
	if (!s->broken)
		XFlush(s->display);
	return asked;
}
