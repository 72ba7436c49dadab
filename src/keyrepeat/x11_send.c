// SPDX-License-Identifier: GPL-3.0-or-later
/* Keys and the pointer by XTEST, and the display's auto-repeat. */
#include "array.h"
#include "x11.h"
#include "cli.h"
#include "clock.h"
#include "why.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KEYSYM_SHIFT 0xffe1
#define KEYSYM_CTRL 0xffe3
#define KEYSYM_ALT 0xffe9
#define KEYSYM_LEVEL3 0xfe03	/* ISO_Level3_Shift, "AltGr" */

static void put_back(Display *d, const struct x11_repeat *r)
{
	if (r->rate_changed)
		XkbSetAutoRepeatRate(d, XkbUseCoreKbd, r->delay_ms, r->interval_ms);
	if (r->was_on)
		XAutoRepeatOn(d);
	else
		XAutoRepeatOff(d);
	XSync(d, False);
}

/* In the guard, after we were killed. */
static void put_back_alone(void *with)
{
	Display *d = XOpenDisplay(((struct x11_repeat *)with)->display);

	if (d)
		put_back(d, with);
}

static int set_repeat(struct x11 *self, const struct target_cfg *cfg, char *why)
{
	struct x11_repeat *r = &self->repeat;
	XKeyboardState state;
	unsigned int period_ms = (unsigned int)(cfg->period_ns / NS_PER_MS);

	XGetKeyboardControl(self->send, &state);
	r->was_on = state.global_auto_repeat == AutoRepeatModeOn;
	snprintf(r->display, sizeof(r->display), "%s", DisplayString(self->send));
	if (!cfg->hold && !r->was_on)
		return 0;
	if (cfg->hold) {
		r->rate_changed = XkbGetAutoRepeatRate(self->send, XkbUseCoreKbd, &r->delay_ms, &r->interval_ms);
		if (!r->rate_changed)
			return why_write(-1, why, TARGET_WHY, "x11:%s has no XKB to set its auto-repeat: use --mode tap",
					 cfg->where);
	}
	r->changed = true;
	if (guard_start(&self->guard, put_back_alone, r))
		warn("nobody will restore the display's auto-repeat should this be killed: %s", strerror(errno));
	if (cfg->hold) {
		XAutoRepeatOn(self->send);
		XkbSetAutoRepeatRate(self->send, XkbUseCoreKbd, period_ms, period_ms);
	} else {
		XAutoRepeatOff(self->send);
	}
	XSync(self->send, False);
	return 0;
}

int x11_send_open(struct x11 *self, const struct target_cfg *cfg, char *why)
{
	int a, b, c, d;

	if (!XTestQueryExtension(self->send, &a, &b, &c, &d)) {
		snprintf(why, TARGET_WHY, "x11:%s has no XTEST extension, so keys cannot be sent to it: start its server with it, or use vnc:",
			 cfg->where);
		return -1;
	}
	self->shift = XKeysymToKeycode(self->send, KEYSYM_SHIFT);
	self->level3 = XKeysymToKeycode(self->send, KEYSYM_LEVEL3);
	self->ctrl = XKeysymToKeycode(self->send, KEYSYM_CTRL);
	self->alt = XKeysymToKeycode(self->send, KEYSYM_ALT);
	return set_repeat(self, cfg, why);
}

void x11_send_close(struct x11 *self)
{
	/* a drag that was broken off */
	for (unsigned button = 1; !self->send_broken && button <= ACT_BUTTON_MAX; button++)
		if (self->buttons & 1u << button)
			XTestFakeButtonEvent(self->send, button, False, 0);
	if (self->repeat.changed && !self->send_broken)
		put_back(self->send, &self->repeat);
	/* It does not answer: what we have put back is on the way at best. */
	if (self->send_patience.watched && self->send_patience.watchdog.bitten)
		guard_leave(&self->guard);
	else
		guard_dismiss(&self->guard);
}

/* Which key gives the symbol, with as few modifiers as can be. */
static bool find_stroke(struct x11 *self, KeySym keysym, struct x11_stroke *out)
{
	int first, last;

	XDisplayKeycodes(self->send, &first, &last);
	for (unsigned level = 0; level < 4; level++) {
		*out = (struct x11_stroke){ .kind = ACT_KEY, .shift = level & 1, .level3 = level & 2 };
		if ((out->shift && !self->shift) || (out->level3 && !self->level3))
			continue;
		for (int code = first; code <= last; code++) {
			if (XkbKeycodeToKeysym(self->send, (KeyCode)code, 0, (int)level) == keysym) {
				out->code = (KeyCode)code;
				return true;
			}
		}
	}
	return false;
}

