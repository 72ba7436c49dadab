// SPDX-License-Identifier: GPL-3.0-or-later
/* Finds the region in which echoes appear on an X display. */
#include "x11.h"
#include "clock.h"
#include "region_search.h"

#include <errno.h>

#define ANSWER_NS (3 * NS_PER_S) /* longest wait for the display to say which window has the keyboard */

static bool read_area(void *p, uint32_t *pixels, int w, int h)
{
	struct x11_target *self = p;

	if (!x11_pixels_read(&self->picture, &self->area))
		return false;
	x11_pixels_copy(&self->picture, w, h, pixels, (size_t)w);
	return true;
}

static bool type_key(void *p, int key, bool down)
{
	return (!down || !x11_check_keyboard(p, clock_now() + ANSWER_NS)) && !x11_send_act(p, key, down);
}

int x11_find_region(struct x11_target *self, const struct target_cfg *cfg, struct why *why)
{
	const struct region_search search = { .target = cfg,
					      .self = self,
					      .w = self->area.w,
					      .h = self->area.h,
					      .act = x11_add_act,
					      .read = read_area,
					      .type = type_key };
	struct pixel_area found = { 0 };
	int err = -1;

	if (x11_pixels_alloc(&self->picture, &self->watch, self->area.w, self->area.h))
		err = region_search(&search, &found, why);
	else
		why_say(why, "cannot read the pixels of x11:%s", cfg->where);
	x11_pixels_free(&self->picture);
	if (err == -EPIPE)
		return why_fail(-1, why, "the window lost the keyboard: leave it alone while it is measured");
	if (err || area_is_empty(&found))
		return err;
	self->area = (struct pixel_area){ self->area.x + found.x, self->area.y + found.y, found.w, found.h };
	self->limited = true;
	self->from = "found by typing";
	return 0;
}
