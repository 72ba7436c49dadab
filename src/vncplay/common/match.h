/* SPDX-License-Identifier: GPL-3.0-or-later */
/* match - whether a screen shows what a snapshot shows, and where else nearby it does. Pure. */
#ifndef THINPROBE_MATCH_H
#define THINPROBE_MATCH_H

#include "screen.h"

#include <stdbool.h>
#include <stdint.h>

#define MATCH_MASKS 256		/* that may be given */
#define MATCH_TOLERANCE 8	/* what is alike, unless asked for otherwise: see match_cfg */
#define MATCH_SHARE 3
#define MATCH_RADIUS 256	/* pixels; the most that is searched */

struct match_cfg {
	int tolerance;		/* two values of a channel (0 to 255) that differ by at most this are the same */
	double share;		/* of the pixels that count, so many hundredths may differ: 0 to 100 */
	const struct box *masks;	/* of the screen: pixels that never count */
	int n_masks;
};

/* The first of these masks of which no pixel is on a screen of this size; NULL: none is such. */
const struct box *match_mask_beside(const struct box *masks, int n, int width, int height);

struct match_count {
	int of;			/* pixels that count; 0: all of them are masked, which matches */
	int mismatched;		/* pixels that differ; those beyond the screen's edge do */
};

/* The snapshot (`box` of the screen it was taken from, box.w * box.h pixels) against the screen,
 * moved by dx, dy. Masks stay where they are; pixels that are TRACE_ANY never count. */
struct match_count match_compare(const struct match_cfg *cfg, const struct screen *s, struct box box,
			     const uint32_t *pixels, int dx, int dy);
bool match_accepts(const struct match_cfg *cfg, struct match_count seen);

enum match_found { MATCH_NOWHERE, MATCH_FLAT, MATCH_AMBIGUOUS, MATCH_MOVED };
/* Looks for the one place within `radius` pixels (each way) that shows the snapshot. MATCH_FLAT:
 * the snapshot has too little that could be told from other places (nine tenths of it are of one
 * colour, or it looks the same two pixels further); MATCH_AMBIGUOUS: several places that do not
 * touch. Only MATCH_MOVED sets *dx, *dy and *seen: what to press there for is the caller's. */
enum match_found match_search(const struct match_cfg *cfg, const struct screen *s, struct box box,
			      const uint32_t *pixels, int radius, int *dx, int *dy, struct match_count *seen);

#endif
