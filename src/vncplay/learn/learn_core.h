/* SPDX-License-Identifier: GPL-3.0-or-later */
/* learn_core - which changes of the screen came before which input in every replay, and which come by themselves.
 *
 * The screen is looked at in tiles. A step is an input that acts: a press, or a key that goes down.
 * A tile belongs to a step when it changed between the step before and this one in every replay; it
 * is no part of it, and is to be ignored, when it changes by itself: long after any input, or in
 * some replays and at no matching time in others. Each log is read twice: first for where, then for
 * what the parts showed. */
#ifndef THINPROBE_LEARN_CORE_H
#define THINPROBE_LEARN_CORE_H

#include "vncplay/common/deps.h"
#include "vncplay/common/trace.h"

#include <stddef.h>
#include <stdint.h>

#define LEARN_TILE 16		/* pixels */
#define LEARN_BOXES 8		/* of one step; the largest */

struct learn;

/* NULL: no memory. The trace must stay. */
struct learn *learn_open(const struct input_trace *t);
void learn_free(struct learn *l);

/* One replay: when its inputs were sent (us of its log), by their number. -EPROTO with `why`, or -errno: all that was learned is
 * worthless then. */
int learn_where(struct learn *l, const char *log, const int64_t *sent_us, char *why, size_t size);
/* After the last of these: the parts of the screen. 0 or -ENOMEM. */
int learn_parts(struct learn *l);
/* The same replays again, in any order. */
int learn_what(struct learn *l, const char *log, const int64_t *sent_us, char *why, size_t size);
/* What was learned; the caller frees it. 0 or -ENOMEM. */
int learn_deps(const struct learn *l, struct deps *d);

int learn_inputs(const struct learn *l);
int learn_steps(const struct learn *l);

/* Rectangles of tiles that cover a set exactly: `set` has w * h of them, 1 where it is in. At most
 * `most`, the largest where there are more; boxes in pixels, cut to the screen. Returns how
 * many. */
int learn_boxes(const uint8_t *set, int w, int h, int width, int height, struct box *boxes, int most);

#endif