static int key_stroke(struct x11 *self, const struct act *act, struct x11_stroke *out, char *why)
{
	if (!find_stroke(self, act->keysym, out))
		return why_write(-1, why, TARGET_WHY,
				 "the keyboard of x11:%s has no key for the symbol 0x%x: use another, or add it with setxkbmap",
				 DisplayString(self->send), (unsigned)act->keysym);
	out->shift |= (act->held & ACT_SHIFT) != 0;
	out->ctrl = act->held & ACT_CTRL;
	out->alt = act->held & ACT_ALT;
	if ((!out->shift || self->shift) && (!out->ctrl || self->ctrl) && (!out->alt || self->alt))
		return 0;
	return why_write(-1, why, TARGET_WHY, "the keyboard of x11:%s lacks a key that is to be held down (shift, ctrl or alt)",
			 DisplayString(self->send));
}

static int place_stroke(struct x11 *self, const struct act *act, struct x11_stroke *out, char *why)
{
	struct region screen = x11_screen(self->send);

	*out = (struct x11_stroke){ .kind = ACT_MOVE, .x = (short)act->x, .y = (short)act->y };
	if (act->x < screen.w && act->y < screen.h)
		return 0;
	return why_write(-1, why, TARGET_WHY, "move %d,%d: the screen of x11:%s is %dx%d", act->x, act->y,
			 DisplayString(self->send), screen.w, screen.h);
}

int x11_act(void *p, const struct act *act, char *why)
{
	struct x11 *self = p;
	struct x11_stroke *out;
	int err = 0;

	if (array_room(&self->stroke, self->strokes))
		return why_write(-1, why, TARGET_WHY, "out of memory");
	out = &self->stroke[self->strokes];
	switch (act->kind) {
	case ACT_KEY:
		err = key_stroke(self, act, out, why);
		break;
	case ACT_MOVE:
		err = place_stroke(self, act, out, why);
		break;
	case ACT_BUTTON:
		*out = (struct x11_stroke){ .kind = ACT_BUTTON, .button = (unsigned char)act->button, .way = act->way };
		break;
	}
	return err ? -1 : self->strokes++;
}

int x11_send_fd(void *p)
{
	return ConnectionNumber(((struct x11 *)p)->send);
}

/* One write: what is held goes down before the key and up after it. */
static void send_key(struct x11 *self, const struct x11_stroke *s, bool down)
{
	const struct { bool held; KeyCode code; } with[] = { { s->ctrl, self->ctrl }, { s->alt, self->alt }, { s->shift, self->shift },
							     { s->level3, self->level3 } };
	size_t n = sizeof(with) / sizeof(*with);

	for (size_t i = 0; down && i < n; i++)
		if (with[i].held)
			XTestFakeKeyEvent(self->send, with[i].code, True, 0);
	XTestFakeKeyEvent(self->send, s->code, down, 0);
	for (size_t i = n; !down && i > 0; i--)
		if (with[i - 1].held)
			XTestFakeKeyEvent(self->send, with[i - 1].code, False, 0);
}

static void send_button(struct x11 *self, const struct x11_stroke *s, bool down)
{
	if (s->way != ACT_CLICK && !down)
		return;
	if (s->way != ACT_CLICK)
		down = s->way == ACT_DOWN;
	XTestFakeButtonEvent(self->send, s->button, down, 0);
	self->buttons = down ? self->buttons | 1u << s->button : self->buttons & ~(1u << s->button);
}

int x11_send(void *p, int number, bool down)
{
	struct x11 *self = p;
	const struct x11_stroke *s = &self->stroke[number];

	switch (s->kind) {
	case ACT_KEY:
		send_key(self, s, down);
		break;
	case ACT_MOVE:
		if (down)
			XTestFakeMotionEvent(self->send, -1, s->x, s->y, 0);
		break;
	case ACT_BUTTON:
		send_button(self, s, down);
		break;
	}
	XFlush(self->send);
	return self->send_broken ? -EPIPE : 0;
}
