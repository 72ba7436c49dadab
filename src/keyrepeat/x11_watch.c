// SPDX-License-Identifier: GPL-3.0-or-later
/* The echo: XDamage tells that something was drawn, the pixels themselves tell what. */
#include "x11.h"
#include "clock.h"
#include "proc.h"
#include "why.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool read_x11_patch(struct x11 *self, uint32_t *number)
{
	struct patch_image view = { self->patch.w, self->patch.h, x11_luminance, self->picture.image };

	return x11_picture_read(&self->picture, self->patch.x, self->patch.y, self->patch.w, self->patch.h) &&
	       patch_read(&view, &self->place, number);
}

/* Looks for the patch in the whole area; from then on only its rectangle is read. */
static bool place_patch(struct x11 *self)
{
	XImage *all = x11_whole_image(self->watch, self->area.x, self->area.y, self->area.w, self->area.h);
	struct patch_place place;
	struct patch_image view;
	struct region with_margin;
	uint32_t number;
	bool found;

	if (!all)
		return false;
	view = (struct patch_image){ all->width, all->height, x11_luminance, all };
	found = patch_find(&view, 2, 40, &place, &number);
	XDestroyImage(all);
	if (!found)
		return false;
	with_margin = (struct region){ self->area.x + place.x - 1, self->area.y + place.y - 1, (int)ceil(place.cell * PATCH_COLUMNS) + 3,
				       (int)ceil(place.cell * PATCH_ROWS) + 3 };
	self->patch = region_both(&self->area, &with_margin);
	self->place = (struct patch_place){ place.x + self->area.x - self->patch.x, place.y + self->area.y - self->patch.y, place.cell };
	return x11_picture_open(&self->picture, self->watch, self->patch.w, self->patch.h);
}

/* A first look may find the patch half drawn, or a window on the move: then it is looked for anew. */
static bool find_patch(struct x11 *self)
{
	uint32_t number;

	if (!place_patch(self))
		return false;
	if (!read_x11_patch(self, &number)) {
		x11_picture_close(&self->picture, self->watch_broken);
		return false;
	}
	observations_number(self->seen, clock_now(), number);
	return true;
}

/* The area as it is before the first key. */
static int keep_picture(struct x11 *self, char *why)
{
	size_t pixels = (size_t)self->area.w * (size_t)self->area.h;

	self->before = calloc(pixels, sizeof(*self->before));
	self->now = calloc(pixels, sizeof(*self->now));
	if (!self->before || !self->now || !x11_picture_open(&self->picture, self->watch, self->area.w, self->area.h) ||
	    !x11_picture_read(&self->picture, self->area.x, self->area.y, self->area.w, self->area.h))
		return why_write(-1, why, TARGET_WHY, "cannot read the pixels of x11:%s", DisplayString(self->send));
	x11_picture_copy(&self->picture, self->area.w, self->area.h, self->before, (size_t)self->area.w);
	return 0;
}

int x11_watch_open(struct x11 *self, const struct target_cfg *cfg, char *why)
{
	int error, event, major = 1, minor = 1, fixes = 5, fixes_minor = 0;
	int64_t until = clock_now() + cfg->patch_wait_ns;
	XEvent old;
	XRectangle area = { (short)self->area.x, (short)self->area.y, (unsigned short)self->area.w, (unsigned short)self->area.h };

	if (!XDamageQueryExtension(self->watch, &event, &error) || !XDamageQueryVersion(self->watch, &major, &minor) ||
	    !XFixesQueryVersion(self->watch, &fixes, &fixes_minor))
		return why_write(-1, why, TARGET_WHY,
				 "x11:%s has no DAMAGE extension, which tells what was drawn: use --watch none", cfg->where);
	self->damage_event = event + XDamageNotify;
	self->interest = XFixesCreateRegion(self->watch, &area, 1);
	self->parts = XFixesCreateRegion(self->watch, NULL, 0);
	/* On the root window it covers all windows; the "non-empty" level sends one event until we take it. */
	self->damage = XDamageCreate(self->watch, RootWindow(self->watch, DefaultScreen(self->watch)), XDamageReportNonEmpty);
	/* It starts with the whole screen as drawn anew: nobody's update. The event is thrown away first, so that what is drawn
	 * from the subtraction on makes one of its own. */
	XSync(self->watch, False);
	while (XCheckTypedEvent(self->watch, self->damage_event, &old))	/* and no other: those of the window are wanted */
		;
	XDamageSubtract(self->watch, self->damage, None, None);
	XSync(self->watch, False);
	if (cfg->watch == WATCH_UPDATE)
		return keep_picture(self, why);
	while (cfg->watch == WATCH_PATCH && !proc_stop && !find_patch(self)) {
		if (clock_now() > until || self->watch_broken)
			return why_write(-1, why, TARGET_WHY, "no patch on x11:%s: start refecho there, in sight", cfg->where);
		proc_wait_stop(clock_now() + 100 * NS_PER_MS);
	}
	return 0;
}

