// SPDX-License-Identifier: GPL-3.0-or-later
/* Sends keys and pointer events by XTEST, and controls the auto-repeat of the display. */
#include "array.h"
#include "x11.h"
#include "cli.h"
#include "clock.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KEYSYM_SHIFT 0xffe1
#define KEYSYM_CTRL 0xffe3
#define KEYSYM_ALT 0xffe9
#define KEYSYM_LEVEL3 0xfe03	/* ISO_Level3_Shift, "AltGr" */

static void restore_key_autorepeat(Display *d, const struct x11_autorepeat_setting *r)
{
	if (r->rate_changed)
		XkbSetAutoRepeatRate(d, XkbUseCoreKbd, r->delay_ms, r->interval_ms);
	if (r->was_on)
		XAutoRepeatOn(d);
	else
		XAutoRepeatOff(d);
	XSync(d, False);
}

/* Runs in the guard process after this program was killed. */
static void restore_autorepeat_of_killed_run(void *with)
{
	Display *d = XOpenDisplay(((struct x11_autorepeat_setting *)with)->display);

	if (d)
		restore_key_autorepeat(d, with);
}

static int set_key_autorepeat(struct x11_target *self, const struct target_cfg *cfg, struct why *why)
{
	struct x11_autorepeat_setting *r = &self->repeat;
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
			return fail_with_reason(-1, why, "x11:%s has no XKB to set its auto-repeat: use --mode tap", cfg->where);
	}
	r->changed = true;
	if (restore_guard_start(&self->guard, restore_autorepeat_of_killed_run, r))
		warn("cannot start a process that restores auto-repeat after a kill (%s): run xset r on then", strerror(errno));
	if (cfg->hold) {
		XAutoRepeatOn(self->send);
		XkbSetAutoRepeatRate(self->send, XkbUseCoreKbd, period_ms, period_ms);
	} else {
		XAutoRepeatOff(self->send);
	}
	XSync(self->send, False);
	return 0;
}

int x11_prepare_sending_keys(struct x11_target *self, const struct target_cfg *cfg, struct why *why)
{
	int a, b, c, d;

	if (!XTestQueryExtension(self->send, &a, &b, &c, &d)) {
		why_say(why, "x11:%s has no XTEST extension, so keys cannot be sent to it: start its server with it, or use vnc:",
			 cfg->where);
		return -1;
	}
	self->shift = XKeysymToKeycode(self->send, KEYSYM_SHIFT);
	self->level3 = XKeysymToKeycode(self->send, KEYSYM_LEVEL3);
	self->ctrl = XKeysymToKeycode(self->send, KEYSYM_CTRL);
	self->alt = XKeysymToKeycode(self->send, KEYSYM_ALT);
	return set_key_autorepeat(self, cfg, why);
}

void x11_end_sending_keys(struct x11_target *self)
{
	/* release buttons of a drag that was not finished */
	for (unsigned button = 1; !self->send_broken && button <= ACT_BUTTON_MAX; button++)
		if (self->buttons & 1u << button)
			XTestFakeButtonEvent(self->send, button, False, 0);
	if (self->repeat.changed && !self->send_broken)
		restore_key_autorepeat(self->send, &self->repeat);
	/* when the display did not answer, it may not have got the request: the guard process tries again */
	if (self->send_limit.running && self->send_limit.watchdog.bitten)
		restore_guard_make_child_undo_now(&self->guard);
	else
		restore_guard_end_without_undo(&self->guard);
}

static int prepare_x11_key_press(struct x11_target *self, const struct input_act *act, struct x11_prepared_act *out,
				 struct why *why)
{
	unsigned usable = 1u | (self->shift ? 2u : 0) | (self->level3 ? 4u : 0) | (self->shift && self->level3 ? 8u : 0);
	int level;
	KeyCode code = x11_find_keycode(self->send, act->keysym, usable, &level);

	*out = (struct x11_prepared_act){ .kind = ACT_KEY, .code = code, .shift = level & 1, .level3 = level & 2 };
	if (!code)
		return fail_with_reason(-1, why,
				 "the keyboard of x11:%s has no key for the symbol 0x%x: use another, or add it with setxkbmap",
				 DisplayString(self->send), (unsigned)act->keysym);
	out->shift |= (act->held & ACT_SHIFT) != 0;
	out->ctrl = act->held & ACT_CTRL;
	out->alt = act->held & ACT_ALT;
	if ((!out->shift || self->shift) && (!out->ctrl || self->ctrl) && (!out->alt || self->alt))
		return 0;
	return fail_with_reason(-1, why, "the keyboard of x11:%s lacks a key that is to be held down (shift, ctrl or alt)",
			 DisplayString(self->send));
}

static int prepare_x11_pointer_move(struct x11_target *self, const struct input_act *act, struct x11_prepared_act *out,
				    struct why *why)
{
	struct screen_region screen = x11_screen_as_region(self->send);

	*out = (struct x11_prepared_act){ .kind = ACT_MOVE, .x = (short)act->x, .y = (short)act->y };
	if (act->x < screen.w && act->y < screen.h)
		return 0;
	return fail_with_reason(-1, why, "move %d,%d: the screen of x11:%s is %dx%d", act->x, act->y,
			 DisplayString(self->send), screen.w, screen.h);
}

int x11_prepare_act(void *p, const struct input_act *act, struct why *why)
{
	struct x11_target *self = p;
	struct x11_prepared_act *out;
	int err = 0;

	if (array_room(&self->stroke, self->strokes))
		return fail_with_reason(-1, why, "out of memory");
	out = &self->stroke[self->strokes];
	switch (act->kind) {
	case ACT_KEY: err = prepare_x11_key_press(self, act, out, why); break;
	case ACT_MOVE: err = prepare_x11_pointer_move(self, act, out, why); break;
	case ACT_BUTTON:
		*out = (struct x11_prepared_act){ .kind = ACT_BUTTON, .button = (unsigned char)act->button, .way = act->way };
		break;
	}
	return err ? -1 : self->strokes++;
}

int x11_target_fd_for_sending(void *p)
{
	return ConnectionNumber(((struct x11_target *)p)->send);
}

/* Presses the modifiers and then the key, or releases them in the opposite order. */
static void send_key(struct x11_target *self, const struct x11_prepared_act *s, bool down)
{
	const KeyCode codes[] = { s->ctrl ? self->ctrl : 0, s->alt ? self->alt : 0, s->shift ? self->shift : 0,
				  s->level3 ? self->level3 : 0, s->code };
	size_t n = sizeof(codes) / sizeof(*codes);

	for (size_t i = 0; i < n; i++) {
		KeyCode code = codes[down ? i : n - 1 - i];

		if (code)
			XTestFakeKeyEvent(self->send, code, down, 0);
	}
}

static void send_button(struct x11_target *self, const struct x11_prepared_act *s, bool down)
{
	if (s->way != ACT_CLICK && !down)
		return;
	if (s->way != ACT_CLICK)
		down = s->way == ACT_DOWN;
	XTestFakeButtonEvent(self->send, s->button, down, 0);
	self->buttons = down ? self->buttons | 1u << s->button : self->buttons & ~(1u << s->button);
}

int x11_press_or_release(void *p, int number, bool down)
{
	struct x11_target *self = p;
	const struct x11_prepared_act *s = &self->stroke[number];

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
