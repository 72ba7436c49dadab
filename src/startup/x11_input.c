// SPDX-License-Identifier: GPL-3.0-or-later
/* Input for the application: keys and clicks by XTEST, and the request to close its windows. */
#include "x11.h"
#include "clock.h"

#include <stdio.h>
#include <string.h>

static const struct {
	enum post_modifier modifier;
	KeySym symbol;
} modifiers[] = {
	{ POST_CTRL, 0xffe3 }, { POST_SHIFT, 0xffe1 }, { POST_ALT, 0xffe9 }, { POST_SUPER, 0xffeb },
};
#define MODIFIERS (sizeof(modifiers) / sizeof(*modifiers))

/* The keysym of the next character in UTF-8; 0 at the end of the text, or for invalid UTF-8. */
static KeySym next_character(const char **text)
{
	const unsigned char *c = (const unsigned char *)*text;
	int more = *c < 0x80 ? 0 : *c >= 0xf0 ? 3 : *c >= 0xe0 ? 2 : 1;
	unsigned long u = more ? *c & (0x3fu >> more) : *c;

	if (!*c)
		return 0;
	for (int i = 1; i <= more; i++) {
		if ((c[i] & 0xc0) != 0x80)
			return 0;
		u = u << 6 | (c[i] & 0x3f);
	}
	*text += more + 1;
	return u < 0x100 ? u : 0x1000000 | u;
}

/* The key that gives a symbol without Shift or with it; *shift: whether Shift must be held. 0: no such key. */
static KeyCode find_keycode(Display *d, KeySym symbol, bool *shift)
{
	int level;
	KeyCode code = x11_find_keycode(d, symbol, 3, &level);

	*shift = level == 1;
	return code;
}

static KeySym keysym_of_name(const char *name)
{
	const char *text = name;
	KeySym symbol = next_character(&text);

	return symbol && !*text ? symbol : XStringToKeysym(name);
}

int screen_check(struct screen_watch *s, const struct post_events *script, char *why)
{
	bool shift;

	for (size_t i = 0; i < script->n; i++) {
		for (int k = 0; k < script->event[i].words; k++) {
			const struct post_word *w = &script->event[i].word[k];
			const char *text = w->text, *wrong = NULL;

			if (w->kind == POST_KEY && !find_keycode(s->display, keysym_of_name(w->text), &shift))
				wrong = w->text;
			while (w->kind == POST_TYPE && !wrong && *text)
				if (!find_keycode(s->display, next_character(&text), &shift))
					wrong = w->text;
			if (wrong) {
				snprintf(why, SCREEN_WHY, "event %s: the keyboard of display %s has no key for %s: use another, or add it with setxkbmap",
					 script->event[i].name, DisplayString(s->display), wrong);
				return -1;
			}
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

static bool pointer_in(struct screen_watch *s, const struct x11_area *at)
{
	Window root, child;
	int x, y, a, b;
	unsigned mask;

	return XQueryPointer(s->display, s->root, &root, &child, &x, &y, &a, &b, &mask) && x >= at->x &&
	       y >= at->y && x < at->x + at->w && y < at->y + at->h;
}

void screen_focus(struct screen_watch *s)
{
	struct x11_window *w = newest_window(s, false);

	if (!w || newest_window(s, true))
		return;
	x11_focus_window(s->display, w->id);
	/* old toolkits need the pointer above the window, too */
	if (!pointer_in(s, &w->at))
		XTestFakeMotionEvent(s->display, DefaultScreen(s->display), w->at.x + w->at.w / 2, w->at.y + w->at.h / 2, 0);
	XSync(s->display, False);
}

/* Presses and releases a key with modifiers (enum post_modifier) held down. */
static void press_symbol(struct screen_watch *s, KeySym symbol, int held)
{
	bool shift = false, unused;
	KeyCode code = find_keycode(s->display, symbol, &shift), modifier;

	held |= shift ? POST_SHIFT : 0;
	for (size_t i = 0; i < MODIFIERS; i++)
		if (held & (int)modifiers[i].modifier && (modifier = find_keycode(s->display, modifiers[i].symbol, &unused)))
			XTestFakeKeyEvent(s->display, modifier, True, 0);
	XTestFakeKeyEvent(s->display, code, True, 0);
	XTestFakeKeyEvent(s->display, code, False, 0);
	for (size_t i = MODIFIERS; i-- > 0;)
		if (held & (int)modifiers[i].modifier && (modifier = find_keycode(s->display, modifiers[i].symbol, &unused)))
			XTestFakeKeyEvent(s->display, modifier, False, 0);
}

static void click_at(struct screen_watch *s, int x, int y)
{
	const struct x11_window *w = newest_window(s, false);
	int screen = DefaultScreen(s->display);

	XTestFakeMotionEvent(s->display, screen, x + (w ? w->at.x : 0), y + (w ? w->at.y : 0), 0);
	XTestFakeButtonEvent(s->display, 1, True, 0);
	XTestFakeButtonEvent(s->display, 1, False, 0);
}

void screen_send(struct screen_watch *s, const struct post_event *e)
{
	for (int i = 0; i < e->words; i++) {
		const struct post_word *w = &e->word[i];
		const char *text = w->text;

		if (w->kind == POST_CLICK)
			click_at(s, w->x, w->y);
		else if (w->kind == POST_KEY)
			press_symbol(s, keysym_of_name(w->text), w->modifiers);
		while (w->kind == POST_TYPE && *text)
			press_symbol(s, next_character(&text), 0);
	}
	XFlush(s->display);
}

int screen_ask_to_close(struct screen_watch *s)
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
