/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sequence - in which order the frames of an animation are shown, the same on every machine for the same seed.
 *
 *	loop	0, 1 … n - 1, 0, 1 …: how an animation runs; what is shown next is what was not shown for longest
 *	random	any of the n but the one that is on the screen (which would be no new frame), all as likely
 *	hot	every second frame is one of the first `hot` in turn, the others are the rest in turn: what was shown lately is shown
 *		again soon, what was merely stored long ago is too
 *	fresh	0, 1, 2 …: none is ever shown again */
#ifndef THINPROBE_SEQUENCE_H
#define THINPROBE_SEQUENCE_H

#include <stdint.h>

enum sequence_order { SEQUENCE_LOOP, SEQUENCE_RANDOM, SEQUENCE_HOT, SEQUENCE_FRESH, SEQUENCE_ORDERS };
extern const char *const sequence_names[];	/* NULL-terminated */

struct sequence {
	enum sequence_order order;
	int64_t n, hot;
	int64_t step, last;
	uint64_t random;
};

/* n: at least 1 (random: 2), hot: 1 to n - 1; not looked at where the order needs none. */
void sequence_start(struct sequence *s, enum sequence_order order, int64_t n, int64_t hot, uint64_t seed);
int64_t sequence_next(struct sequence *s);

#endif
