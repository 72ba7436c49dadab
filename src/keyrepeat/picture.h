/* SPDX-License-Identifier: GPL-3.0-or-later */
/* picture - the picture that a library decodes, as a target watches it: which pixels an update changed, and the patch in it. */
#pragma once

#include "apart.h"
#include "observations.h"
#include "patch.h"

struct picture {
	struct apart_memory memory; /* 4 bytes a pixel, rows without a gap; the library writes it */
	int width, height;
	int red;		  /* the byte of a pixel that is red: 0, or 2 where blue is the first */
	bool patch;		  /* look for the patch, and do not compare pixels */
	struct pixel_area region; /* the part that is watched; empty: all */
	const char *region_from;  /* how it was chosen; NULL: given, if there is one */
	struct observations *seen;
	_Atomic int64_t painted; /* pixels of what was drawn, changed or not, since it was set to 0 */
	uint32_t *before;	 /* the picture before the update; NULL: none yet */
	int before_width, before_height;
	bool found; /* `place` is where the patch is */
	struct patch_place place;
};

/* Frees the pixels and allocates others, all 0. They stay where they are until the next call. False: no memory, or no such size;
 * the picture is as it was. */
bool picture_resize(struct picture *p, int width, int height);
/* The whole picture, or all of the region that is in it. */
struct pixel_area picture_watched(const struct picture *p);
const char *picture_region_from(const struct picture *p);
/* Copies it. False: it has another size. */
bool picture_copy(const struct picture *p, uint32_t *pixels, int w, int h);
/* Records that an update, seen at at_ns, has drawn in this area, of which the watched part counts. */
void picture_record(struct picture *p, int64_t at_ns, const struct pixel_area *drawn);
/* Searches the patch, which takes about 0.1 s. */
bool picture_find_patch(struct picture *p, int64_t at_ns);
void picture_free(struct picture *p);
