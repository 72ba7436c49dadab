// SPDX-License-Identifier: GPL-3.0-or-later
/* Watches for echoes: the DAMAGE extension reports that something was drawn, the pixels show what changed. */
#include "x11.h"
#include "clock.h"
#include "memory.h"
#include "proc.h"

#include <errno.h>

static bool find_patch(struct x11_target *self)
{
	uint32_t number;

	if (!x11_patch_find(&self->patch, &self->watch, &self->area, X11_PATCH_CELL_MAX, &number))
		return false;
	observations_add_number(self->seen, clock_now(), number);
	return true;
}

/* Reads the area as it is before the first key. */
static int read_picture(struct x11_target *self, struct why *why)
{
	size_t pixels = (size_t)self->area.w * (size_t)self->area.h;

	self->before = memory_new(pixels, sizeof(*self->before));
	self->now = memory_new(pixels, sizeof(*self->now));
	observations_begin_picture(self->seen, &(struct pixel_area){ 0, 0, self->area.w, self->area.h });
	if (!x11_pixels_alloc(&self->picture, &self->watch, self->area.w, self->area.h) ||
	    !x11_pixels_read(&self->picture, &self->area))
		return why_fail(-1, why, "cannot read the pixels of x11:%s", DisplayString(self->send.display));
	x11_pixels_copy(&self->picture, self->area.w, self->area.h, self->before, (size_t)self->area.w);
	return 0;
}

int x11_start_watching(struct x11_target *self, const struct target_cfg *cfg, struct why *why)
{
	int64_t until = clock_now() + cfg->patch_wait_ns;

	if (!x11_damage_start(&self->drawing, &self->watch, "use --watch none", why))
		return -1;
	if (cfg->watch == WATCH_UPDATE)
		return read_picture(self, why);
	while (!proc_stop && !find_patch(self)) {
		if (clock_now() > until || self->watch.broken)
			return why_fail(-1, why, "no patch on x11:%s: start refecho there, in sight", cfg->where);
		proc_sleep(clock_now() + 100 * NS_PER_MS);
	}
	return 0;
}

void x11_free_pixels(struct x11_target *self)
{
	x11_pixels_free(&self->picture);
	x11_pixels_free(&self->patch.picture);
	free(self->before);
	free(self->now);
}

/* Takes the bounding box of the drawing in the area since the last call. False: none. */
static bool fetch_drawn_box(struct x11_target *self, struct pixel_area *at)
{
	XRectangle *parts;
	int n;

	if (self->mode == WATCH_PATCH && !self->limited) { /* only the patch will be read: saves a round trip to the server */
		x11_damage_rearm(&self->drawing);
		return true;
	}
	parts = x11_damage_fetch(&self->drawing, &n);
	*at = x11_bound_parts(parts, n, &self->area);
	if (parts)
		XFree(parts);
	return !area_is_empty(at);
}

static void record_drawing(struct x11_target *self, const struct pixel_area *at)
{
	size_t stride = (size_t)self->area.w;
	struct pixel_area inside = { at->x - self->area.x, at->y - self->area.y, at->w, at->h };
	int64_t now;

	if (!x11_pixels_read(&self->picture, at)) {
		self->seen->steps_lost = true;
		return;
	}
	now = clock_now();
	x11_pixels_copy(&self->picture, at->w, at->h, self->now + (size_t)inside.y * stride + inside.x, stride);
	observations_record_changes(self->seen, now, self->before, self->now, stride, &inside);
}

static void record_patch(struct x11_target *self)
{
	uint32_t number;
	/* no image: a signal ended the search for the patch */
	bool read = self->patch.picture.image && x11_patch_read(&self->patch, &number);
	int64_t now = clock_now();

	if (read)
		observations_add_number(self->seen, now, number);
	else
		observations_add_unreadable(self->seen);
	observations_add_update(self->seen, now);
}

int x11_handle_events(void *p)
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
				x11_note_window_event(self, &event);
		}
		if (!drawn || !fetch_drawn_box(self, &at))
			continue;
		if (self->mode == WATCH_PATCH)
			record_patch(self);
		else
			record_drawing(self, &at);
	}
	return self->watch.broken ? -EPIPE : 0;
}
