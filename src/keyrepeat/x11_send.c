// SPDX-License-Identifier: GPL-3.0-or-later
/* Sends keys and pointer events by XTEST, and controls the auto-repeat of the display. */
#include "x11.h"
#include "cli.h"
#include "clock.h"
#include "memory.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

static void restore_autorepeat(Display *d, const struct x11_autorepeat *r)
{
	if (r->rate_changed)
		XkbSetAutoRepeatRate(d, XkbUseCoreKbd, r->delay_ms, r->interval_ms);
	if (r->was_on)
		XAutoRepeatOn(d);
	else
		XAutoRepeatOff(d);
	XSync(d, False);
}

/* XTEST releases only what XTEST has pressed: what is under a person's finger stays down. */
static void release_held(Display *d)
{
	char down[32];

	XQueryKeymap(d, down);
	for (unsigned code = 8; code < 256; code++)
		if (down[code / 8] & 1 << code % 8)
			XTestFakeKeyEvent(d, code, False, 0);
	for (unsigned button = 1; button <= ACT_BUTTON_MAX; button++)
		XTestFakeButtonEvent(d, button, False, 0);
	XSync(d, False);
}

/* Runs in the guard process after this program was killed. */
static void restore_after_kill(void *with)
{
	Display *d;

	alarm(10); /* in seconds: ends the process where the display does not answer */
	d = XOpenDisplay(((struct x11_autorepeat *)with)->display);
	if (!d)
		return;
	release_held(d);
	if (((struct x11_autorepeat *)with)->changed)
		restore_autorepeat(d, with);
}

static int set_autorepeat(struct x11_target *self, const struct target_cfg *cfg, struct why *why)
{
	struct x11_autorepeat *r = &self->repeat;
	XKeyboardState state;
	unsigned int period_ms = (unsigned int)(cfg->period_ns / NS_PER_MS);

	XGetKeyboardControl(self->send.display, &state);
	self->hold = cfg->hold;
	r->was_on = state.global_auto_repeat == AutoRepeatModeOn;
	snprintf(r->display, sizeof(r->display), "%s", DisplayString(self->send.display));
	if (cfg->hold) {
		r->rate_changed = XkbGetAutoRepeatRate(self->send.display, XkbUseCoreKbd, &r->delay_ms, &r->interval_ms);
		if (!r->rate_changed)
			return why_fail(-1, why, "x11:%s has no XKB to set its auto-repeat: use --mode tap", cfg->where);
	}
	r->changed = cfg->hold || r->was_on;
	if (guard_start(&self->guard, restore_after_kill, r))
		warn("cannot start a process that restores auto-repeat after a kill (%s): run xset r on then", strerror(errno));
	if (!r->changed)
		return 0;
	if (cfg->hold) {
		XAutoRepeatOn(self->send.display);
		XkbSetAutoRepeatRate(self->send.display, XkbUseCoreKbd, period_ms, period_ms);
	} else {
		XAutoRepeatOff(self->send.display);
	}
	XSync(self->send.display, False);
	return 0;
}

int x11_begin_sending(struct x11_target *self, const struct target_cfg *cfg, struct why *why)
{
	int a, b, c, d;

	if (XTestQueryExtension(self->send.display, &a, &b, &c, &d))
		return set_autorepeat(self, cfg, why);
	return why_fail(-1, why,
			"x11:%s has no XTEST extension, so keys cannot be sent to it: start its server with it, "
			"or use vnc:",
			cfg->where);
}

void x11_end_sending(struct x11_target *self)
{
	/* release buttons of a drag that was not finished */
	for (unsigned button = 1; !self->send.broken && button <= ACT_BUTTON_MAX; button++)
		if (self->buttons & 1u << button)
			XTestFakeButtonEvent(self->send.display, button, False, 0);
	if (self->repeat.changed && !self->send.broken)
		restore_autorepeat(self->send.display, &self->repeat);
	/* if the display did not answer, or the connection broke, the request may not have reached it: the guard tries again */
	if (self->send.broken || (self->send.guarded && self->send.watchdog.bitten))
		guard_undo_now(&self->guard);
	else
		guard_end(&self->guard);
}

int x11_add_act(void *p, const struct input_act *act, struct why *why)
{
	struct x11_target *self = p;
	const char *where = DisplayString(self->send.display);
	const struct pixel_area *screen = &self->send.screen;
	struct x11_act out = { .act = *act };
	int err = act->kind == ACT_KEY ? x11_find_chord(self->send.display, act, &out.chord) : 0;

	if (err && x11_explain_loss(&self->send, why))
		return -1;
	if (err == -ENOENT)
		return why_fail(-1, why,
				"the keyboard of x11:%s has no key for the symbol 0x%x: use another, or add it with "
				"setxkbmap",
				where, (unsigned)act->keysym);
	if (err)
		return why_fail(-1, why, "the keyboard of x11:%s lacks a key that is to be held down (shift, ctrl or alt)", where);
	if (act->kind == ACT_MOVE && (act->x >= screen->w || act->y >= screen->h))
		return why_fail(-1, why, "move %d,%d: the screen of x11:%s is %dx%d", act->x, act->y, where, screen->w, screen->h);
	memory_more(self->act, (size_t)self->acts);
	self->act[self->acts] = out;
	return self->acts++;
}

static void send_button(struct x11_target *self, const struct input_act *act, bool down)
{
	if (act->way != ACT_CLICK && !down)
		return;
	if (act->way != ACT_CLICK)
		down = act->way == ACT_DOWN;
	XTestFakeButtonEvent(self->send.display, (unsigned)act->button, down, 0);
	self->buttons = down ? self->buttons | 1u << act->button : self->buttons & ~(1u << act->button);
}

int x11_send_act(void *p, int number, bool down)
{
	struct x11_target *self = p;
	const struct x11_act *s = &self->act[number];

	if (s->act.kind == ACT_KEY) {
		x11_send_chord(self->send.display, &s->chord, down);
		atomic_store(&self->down, down ? number + 1 : 0);
	} else if (s->act.kind == ACT_BUTTON) {
		send_button(self, &s->act, down);
	} else if (down) {
		XTestFakeMotionEvent(self->send.display, -1, s->act.x, s->act.y, 0);
	}
	XFlush(self->send.display);
	return self->send.broken ? -EPIPE : 0;
}
