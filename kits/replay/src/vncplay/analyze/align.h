/* SPDX-License-Identifier: GPL-3.0-or-later */
/* align - which changes of a tile in several runs are the same one: equal content or an equal change, in the same order, after
 * about the same input.
 *
 * Each run is aligned with the sequence that the runs before it have in common. Of all monotone pairings the one with most pairs
 * is taken, and among those the one whose pairs are nearest in inputs and in time since the input (a heaviest chain, found in
 * O(n log n)). No run is the reference: a change that one run lacks is missing in that run only. */
#pragma once

#include "animation_mask.h"

#define ALIGN_RUNS 255	      /* runs that can be aligned, at most */
#define ALIGN_REACH 3	      /* inputs by which the causes of two equal changes may differ: a slow run may respond late */
#define ALIGN_NONE UINT32_MAX /* in place of an update: this run lacks the change */

struct common_change { /* a change of a tile that several runs have in common */
	uint32_t tile;
	int32_t cause; /* number of the last input before the change, in the run where that number is least */
	uint8_t seen;  /* 1: the change occurs more than once in every run that has it */
};

struct common_changes {
	struct common_change *change;
	uint32_t *at; /* at[i * runs + r]: the update of run r that has change i; ALIGN_NONE: none has */
	size_t n;
	int runs;
};

struct aligner;
/* press_ms as for animation_new. */
struct aligner *aligner_new(int runs, const uint32_t *const *press_ms);
void aligner_free(struct aligner *a);
/* Appends the changes of one tile that at least two runs have in common; masked changes are left out. */
void align_tile(struct aligner *a, uint32_t tile, const struct tile_changes *track, struct common_changes *out);
void common_changes_free(struct common_changes *s);
