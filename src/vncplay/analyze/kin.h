/* SPDX-License-Identifier: GPL-3.0-or-later */
/* kin - what changes together with tiles that go on by themselves, and touches them, goes on by
 * itself, too: the tens of a clock beside its seconds, the edge of an animation. Of tiles that
 * touch each other and change in one update all are masked where at most three, or an eighth, and
 * no more than half are not; but a few tiles of which some only blink may be a letter with its
 * caret. */
#ifndef THINPROBE_KIN_H
#define THINPROBE_KIN_H

#include "tilelog.h"

struct kin;

struct kin *kin_new(int columns, int rows);	/* of tiles, at most; NULL: no memory */
void kin_free(struct kin *k);
/* Of one run: place p of `masked` (as of struct track) is that of change order[p] of the log. 0 or -ENOMEM. */
int mask_neighbours(struct kin *k, const struct tilelog *tiles, const uint32_t *order, uint8_t *masked);

#endif
