// SPDX-License-Identifier: GPL-3.0-or-later
/* Watches for echoes: the DAMAGE extension reports that something was drawn, the pixels show what changed. */
#include "x11.h"
#include "clock.h"
#include "proc.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static bool find_and_record_patch_number(struct x11_target *self)
{
	uint32_t number;

	if (!x11_find_number_patch(&self->patch, &self->watch, &self->area, X11_PATCH_CELL_MAX, &number))
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
	if (!self->before || !self->now || !x11_screen_pixels_alloc(&self->picture, &self->watch, self->area.w, self->area.h) ||
	    !x11_screen_pixels_read(&self->picture, &self->area))
		return fail_with_reason(-1, why, "cannot read the pixels of x11:%s", DisplayString(self->send.display));
	x11_screen_pixels_copy_to_rgb(&self->picture, self->area.w, self->area.h, self->before, (size_t)self->area.w);
	return 0;
}

int x11_start_watching_screen(struct x11_target *self, const struct target_cfg *cfg, struct why *why)
{
	int64_t until = clock_now() + cfg->patch_wait_ns;

	if (!x11_watch_start(&self->drawing, &self->watch, "use --watch none", why))
		return -1;
	if (cfg->watch == WATCH_UPDATE)
		return read_first_picture(self, why);
	while (!proc_stop && !find_and_record_patch_number(self)) {
		if (clock_now() > until || self->watch.broken)
			return fail_with_reason(-1, why, "no patch on x11:%s: start refecho there, in sight", cfg->where);
		proc_sleep_until_or_stop(clock_now() + 100 * NS_PER_MS);
	}
	return 0;
}

void x11_free_watched_pixels(struct x11_target *self)
{
	x11_screen_pixels_free(&self->picture);
	x11_screen_pixels_free(&self->patch.picture);
	free(self->before);
	free(self->now);
}

/* Takes the bounding box of the drawing in the area since the last call. False: none. */
static bool fetch_box_of_drawing(struct x11_target *self, struct pixel_area *at)
{
	XRectangle *parts;
	int n;

	if (self->mode == WATCH_PATCH && !self->limited) {	/* only the patch will be read: saves a round trip to the server */
		x11_watch_rearm(&self->drawing);
		return true;
	}
	parts = x11_watch_fetch(&self->drawing, &n);
	*at = x11_bound_rectangles(parts, n, &self->area);
	if (parts)
		XFree(parts);
	return !area_is_empty(at);
}

static void record_drawn_pixels(struct x11_target *self, const struct pixel_area *at)
{
	size_t stride = (size_t)self->area.w;
	struct pixel_area inside = { at->x - self->area.x, at->y - self->area.y, at->w, at->h };
	int64_t now;

	if (!x11_screen_pixels_read(&self->picture, at)) {
		self->seen->steps_lost = true;
		return;
	}
	now = clock_now();
	x11_screen_pixels_copy_to_rgb(&self->picture, at->w, at->h, self->now + (size_t)inside.y * stride + inside.x, stride);
	observations_compare_pictures(self->seen, now, self->before, self->now, stride, &inside);
}

static void record_patch_number_shown(struct x11_target *self)
{
	uint32_t number;
	/* no image: a signal ended the search for the patch */
	bool read = self->patch.picture.image && x11_read_number_shown_by_patch(&self->patch, &number);
	int64_t now = clock_now();

	if (read)
		observations_add_patch_number(self->seen, now, number);
	else
		atomic_fetch_add(&self->seen->unreadable, 1);
	observations_add_update(self->seen, now);
}

int x11_handle_display_events(void *p)
{
	struct x11_target *self = p;
	bool come = self->watch.display;

	while (come && !self->watch.broken) {
		struct pixel_area at = { 0 };
		bool drawn = false;
		XEvent event;

		for (come = false; x11_take_event(&self->watch, &event); come = true) {
			if (self->drawing.damage && event.type == self->drawing.event)
				drawn = true;
			else if (self->window)
				x11_handle_window_event(self, &event);
		}
		if (!drawn || !fetch_box_of_drawing(self, &at))
			continue;
		if (self->mode == WATCH_PATCH)
			record_patch_number_shown(self);
		else
			record_drawn_pixels(self, &at);
	}
	return self->watch.broken ? -EPIPE : 0;
}
