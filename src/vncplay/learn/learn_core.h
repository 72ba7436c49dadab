/* SPDX-License-Identifier: GPL-3.0-or-later */
/* learn_core - learns which changes of the screen precede which input in every replay, and which happen without input.
 *
 * The screen is divided into tiles. A step is a press of a button or a key. A tile is part of a step when it changed between
 * the previous step and this one in every replay. A tile is to be ignored when it changes without input: long after any input,
 * or in some replays but at no matching time in the others. Each log is read twice: first for the places of the parts, then
 * for their content. */
#ifndef THINPROBE_VNCPLAY_LEARN_CORE_H
#define THINPROBE_VNCPLAY_LEARN_CORE_H

#include "vncplay/common/deps.h"
#include "vncplay/common/trace.h"

#include <stddef.h>
#include <stdint.h>

#define LEARN_TILE 16		/* width and height of a tile, pixels */
#define LEARN_BOXES 8		/* parts of one step at most; the largest are kept */

struct learn;

/* NULL: no memory. The trace must outlive it. */
struct learn *learn_open(const struct input_trace *t);
void learn_free(struct learn *l);

/* First pass over a replay: sent_us[i] is when input i was sent, us since its log began. 0, -EPROTO with `why`, or -errno;
 * after an error, discard everything. */
int learn_where(struct learn *l, const char *log, const int64_t *sent_us, char *why, size_t size);
/* Computes the parts of all steps, after the first pass over all replays. 0 or -ENOMEM. */
int learn_parts(struct learn *l);
/* Second pass over a replay; arguments and errors as in the first. */
int learn_what(struct learn *l, const char *log, const int64_t *sent_us, char *why, size_t size);
/* The result, owned by the caller. 0 or -ENOMEM. */
int learn_deps(const struct learn *l, struct deps *d);

int learn_steps(const struct learn *l);

/* Covers a set of w * h tiles (set[y * w + x] 1: in the set) with disjoint rectangles; keeps the `most` largest. Boxes are in
 * pixels, clipped to the screen of width * height. Returns their number. */
int learn_boxes(const uint8_t *set, int w, int h, int width, int height, struct box *boxes, int most);

#endif
