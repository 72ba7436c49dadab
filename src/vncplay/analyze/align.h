/* SPDX-License-Identifier: GPL-3.0-or-later */
/* align - which changes of a tile in several runs are the same one: equal content or an equal
 * change, in the same order, after about the same input.
 *
 * One run after the other is aligned with what the runs before have in common: of all monotone
 * pairings that with most pairs, and among those the one whose pairs are nearest in inputs and in
 * time since the input (a heaviest chain, found in n log n). No run is the reference: what a run
 * lacks stays missing there only. */
#ifndef THINPROBE_ALIGN_H
#define THINPROBE_ALIGN_H

#include "animation_mask.h"

#define ALIGN_RUNS 255		/* at most */
#define ALIGN_REACH 3		/* an answer may come so many inputs late in a slow run */
#define ALIGN_NONE UINT32_MAX

struct same {			/* one change */
	uint32_t tile;
	int32_t cause;		/* the input before it in the run where that is the earliest */
	uint8_t seen;		/* it is there more than once in all runs that have it */
	uint8_t members;	/* runs that have it */
};

struct sames {
	struct same *same;
	uint32_t *at;		/* same i in run r: at[i * runs + r] is its place in that run's updates, ALIGN_NONE: missing */
	size_t n;
	int runs;
};

struct align;
/* As unrest_new. */
struct align *align_new(int runs, const uint32_t *const *press_ms);
void align_free(struct align *a);
/* Adds what the runs have in common of this tile; changes that are masked are left out. 0 or -ENOMEM. */
int align_tile(struct align *a, uint32_t tile, const struct track *track, struct sames *out);
void sames_free(struct sames *s);

#endif
