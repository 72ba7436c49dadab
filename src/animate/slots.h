/* SPDX-License-Identifier: GPL-3.0-or-later */
/* slots - when which frame is due: slot k lasts from start + k / rate to start + (k + 1) / rate, whatever came before.
 *
 * A frame that is not drawn within its slot is late. One whose slot is over before it could be
 * begun is not drawn at all: an animation that falls behind leaves frames out, it does not run
 * slower. Pure: time comes in. */
#ifndef ANIMATE_SLOTS_H
#define ANIMATE_SLOTS_H

#include <stdbool.h>
#include <stdint.h>

struct slots {
	int64_t start_ns;
	double rate_per_s;
	int64_t next;		/* the slot that comes */
};

int64_t slots_due(const struct slots *s, int64_t slot);		/* when it begins */
/* Is the slot that comes over already? */
bool slots_over(const struct slots *s, int64_t now_ns);

#endif
