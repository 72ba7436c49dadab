// SPDX-License-Identifier: GPL-3.0-or-later
#include "sequence.h"
#include "random.h"

#include <stddef.h>

const char *const sequence_names[] = { "loop", "random", "hot", "fresh", NULL };

void frame_sequence_start(struct frame_sequence *s, enum sequence_order order, int64_t n, int64_t hot, uint64_t seed)
{
	*s = (struct frame_sequence){ .order = order, .n = n, .hot = hot, .last = -1, .random = seed };
}

/* A random frame other than the last one. */
static int64_t pick_other_frame(struct frame_sequence *s)
{
	int64_t others = s->last < 0 ? s->n : s->n - 1, next = (int64_t)(random_fraction(&s->random) * (double)others);

	return s->last >= 0 && next >= s->last ? next + 1 : next;
}

int64_t frame_sequence_next(struct frame_sequence *s)
{
	int64_t step = s->step++, next = step;

	switch (s->order) {
	case SEQUENCE_LOOP: next = step % s->n; break;
	case SEQUENCE_RANDOM: next = pick_other_frame(s); break;
	case SEQUENCE_HOT: next = step % 2 ? s->hot + step / 2 % (s->n - s->hot) : step / 2 % s->hot; break;
	case SEQUENCE_FRESH:
	case SEQUENCE_ORDERS: break;
	}
	return s->last = next;
}
