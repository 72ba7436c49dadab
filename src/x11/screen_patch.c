// SPDX-License-Identifier: GPL-3.0-or-later
#include "screen_patch.h"

#include <math.h>

bool x11_read_number_shown_by_patch(struct x11_number_patch *p, uint32_t *number)
{
	return x11_screen_pixels_read(&p->picture, p->x, p->y, p->w, p->h) &&
	       patch_read_number_at(&(struct patch_searched_image){ p->w, p->h, x11_pixel_luminance, p->picture.image }, &p->place,
				    number);
}

bool x11_find_number_patch(struct x11_number_patch *p, Display *d, const _Atomic bool *broken, int x, int y, int w, int h,
			   double min_cell,
		    double max_cell, uint32_t *number)
{
	XImage *all = x11_read_screen_image(d, x, y, w, h);
	struct patch_place at;
	int right, bottom;
	bool found;

	if (!all)
		return false;
	found = patch_find_in_image(&(struct patch_searched_image){ w, h, x11_pixel_luminance, all }, min_cell, max_cell, &at, number);
	XDestroyImage(all);
	if (!found)
		return false;
	/* one pixel of margin on the left and above, two on the right and below, where cells of a fraction of a pixel may end */
	p->x = at.x ? at.x - 1 : 0;
	p->y = at.y ? at.y - 1 : 0;
	right = at.x + (int)ceil(at.cell * PATCH_COLUMNS) + 2;
	bottom = at.y + (int)ceil(at.cell * PATCH_ROWS) + 2;
	p->w = (right < w ? right : w) - p->x;
	p->h = (bottom < h ? bottom : h) - p->y;
	p->place = (struct patch_place){ at.x - p->x, at.y - p->y, at.cell };
	p->x += x;
	p->y += y;
	if (x11_screen_pixels_alloc(&p->picture, d, p->w, p->h) && x11_read_number_shown_by_patch(p, number))
		return true;
	x11_screen_pixels_free(&p->picture, *broken);
	return false;
}
