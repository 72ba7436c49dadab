// SPDX-License-Identifier: GPL-3.0-or-later
#include "screen_patch.h"

#include <math.h>

bool x11_patch_read(struct x11_patch *p, uint32_t *number)
{
	return x11_picture_read(&p->picture, p->x, p->y, p->w, p->h) &&
	       patch_read(&(struct patch_image){ p->w, p->h, x11_luminance, p->picture.image }, &p->place, number);
}

bool x11_patch_find(struct x11_patch *p, Display *d, const _Atomic bool *broken, int x, int y, int w, int h, double min_cell,
		    double max_cell, uint32_t *number)
{
	XImage *all = x11_whole_image(d, x, y, w, h);
	struct patch_place at;
	int right, bottom;
	bool found;

	if (!all)
		return false;
	found = patch_find(&(struct patch_image){ w, h, x11_luminance, all }, min_cell, max_cell, &at, number);
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
	if (x11_picture_open(&p->picture, d, p->w, p->h) && x11_patch_read(p, number))
		return true;
	x11_picture_close(&p->picture, *broken);
	return false;
}
