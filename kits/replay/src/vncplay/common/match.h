/* SPDX-License-Identifier: GPL-3.0-or-later */
/* match - whether the screen shows a snapshot at its place, or elsewhere nearby. Pure. */
#pragma once

#include "screen.h"

#include <stdbool.h>
#include <stdint.h>

#define MATCH_MASKS 256	  /* masks at most */
#define MATCH_TOLERANCE 8 /* defaults of match_cfg */
#define MATCH_SHARE 3
#define MATCH_RADIUS 256 /* the largest radius of a search, pixels */

struct match_cfg {
	int tolerance;			/* red, green and blue (0 to 255) may differ by this much each */
	double share;			/* percentage of the compared pixels that may differ: 0 to 100 */
	const struct pixel_area *masks; /* parts of the screen that are not compared */
	int n_masks;
};

/* The first mask that lies completely outside of a screen of this size; NULL: none. */
const struct pixel_area *match_find_stray_mask(const struct pixel_area *masks, int n, int width, int height);

struct mismatch_count {
	int of;		/* pixels compared; 0: all are masked, which is a match */
	int mismatched; /* pixels that differ, among them those outside of the screen */
};

/* Compares a snapshot (box.w * box.h pixels) with the screen at `box` moved by dx, dy. Masks do not move; TRACE_ANY pixels are
 * not compared. Stops when more than `most` pixels differ: a search tries many places. */
struct mismatch_count match_count_mismatches(const struct match_cfg *cfg, const struct screen *s, struct pixel_area box,
					     const uint32_t *pixels, int dx, int dy, int most);
bool match_is_close(const struct match_cfg *cfg, struct mismatch_count seen);

enum match_found { MATCH_NOWHERE, MATCH_FLAT, MATCH_AMBIGUOUS, MATCH_MOVED };
/* Searches for the snapshot within `radius` pixels each way. MATCH_FLAT: the snapshot has too little texture (nine tenths are
 * of one colour, or it looks the same two pixels further); MATCH_AMBIGUOUS: it matches at several places that do not touch.
 * Sets *dx, *dy and *seen for MATCH_MOVED only. */
enum match_found match_search(const struct match_cfg *cfg, const struct screen *s, struct pixel_area box, const uint32_t *pixels,
			      int radius, int *dx, int *dy, struct mismatch_count *seen);
