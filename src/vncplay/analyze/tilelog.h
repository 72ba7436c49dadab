/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tilelog - which tiles of a screen changed when, and to what: all that the analysis keeps of a log, instead of frames.
 *
 * A tile is 16 x 16 pixels, its content a hash of 64 bits. What is painted but stays the same is no
 * change; what is painted several times within one millisecond is looked at once. A tile that goes
 * on changing faster than TILELOG_RATE is restless: after TILELOG_BURST changes it is looked at now
 * and then only, and its changes are no longer listed until it has become quieter, so that a log of
 * scrolling text takes no more memory than its quiet parts. Two different tiles of the same screen
 * have equal hashes with a probability of about 2^-60. */
#ifndef THINPROBE_TILELOG_H
#define THINPROBE_TILELOG_H

#include "vncplay/common/screen.h"

#include <stddef.h>
#include <stdint.h>

#define TILE_SIDE 16
#define TILE_COLUMNS (SCREEN_SIDE_MOST / TILE_SIDE)	/* a tile's number is row * TILE_COLUMNS + column, whatever the screen's size */
#define TILELOG_RATE 4		/* changes a second */
#define TILELOG_BURST 160

struct tilelog_update {	/* what became visible in one millisecond */
	uint32_t ms;
	uint32_t first;	/* its changes, up to those of the next one */
};

struct tile_state {
	uint64_t content;
	uint32_t quiet_ms;	/* when its changes would be used up at TILELOG_RATE */
	uint32_t unlisted;	/* changes that were counted only */
	uint32_t looked_ms;
	uint8_t restless, dirty;
};

struct tilelog {
	int columns, rows;	/* of tiles, now */
	struct tile_state *tile;	/* columns * rows */
	uint32_t *dirty;	/* places in `tile` that were painted since the last look */
	size_t n_dirty;
	uint32_t *changed;	/* of every change: the tile's number */
	uint64_t *content;	/* ... and what it shows from then on */
	size_t n;
	struct tilelog_update *update;
	size_t n_updates;
	uint64_t unlisted;	/* changes of restless tiles */
	int err;		/* -ENOMEM: what comes after is not in it */
};

void tilelog_free(struct tilelog *t);
void tilelog_resize(struct tilelog *t, int width, int height);
void tilelog_paint(struct tilelog *t, struct box box);	/* clipped to the screen by the caller */
/* What was painted is on the screen since `ms`; times never go back. */
void tilelog_look(struct tilelog *t, const struct screen *s, uint32_t ms);

/* The hash of a tile of w x h pixels, at most 16 each. */
uint64_t tilelog_hash(const uint32_t *pixels, int stride, int w, int h);

#endif
