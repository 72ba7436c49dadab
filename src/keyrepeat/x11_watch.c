// SPDX-License-Identifier: GPL-3.0-or-later
/* Watches for echoes: the DAMAGE extension reports that something was drawn, the pixels show what changed. */
#include "x11.h"
#include "clock.h"
#include "proc.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define CELL_LEAST 2	/* pixels of a patch cell */
#define CELL_MOST 40

static bool find_and_record_patch_number(struct x11_target *self)
{
	const struct screen_region *at = &self->area;
	uint32_t number;

	if (!x11_find_number_patch(&self->patch, self->watch, &self->watch_broken, at->x, at->y, at->w, at->h, CELL_LEAST, CELL_MOST,
				   &number))
		return false;
	observations_add_patch_number(self->seen, clock_now(), number);
	return true;
}

/* Reads the area as it is before the first key. */
static int read_first_picture(struct x11_target *self, struct why *why)
{
	size_t pixels = (size_t)self->area.w * (size_t)self->area.h;

	self->before = calloc(pixels, sizeof(*self->before));
	self->now = calloc(pixels, sizeof(*self->now));
	if (!self->before || !self->now || !x11_screen_pixels_alloc(&self->picture, self->watch, self->area.w, self->area.h) ||
	    !x11_screen_pixels_read(&self->picture, self->area.x, self->area.y, self->area.w, self->area.h))
		return fail_with_reason(-1, why, "cannot read the pixels of x11:%s", DisplayString(self->send));
	x11_screen_pixels_copy_to_rgb(&self->picture, self->area.w, self->area.h, self->before, (size_t)self->area.w);
	return 0;
}

int x11_start_watching_screen(struct x11_target *self, const struct target_cfg *cfg, struct why *why)
{
	int error, event, major = 1, minor = 1, fixes = 5, fixes_minor = 0;
	int64_t until = clock_now() + cfg->patch_wait_ns;
	XEvent old;
	XRectangle area = { (short)self->area.x, (short)self->area.y, (unsigned short)self->area.w, (unsigned short)self->area.h };

	if (!XDamageQueryExtension(self->watch, &event, &error) || !XDamageQueryVersion(self->watch, &major, &minor) ||
	    !XFixesQueryVersion(self->watch, &fixes, &fixes_minor))
		return fail_with_reason(-1, why,
				 "x11:%s has no DAMAGE extension, which reports what was drawn: use --watch none", cfg->where);
	self->damage_event = event + XDamageNotify;
	self->interest = XFixesCreateRegion(self->watch, &area, 1);
	self->parts = XFixesCreateRegion(self->watch, NULL, 0);
	/* On the root window, damage covers all windows; "non-empty" sends one event, and the next after XDamageSubtract(). */
	self->damage = XDamageCreate(self->watch, RootWindow(self->watch, DefaultScreen(self->watch)), XDamageReportNonEmpty);
	/* A new damage object begins with the whole screen as damaged: discarded here. First its event, so that drawing after
	 * XDamageSubtract() raises a new one. */
	XSync(self->watch, False);
	while (XCheckTypedEvent(self->watch, self->damage_event, &old))
		;
	XDamageSubtract(self->watch, self->damage, None, None);
	XSync(self->watch, False);
	if (cfg->watch == WATCH_UPDATE)
		return read_first_picture(self, why);
	while (cfg->watch == WATCH_PATCH && !proc_stop && !find_and_record_patch_number(self)) {
		if (clock_now() > until || self->watch_broken)
			return fail_with_reason(-1, why, "no patch on x11:%s: start refecho there, in sight", cfg->where);
		proc_sleep_until_or_stop(clock_now() + 100 * NS_PER_MS);
	}
	return 0;
}

void x11_free_watched_pixels(struct x11_target *self)
{
	x11_screen_pixels_free(&self->picture, self->watch_broken);
	x11_screen_pixels_free(&self->patch.picture, self->watch_broken);
	free(self->before);
	free(self->now);
}

int x11_target_fd_to_watch(void *p)
{
	struct x11_target *self = p;

	return self->watch ? ConnectionNumber(self->watch) : -1;
}

/* Takes the bounding box of the damage since the last call. Called before pixels are read, so that drawing after the reading raises
 * a new event. False: no damage in the area. */
static bool fetch_box_of_new_damage(struct x11_target *self, struct screen_region *at)
{
	XRectangle bounds, *parts;
	int n = 0;

	if (self->mode == WATCH_PATCH && !self->limited) {	/* only the patch will be read: saves a round trip to the server */
		XDamageSubtract(self->watch, self->damage, None, None);
		return true;
	}
	XDamageSubtract(self->watch, self->damage, None, self->parts);
	XFixesIntersectRegion(self->watch, self->parts, self->parts, self->interest);
	parts = XFixesFetchRegionAndBounds(self->watch, self->parts, &n, &bounds);
	if (parts)
		XFree(parts);
	*at = (struct screen_region){ bounds.x, bounds.y, bounds.width, bounds.height };
	return parts && n > 0;
}

/* Compares the pixels that were drawn with those before. Only changed pixels count as an update; they also show where the caret of
 * a terminal went. */
static void compare_and_record_drawn_pixels(struct x11_target *self, const struct screen_region *at)
{
	size_t stride = (size_t)self->area.w;
	int x = at->x - self->area.x, y = at->y - self->area.y;
	size_t first = (size_t)y * stride + (size_t)x;
	struct caret_step_changed_pixels step = { 0 };
	int below;

	if (!x11_screen_pixels_read(&self->picture, at->x, at->y, at->w, at->h)) {
		self->seen->steps_lost = true;
		return;
	}
	step.at_ns = clock_now();
	x11_screen_pixels_copy_to_rgb(&self->picture, at->w, at->h, self->now + first, stride);
	if (!caret_compare_to_find_changed_rows(self->before, self->now, stride, x, y, at->w, at->h, &step))
		return;
	observations_add_update(self->seen, step.at_ns);
	do {
		observations_add_changed_pixels(self->seen, &step);
		below = step.bottom + 1;
	} while (caret_compare_to_find_changed_rows(self->before, self->now, stride, x, below, at->w, y + at->h - below, &step));
	for (int row = 0; row < at->h; row++, first += stride)
		memcpy(self->before + first, self->now + first, (size_t)at->w * sizeof(*self->now));
}

static void record_patch_number_shown(struct x11_target *self)
{
	uint32_t number;
	int64_t now;

	/* no image: a signal ended the search for the patch */
	if (self->patch.picture.image && x11_read_number_shown_by_patch(&self->patch, &number)) {
		now = clock_now();
		observations_add_patch_number(self->seen, now, number);
	} else {
		now = clock_now();
		atomic_fetch_add(&self->seen->unreadable, 1);
	}
	observations_add_update(self->seen, now);
}

int x11_handle_display_events(void *p)
{
	struct x11_target *self = p;

	if (!self->watch)
		return 0;
	while (XEventsQueued(self->watch, QueuedAfterReading) > 0 && !self->watch_broken) {
		struct screen_region at = { 0 };
		bool drawn = false;

		while (XEventsQueued(self->watch, QueuedAlready) > 0) {
			XEvent event;

			XNextEvent(self->watch, &event);
			if (self->damage && event.type == self->damage_event)
				drawn = true;
			else if (self->window)
				x11_handle_window_event(self, &event);
		}
		if (!drawn || !fetch_box_of_new_damage(self, &at))
			continue;
		if (self->mode == WATCH_PATCH)
			record_patch_number_shown(self);
		else
			compare_and_record_drawn_pixels(self, &at);
	}
	return self->watch_broken ? -EPIPE : 0;
}
