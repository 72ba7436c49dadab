/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tilelog - lists which tiles of a screen changed when, and to what content. The analysis keeps this list instead of frames.
 *
 * A tile is 16 x 16 pixels, its content a hash of 64 bits. Painting that leaves the pixels as they were is no change; all
 * painting within one millisecond, unless an input was sent meanwhile, is compared once. A tile that keeps changing faster than
 * TILELOG_RATE is restless: after TILELOG_BURST changes it is compared only every 120 ms and its changes are counted but not
 * listed until it slows down, so that scrolling text takes no more memory than the quiet parts of a log. Two different tiles have
 * equal hashes with a probability of about 2^-60. */
#pragma once

#include "screen.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TILE_SIDE 16				    /* pixels */
#define TILE_COLUMNS (SCREEN_SIDE_MOST / TILE_SIDE) /* a tile's number is row * TILE_COLUMNS + column, whatever the screen's size */
#define TILELOG_RATE 4				    /* changes of a tile per second that are always listed */
#define TILELOG_BURST 160 /* changes of a tile above TILELOG_RATE that are listed before it counts as restless */

struct tilelog_update { /* the changes that became visible together */
	int64_t us;	/* since the log began */
	uint32_t ms;	/* the same, rounded down */
	uint32_t first; /* number of its first change; its last is the one before the next update's first */
};

struct tile_state {
	uint64_t content;	 /* hash of the pixels */
	uint32_t quiet_ms;	 /* when the changes so far would be used up at TILELOG_RATE; ms since the log began */
	uint32_t unlisted;	 /* changes that were counted but not listed */
	uint32_t looked_ms;	 /* when the tile was compared last, ms since the log began */
	uint8_t restless, dirty; /* dirty: painted since it was compared */
};

struct tilelog {
	int columns, rows;	 /* of the present screen, in tiles */
	struct tile_state *tile; /* columns * rows */
	uint32_t *dirty;	 /* indices in `tile` of the dirty tiles */
	size_t n_dirty;
	uint32_t *changed; /* for each change: the tile's number */
	uint64_t *content; /* for each change: the tile's new content */
	size_t n;	   /* changes */
	struct tilelog_update *update;
	size_t n_updates;
	uint64_t unlisted; /* changes of restless tiles that were not listed */
};

void tilelog_free(struct tilelog *t);
void tilelog_resize(struct tilelog *t, int width, int height);	   /* pixels; all tiles become dirty */
void tilelog_mark_dirty(struct tilelog *t, struct pixel_area box); /* marks tiles as dirty; the caller clips `box` to the screen */
/* Compares the dirty tiles with the screen and lists those that changed at `us` (since the log began; never decreasing). */
void tilelog_compare(struct tilelog *t, const struct screen *s, int64_t us);

/* The hash of a tile of w x h pixels, each at most TILE_SIDE; `stride`: pixels from one row to the next. */
uint64_t tilelog_hash(const uint32_t *pixels, int stride, int w, int h);
