/* SPDX-License-Identifier: GPL-3.0-or-later */
/* lone - which change of the picture answers a key that is alone.
 *
 * Between keys that are asked for one by one, whatever changes does so by itself: a caret that blinks, a clock. The places of such
 * changes are remembered. Once a key is under way, a change is its echo unless it lies where things change by themselves.
 * A key that types moves the caret into a cell that nothing has changed since (caret.h), so its echo is never inside the place of
 * a blinking caret. Pure. */
#ifndef KEYREPEAT_LONE_H
#define KEYREPEAT_LONE_H

#include "caret.h"

#define LONE_PLACES 32
#define LONE_FORGET_NS 10000000000LL	/* a place where nothing has changed by itself for so long is as any other */
#define LONE_BLINK_NS 2500000000LL	/* no caret blinks more slowly: not seen for so long, there is none */

struct lone_place {
	int left, top, right, bottom;	/* right and bottom: the last one, not one beyond */
	int edge;			/* right edge on its lowest row: that of a caret's cell */
	int times;			/* changed by itself */
	int64_t last_ns;
};

struct lone {
	struct lone_place place[LONE_PLACES];
	size_t places;
	struct lone_place echo;		/* what the last echo changed; times 0: there was none yet */
};

enum lone_verdict {
	LONE_ECHO,		/* nothing else can have changed this */
	LONE_DOUBT,		/* an echo, or the first blink of a caret where the last key has put it, or the second of what has changed
				 * by itself only once: the echo if nothing better follows */
	LONE_BY_ITSELF		/* here things change without a key */
};

/* Starts all zero. A change while no key was under way. */
void lone_idle(struct lone *l, const struct caret_step *step);

/* A change while one is. */
enum lone_verdict lone_judge(const struct lone *l, const struct caret_step *step);

/* This one was the echo: the caret is somewhere else now. */
void lone_echoed(struct lone *l, const struct caret_step *step);

#endif
