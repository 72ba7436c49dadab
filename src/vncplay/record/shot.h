/* SPDX-License-Identifier: GPL-3.0-or-later */
/* shot - snapshots of a piece of the screen, for a trace. Pure. */
#ifndef THINPROBE_VNCPLAY_SHOT_H
#define THINPROBE_VNCPLAY_SHOT_H

#include "fresh.h"
#include "vncplay/common/trace.h"

/* `side` pixels a side around a place, as far as it lies on the screen. */
struct box shot_box(int x, int y, int side, const struct screen *s);
struct box shot_wider(struct box b, int by, const struct screen *s);

/* Copies the pixels of `box` to e->box and e->pixels (to be freed by the caller). Those that blink,
 * and those that changed at `since_ms` or later (UINT32_MAX: none), become TRACE_ANY. Returns how
 * many are left to be compared, or -ENOMEM. */
int shot_take(struct trace_event *e, struct box box, const struct screen *s, const struct fresh *f,
	      uint32_t since_ms, uint32_t now_ms);

/* Hardly anything in it differs from the colour that most of it has: it would match before the window is there. */
bool shot_flat(const struct trace_event *e);

/* The piece of `side` pixels nearest to a place, within `reach`, that is not flat, and not where
 * the picture of a pointer there may be. An empty box: there is none. */
struct box shot_anchor(int x, int y, int side, int reach, const struct screen *s, const struct fresh *f, uint32_t now_ms);

#endif
