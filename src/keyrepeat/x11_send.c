/* Keys by XTEST, and the display's auto-repeat. */
#include "x11.h"
#include "cli.h"
#include "clock.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define KEYSYM_SHIFT 0xffe1
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
		if (!r->rate_changed) {
			snprintf(why, TARGET_WHY, "x11:%s has no XKB to set its auto-repeat: use --mode tap", cfg->where);
			return -1;
		}
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
		snprintf(why, TARGET_WHY, "x11:%s has no XTEST extension, so keys cannot be sent to it: start its server with it, or use vnc:", cfg->where);
		return -1;
	}
	self->shift = XKeysymToKeycode(self->send, KEYSYM_SHIFT);
	self->level3 = XKeysymToKeycode(self->send, KEYSYM_LEVEL3);
	return set_repeat(self, cfg, why);
}

void x11_send_close(struct x11 *self)
{
	if (self->repeat.changed && !self->send_broken)
		put_back(self->send, &self->repeat);
	/* It does not answer: what we have put back is on the way at best. */
	if (self->send_patience.watched && self->send_patience.watchdog.bitten)
		guard_leave(&self->guard);
	else
		guard_dismiss(&self->guard);
}

/* Which key gives the symbol, with as few modifiers as can be. */
static bool look_up(struct x11 *self, KeySym keysym, struct x11_stroke *out)
{
	int first, last;

	XDisplayKeycodes(self->send, &first, &last);
	for (unsigned level = 0; level < 4; level++) {
		*out = (struct x11_stroke){ .shift = level & 1, .level3 = level & 2 };
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

int x11_key(void *p, uint32_t keysym, char *why)
{
	struct x11 *self = p;

	if (self->keys == X11_KEYS_MAX) {
		snprintf(why, TARGET_WHY, "more than %d different keys", X11_KEYS_MAX);
		return -1;
	}
	if (!look_up(self, keysym, &self->stroke[self->keys])) {
		snprintf(why, TARGET_WHY, "the keyboard of x11:%s has no key for the symbol 0x%x: use another, or add it with setxkbmap",
			 DisplayString(self->send), (unsigned)keysym);
		return -1;
	}
	return self->keys++;
}

int x11_send_fd(void *p)
{
	return ConnectionNumber(((struct x11 *)p)->send);
}

int x11_send(void *p, int key, bool down)
{
	struct x11 *self = p;
	const struct x11_stroke *s = &self->stroke[key];

	/* One write: modifiers go down before the key and up after it. */
	if (down && s->shift)
		XTestFakeKeyEvent(self->send, self->shift, True, 0);
	if (down && s->level3)
		XTestFakeKeyEvent(self->send, self->level3, True, 0);
	XTestFakeKeyEvent(self->send, s->code, down, 0);
	if (!down && s->level3)
		XTestFakeKeyEvent(self->send, self->level3, False, 0);
	if (!down && s->shift)
		XTestFakeKeyEvent(self->send, self->shift, False, 0);
	XFlush(self->send);
	return self->send_broken ? -EPIPE : 0;
}
