/* SPDX-License-Identifier: GPL-3.0-or-later */
/* blink_filter - tells the echo of a single key from changes that come without a key: a blinking caret, a clock. Pure.
 *
 * The places of changes between keys are remembered. After a key, a change is its echo unless it lies at such a place. A key that
 * types a character moves the caret into a new cell (caret.h), so its echo never lies inside the place where the caret blinked. */
#pragma once

#include "caret.h"

#define BLINK_PLACES 32
#define BLINK_FORGET_NS 10000000000LL /* a place is forgotten after 10 s without a change, or three times its own period */
#define BLINK_ONCE_NS 120000000000LL  /* a place that changed only once, of which no period is known */
#define BLINK_GROWING 3 /* so many places that changed once: a log grows there, whose next line is at a new place as an echo is */
#define BLINK_PERIOD_NS 2500000000LL /* the slowest blinking of a caret */
#define BLINK_REDRAW_NS 1000000000LL /* a change so soon after an echo that meets it belongs to the echo */

struct blink_place {
	int left, top, right, bottom; /* pixels; right and bottom are the last ones inside */
	int edge;		      /* right edge of the lowest changed row, where the cell of a caret ends */
	int times;		      /* changes seen here */
	int64_t last_ns;	      /* the latest of them */
	int64_t apart_ns;	      /* longest time from one to the next */
	bool beside;		      /* of an echo, after which another place changed: may be a status line */
};

/* All zero at first. */
struct blink_filter {
	struct blink_place place[BLINK_PLACES];
	size_t places;
	int64_t pixels;		 /* of the picture: what changes half of it is no place; 0: not known */
	struct blink_place echo; /* pixels that the last echo changed; times 0: none yet */
};

enum change_verdict {
	CHANGE_ECHO,	   /* certainly the echo */
	CHANGE_DOUBTFUL,   /* the echo if nothing better follows: may also be the first blink of the caret at its new place, or the
				 * second change of something that has changed without a key only once, or the next line of a log */
	CHANGE_WITHIN,	   /* in a place that changes without keys, but much smaller: a film, or a window that was drawn anew */
	CHANGE_WITHOUT_KEY /* at a place that changes without keys */
};

/* Remembers the place of a change that came without a key; as one that has changed twice, if it repeats what was taken for the last
 * echo (or, as the caller knows, for one before). */
void blink_learn_change(struct blink_filter *l, const struct caret_step *step, bool repeats);

/* Notes a change of an unknown place that came soon after an echo and elsewhere: it may be the echo itself, and what was taken for
 * that a status line, whose next change is doubtful. True: it was such a change. */
bool blink_note_beside(struct blink_filter *l, const struct caret_step *step);
/* Nothing better followed a doubtful change: if it was only taken for a status line, it is an echo from now on. */
void blink_settle_doubt(struct blink_filter *l, const struct caret_step *step);
/* True if the answer took over a third of the watching before the first key, so that it may be a clock; and there is no sign of a
 * caret that moves on. */
bool blink_answer_is_slow(const struct blink_filter *l, const struct caret_step *step, int64_t sent_ns);

/* Whether both have pixels in common; whether one lies in the other, and is not much smaller. */
bool blink_steps_meet(const struct caret_step *a, const struct caret_step *b);
bool blink_steps_match(const struct caret_step *a, const struct caret_step *b);

/* Judges a change that came after a key. */
enum change_verdict blink_judge_change(struct blink_filter *l, const struct caret_step *step);
/* The place, known by at least `times` changes without a key and not much larger, in which the change lies; NULL: none. */
struct blink_place *blink_find_place(struct blink_filter *l, const struct caret_step *step, int times);

/* Remembers a change as the last echo: the caret stands at its right edge now. */
void blink_keep_echo(struct blink_filter *l, const struct caret_step *step);
