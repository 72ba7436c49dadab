// SPDX-License-Identifier: GPL-3.0-or-later
#include "screen_patch.h"

#include <math.h>

bool x11_patch_read(struct x11_patch *p, uint32_t *number)
{
	return x11_pixels_read(&p->picture, &p->area) &&
	       patch_read(&(struct patch_image){ p->area.w, p->area.h, x11_luminance, p->picture.image }, &p->place, number);
}

bool x11_patch_find(struct x11_patch *p, struct x11_connection *x, const struct pixel_area *in, double max_cell, uint32_t *number)
{
	XImage *all = x11_read_image(x, in);
	struct patch_place at;
	struct pixel_area patch;
	bool found;

	if (!all)
		return false;
	found = patch_find(&(struct patch_image){ in->w, in->h, x11_luminance, all }, 3, max_cell, &at, number);
	XDestroyImage(all);
	if (!found)
		return false;
	/* one pixel of margin on the left and above, two on the right and below, where cells of a fraction of a pixel may end */
	patch = (struct pixel_area){ in->x + at.x - 1, in->y + at.y - 1, (int)ceil(at.cell * PATCH_COLUMNS) + 3,
				     (int)ceil(at.cell * PATCH_ROWS) + 3 };
	p->area = area_intersect(&patch, in);
	p->place = (struct patch_place){ in->x + at.x - p->area.x, in->y + at.y - p->area.y, at.cell };
	if (x11_pixels_alloc(&p->picture, x, p->area.w, p->area.h) && x11_patch_read(p, number))
		return true;
	x11_pixels_free(&p->picture);
	return false;
}
