/* SPDX-License-Identifier: GPL-3.0-or-later */
/* screen_patch - finds a numbered patch (patch.h) on the screen and from then on reads only the rectangle around it. */
#pragma once

#include "patch.h"
#include "picture.h"

struct x11_number_patch {
	struct x11_screen_pixels picture;	/* of the rectangle; not open until the patch has been found */
	int x, y, w, h;			/* rectangle on the screen: the patch and a margin, in pixels */
	struct patch_place place;	/* of the patch within the rectangle */
};

/* Looks for a patch with cells of min_cell to max_cell pixels in the w x h pixels of the screen at x, y, and reads its number.
 * False: no patch, or not readable (half drawn, covered); the caller may try again. *broken: see x11_connect(). */
bool x11_find_number_patch(struct x11_number_patch *p, Display *d, const _Atomic bool *broken, int x, int y, int w, int h,
			   double min_cell,
		    double max_cell, uint32_t *number);
/* Reads the number that the patch shows now. False: half drawn, covered or moved. */
bool x11_read_number_shown_by_patch(struct x11_number_patch *p, uint32_t *number);
