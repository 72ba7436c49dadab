/* SPDX-License-Identifier: GPL-3.0-or-later */
/* blink_filter - tells the echo of a single key from changes that come without a key: a blinking caret, a clock. Pure.
 *
 * The places of changes between keys are remembered. After a key, a change is its echo unless it lies at such a place. A key that
 * types a character moves the caret into a new cell (caret.h), so its echo never lies inside the place where the caret blinked. */
#pragma once

#include "caret.h"

#define BLINK_PLACES 32
#define BLINK_FORGET_NS 10000000000LL /* a place without a change between keys for 10 s is forgotten */
#define BLINK_PERIOD_NS 2500000000LL  /* the slowest blinking of a caret */

struct blink_place {
	int left, top, right, bottom; /* pixels; right and bottom are the last ones inside */
	int edge;		      /* right edge of the lowest changed row, where the cell of a caret ends */
	int times;		      /* changes seen here */
	int64_t last_ns;	      /* the latest of them */
};

/* All zero at first. */
struct blink_filter {
	struct blink_place place[BLINK_PLACES];
	size_t places;
	struct blink_place echo; /* pixels that the last echo changed; times 0: none yet */
};

enum change_verdict {
	CHANGE_ECHO,	   /* certainly the echo */
	CHANGE_DOUBTFUL,   /* the echo if nothing better follows: may also be the first blink of the caret at its new place, or the
				 * second change of something that has changed without a key only once */
	CHANGE_WITHOUT_KEY /* at a place that changes without keys */
};

/* Remembers the place of a change that came without a key. */
void blink_learn_change(struct blink_filter *l, const struct caret_step *step);

/* Judges a change that came after a key. */
enum change_verdict blink_judge_change(const struct blink_filter *l, const struct caret_step *step);

/* Remembers a change as the last echo: the caret stands at its right edge now. */
void blink_keep_echo(struct blink_filter *l, const struct caret_step *step);