void x11_watch_close(struct x11 *self)
{
	x11_picture_close(&self->picture, self->watch_broken);
	free(self->before);
	free(self->now);
	self->before = self->now = NULL;
}

int x11_watch_fd(void *p)
{
	struct x11 *self = p;

	return self->watch ? ConnectionNumber(self->watch) : -1;
}

/* Takes what was damaged since, before pixels are read: what is drawn after the reading makes an event of its own. False
 * when none of it lies in the area. */
static bool take_damage(struct x11 *self, struct region *at)
{
	XRectangle bounds, *parts;
	int n = 0;

	if (self->mode == WATCH_PATCH && !self->limited) {	/* saves asking: only the patch will be read */
		XDamageSubtract(self->watch, self->damage, None, None);
		return true;
	}
	XDamageSubtract(self->watch, self->damage, None, self->parts);
	XFixesIntersectRegion(self->watch, self->parts, self->parts, self->interest);
	parts = XFixesFetchRegionAndBounds(self->watch, self->parts, &n, &bounds);
	if (parts)
		XFree(parts);
	*at = (struct region){ bounds.x, bounds.y, bounds.width, bounds.height };
	return parts && n > 0;
}

/* Of an update only what has changed pixels counts; and what it changed tells where a terminal's caret went. */
static void look_at_pixels(struct x11 *self, const struct region *at)
{
	size_t stride = (size_t)self->area.w;
	int x = at->x - self->area.x, y = at->y - self->area.y;
	size_t first = (size_t)y * stride + (size_t)x;
	struct caret_step step = { 0 };
	int below;

	if (!x11_picture_read(&self->picture, at->x, at->y, at->w, at->h)) {
		self->seen->steps_lost = true;
		return;
	}
	step.at_ns = clock_now();
	x11_picture_copy(&self->picture, at->w, at->h, self->now + first, stride);
	if (!caret_difference(self->before, self->now, stride, x, y, at->w, at->h, &step))
		return;
	observations_update(self->seen, step.at_ns);
	do {
		observations_step(self->seen, &step);
		below = step.bottom + 1;
	} while (caret_difference(self->before, self->now, stride, x, below, at->w, y + at->h - below, &step));
	for (int row = 0; row < at->h; row++, first += stride)
		memcpy(self->before + first, self->now + first, (size_t)at->w * sizeof(*self->now));
}

static void look_at_patch(struct x11 *self)
{
	uint32_t number;
	int64_t now;

	if (self->picture.image && read_x11_patch(self, &number)) {	/* none: a signal ended the search */
		now = clock_now();
		observations_number(self->seen, now, number);
	} else {
		now = clock_now();
		atomic_fetch_add(&self->seen->unreadable, 1);
	}
	observations_update(self->seen, now);
}

int x11_handle(void *p)
{
	struct x11 *self = p;

	if (!self->watch)
		return 0;
	while (XEventsQueued(self->watch, QueuedAfterReading) > 0 && !self->watch_broken) {
		struct region at = { 0 };
		bool drawn = false;

		while (XEventsQueued(self->watch, QueuedAlready) > 0) {
			XEvent event;

			XNextEvent(self->watch, &event);
			if (self->damage && event.type == self->damage_event)
				drawn = true;
			else if (self->window)
				x11_window_event(self, &event);
		}
		if (!drawn || !take_damage(self, &at))
			continue;
		if (self->mode == WATCH_PATCH)
			look_at_patch(self);
		else
			look_at_pixels(self, &at);
	}
	return self->watch_broken ? -EPIPE : 0;
}
