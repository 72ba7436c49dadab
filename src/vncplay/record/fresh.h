/* SPDX-License-Identifier: GPL-3.0-or-later */
/* fresh - when each pixel of a screen last changed, and which change by themselves. Pure: time comes in as a number.
 *
 * What a server paints need not differ from what was there; a copy of the screen tells what does. A
 * pixel that changes again and again while nobody does anything (a caret, a clock, an animation)
 * says nothing about an answer: it counts as blinking for a while. */
#ifndef THINPROBE_VNCPLAY_FRESH_H
#define THINPROBE_VNCPLAY_FRESH_H

#include "vncplay/common/screen.h"

#include <stdbool.h>

#define FRESH_BLINK_MS 3000	/* a pixel blinks until it has not changed for so long */
#define FRESH_BLINK_TIMES 2	/* changes by itself that make it one */

enum fresh_cause {
	FRESH_ALONE,	/* nobody had done anything lately */
	FRESH_MOVED,	/* the pointer had moved, no more */
	FRESH_ASKED	/* a key or a button came shortly before */
};

struct fresh {
	int width, height;
	uint32_t *seen;		/* the screen as it was last looked at; owned, as the others */
	uint32_t *at_ms;	/* when each pixel changed, since the start and from 1; 0: never */
	uint8_t *alone;		/* changes by itself since one that was asked for */
};

/* The screen as it is now, with no pixel changed: at the start, and when its size changes. 0 or -ENOMEM. */
int fresh_start(struct fresh *f, const struct screen *s);
void fresh_free(struct fresh *f);
/* Something was painted in `box`. */
void fresh_paint(struct fresh *f, const struct screen *s, struct box box, uint32_t now_ms, enum fresh_cause cause);

bool fresh_blinks(const struct fresh *f, int x, int y, uint32_t now_ms);
/* Pixels that changed at `since_ms` or later, those that blink left out: how many, when the last
 * (0: none), and the part of `within` that has most of them in at most `most` pixels: the box
 * around them, halved across its longer side as often as it takes, the fuller half each time. */
int fresh_count(const struct fresh *f, struct box within, uint32_t since_ms, uint32_t now_ms);
uint32_t fresh_last(const struct fresh *f, struct box within, uint32_t now_ms);
struct box fresh_area(const struct fresh *f, struct box within, uint32_t since_ms, uint32_t now_ms, int most);

#endif
