/* SPDX-License-Identifier: GPL-3.0-or-later */
/* screen_patch - finds a numbered patch (patch.h) on the screen and from then on reads only the rectangle around it. */
#pragma once

#include "patch.h"
#include "picture.h"

struct x11_patch {
	struct x11_pixels picture; /* of the rectangle; not open until the patch has been found */
	struct pixel_area area;	   /* on the screen: the patch and a margin */
	struct patch_place place;  /* of the patch within the rectangle */
};

/* Looks for a patch with cells of 3 to max_cell pixels in a part of the screen, and reads its number. False: no patch, or not
 * readable (half drawn, covered); the caller may try again. */
#define X11_PATCH_CELL_MAX 40
bool x11_patch_find(struct x11_patch *p, struct x11_connection *x, const struct pixel_area *in, double max_cell, uint32_t *number);
/* Reads the number that the patch shows now. False: half drawn, covered or moved. */
bool x11_patch_read(struct x11_patch *p, uint32_t *number);
