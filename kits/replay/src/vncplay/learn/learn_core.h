/* SPDX-License-Identifier: GPL-3.0-or-later */
/* learn_core - learns which changes of the screen precede which input in every replay, and which happen without input.
 *
 * The screen is divided into tiles (tilelog.h). A step is a press of a button or a key. A tile is part of a step when it
 * changed between the previous step and this one in every replay. A tile is to be ignored when it changes without input: long
 * after any input, or in some replays but at no matching time in the others. Each log is read twice: first for the places of
 * the parts, then for their content. */
#pragma once

#include "vncplay/common/deps.h"
#include "vncplay/common/replay.h"

#include <stddef.h>
#include <stdint.h>

#define LEARN_BOXES 8 /* parts of one step at most; the largest are kept */

struct learner;

struct learner *learn_begin(const struct input_trace *t);
void learn_free(struct learner *l);

/* Counts the changes of a replay of the trace, complete and with `tiles.every`. 0, or -EPROTO, -ERANGE, -ENOMEM with `why`: a
 * replay that cannot be compared with those before; it is left out. */
int learn_count_changes(struct learner *l, const struct replay *r, struct why *why);
void learn_find_parts(struct learner *l); /* after all replays were counted */
/* Then for each of these replays: the content of the parts in its log, of the same inputs. 0 or -errno. */
int learn_hash_parts(struct learner *l, const char *log, const struct sent_inputs *inputs);
/* The result, owned by the caller. */
void learn_make_result(struct learner *l, struct dependencies *d);

int learn_count_steps(const struct learner *l);

/* Covers a set of w * h tiles (set[y * w + x] 1: in the set) with disjoint rectangles; keeps the `most` largest. Boxes are in
 * pixels, clipped to the screen of width * height. Returns their number. */
int learn_cover_tiles(const uint8_t *set, int w, int h, int width, int height, struct pixel_area *boxes, int most);
