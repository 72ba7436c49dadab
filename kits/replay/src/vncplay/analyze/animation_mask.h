/* SPDX-License-Identifier: GPL-3.0-or-later */
/* animation_mask - masks changes of a tile that go on without input (a caret, a clock, an animation, scrolling text) and so are
 * no response to one.
 *
 * A response follows its input once; an animation changes its tile several times between two inputs, early and late alike. Such
 * bursts of changes are counted around each input, separately for content that the tile shows repeatedly (a caret) and content
 * that occurs once (noise, text): a letter that appears where a caret blinks is not masked. With several runs, a tile is masked
 * at an input only where all runs but one agree (both, of two): in a slow run responses may pile up. */
#pragma once

#include "vncplay/common/tilelog.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MASKED_NEW = 1, MASKED_REPEATED }; /* a masked change whose content is new, or was shown before */

struct tile_change {	  /* one change of a tile in one run */
	uint32_t ms;	  /* when, ms since the log began */
	uint32_t update;  /* number of the update that brought it, in its run */
	uint64_t content; /* hash of the tile from then on */
	uint64_t change;  /* content less the content before: the same for equal changes of different tiles */
	int32_t after;	  /* number of the last input before the change; -1: none */
	uint8_t seen;	  /* out, 1: the tile has this change several times, or had this content before */
	uint8_t masked;	  /* out: MASKED_NEW or MASKED_REPEATED; 0: not masked */
};

struct tile_changes { /* the changes of one tile in one run, ascending in time */
	size_t n;
	struct tile_change *change;
};

struct animation;

/* For runs of `inputs` inputs each. press_ms[run][i]: when input i was sent, press_ms[run][inputs]: when the run ended, ms since
 * the log began; not copied. */
struct animation *animation_new(int runs, int inputs, const uint32_t *const *press_ms);
void animation_free(struct animation *u);
/* Sets `seen` and `masked` of one tile; `track` has one element for each run. */
void animation_mark_tile(struct animation *u, const struct tile_changes *track);

/* Neighbours: tiles that touch masked tiles and change with them are masked as well, such as the minutes of a clock beside its
 * seconds, or the edge of an animation. Of tiles that touch each other and change in one update, all are masked when at least half
 * are, and at most three (or an eighth) are not. Exception: up to four tiles of which only a caret is masked, since they may be a
 * letter that was typed. Sets `masked` of neighbours in one run, for a screen of columns * rows tiles; change i of `tiles` is
 * change[place[i]]. */
void animation_mask_groups(int columns, int rows, const struct tilelog *tiles, const uint32_t *place, struct tile_change *change);

/* Takes tile `start`, and those that touch it directly or through others, out of a set of columns * rows tiles (1: in the set).
 * `tile` gets their indices and has room for all. Returns their number. */
size_t animation_take_group(uint8_t *set, int columns, int rows, uint32_t start, uint32_t *tile);
