/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sequence - the order in which the frames of an animation are shown; the same on every machine for the same seed.
 *
 *	loop	0, 1 … n - 1, 0, 1 …: a normal animation; the next frame is always the least recently used one
 *	random	any frame but the present one, with equal probability
 *	hot	alternates between the first `hot` frames, in turn, and the other frames, in turn: some frames recur soon, others late
 *	fresh	0, 1, 2 …: no frame is shown twice */
#pragma once

#include <stdint.h>

enum sequence_order { SEQUENCE_LOOP, SEQUENCE_RANDOM, SEQUENCE_HOT, SEQUENCE_FRESH, SEQUENCE_ORDERS };
extern const char *const sequence_names[]; /* NULL-terminated */

struct frame_sequence {
	enum sequence_order order;
	int64_t n, hot;
	int64_t step, last;
	uint64_t random;
};

/* n: number of frames, at least 1 (random: 2); hot: 1 to n - 1. Both are ignored for orders that do not use them. */
void frame_sequence_start(struct frame_sequence *s, enum sequence_order order, int64_t n, int64_t hot, uint64_t seed);
int64_t frame_sequence_next(struct frame_sequence *s);
