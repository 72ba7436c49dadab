/* SPDX-License-Identifier: GPL-3.0-or-later */
/* unrest - which changes of a tile go on by themselves (a caret, a clock, an animation, scrolling
 * text) and are no answer to an input.
 *
 * An answer follows its input, once; what goes on by itself comes several times between two inputs,
 * early and late alike. That is counted for the inputs around each change, apart for content that
 * the tile shows several times (a caret) and content that is there once (noise, text): a letter
 * that appears where a caret blinks stays. With several runs a tile is restless at an input only
 * where it is so in all runs but one (in both, of two): in a slow run answers may pile up. */
#ifndef THINPROBE_UNREST_H
#define THINPROBE_UNREST_H

#include "tilelog.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { UNREST_NEW = 1, UNREST_BACK };

struct track_change {		/* one change of a tile in one run */
	uint32_t ms;		/* when */
	uint32_t update;	/* its place in the run's updates */
	uint64_t content;	/* what the tile showed from then on */
	uint64_t change;	/* ... less what it showed before: what changed, whatever else it shows */
	int32_t after;		/* which input came last before it; -1: none */
	uint8_t seen;		/* out: this change is there more than once in this tile, or its content was there before */
	uint8_t masked;		/* out: goes on by itself: UNREST_NEW or, where it shows what it has shown, UNREST_BACK; 0: does not */
};

struct track {			/* what one tile did in one run; ascending in time */
	size_t n;
	struct track_change *change;
};

struct unrest;

/* For runs of `inputs` inputs; press_ms[run][i] is when input i was, press_ms[run][inputs] when the
 * run ended. Not copied. NULL: no memory. */
struct unrest *unrest_new(int runs, int inputs, const uint32_t *const *press_ms);
void unrest_free(struct unrest *u);
void unrest_mark(struct unrest *u, const struct track *track);	/* one for each run */

/* Neighbours: what changes together with tiles that go on by themselves, and touches them, goes on by
 * itself, too: the tens of a clock beside its seconds, the edge of an animation. Of tiles that
 * touch each other and change in one update all are masked where at most three, or an eighth, and
 * no more than half are not; but a few tiles of which some only blink may be a letter with its
 * caret. */
struct kin;

struct kin *kin_new(int columns, int rows);	/* of tiles, at most; NULL: no memory */
void kin_free(struct kin *k);
/* Of one run, whose changes are sorted otherwise: change i of the log is change[place[i]]. */
void mask_neighbours(struct kin *k, const struct tilelog *tiles, const uint32_t *place, struct track_change *change);

#endif
