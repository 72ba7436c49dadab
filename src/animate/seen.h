/* SPDX-License-Identifier: GPL-3.0-or-later */
/* seen - frames as they come by on a screen: how many, how many different ones, and which were left out.
 *
 * A frame is seen when the number on the screen changes to its. Pure: numbers and times come in. */
#ifndef ANIMATE_SEEN_H
#define ANIMATE_SEEN_H

#include "sample.h"

#include <stdbool.h>
#include <stdint.h>

struct seen {
	int64_t loop;			/* the animation is a loop of so many; 0: unknown */
	int64_t frames, distinct;
	int64_t missed;			/* of a loop: frames between two that were seen, in its order; whole rounds cannot be told */
	int64_t foreign;		/* numbers that the loop does not have */
	int64_t first_ns, last_ns;
	uint32_t last;
	struct sample gap;		/* ns between two */
	uint8_t *ever;			/* a bit a number; owned */
};

/* 0 or -ENOMEM. */
int seen_start(struct seen *s, int64_t loop);
void seen_free(struct seen *s);
/* The number on the screen at that time; true: it is a frame that was not there the time before. */
bool seen_look(struct seen *s, uint32_t number, int64_t now_ns);

#endif
