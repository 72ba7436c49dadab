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
#define BLINK_PERIOD_NS 2500000000LL  /* the slowest blinking of a caret */
#define BLINK_REDRAW_NS 1000000000LL  /* a change so soon after an echo that meets it belongs to the echo */

struct blink_place {
	int left, top, right, bottom; /* pixels; right and bottom are the last ones inside */
	int edge;		      /* right edge of the lowest changed row, where the cell of a caret ends */
	int times;		      /* changes seen here; of an answer: keys after which there was one */
	int64_t last_ns;	      /* the latest of them; of an answer: the first change for the latest key */
	int64_t apart_ns;	      /* longest time from one to the next */
	int moves;		      /* of a place in `answers`: how often it moved on, as a caret does */
	int64_t moved_ns;	      /* first of these for the latest key that made it move */
	bool wanders;		      /* moves on without keys: a progress bar, the end of a log */
};

struct blink_places {
	struct blink_place at[BLINK_PLACES];
	size_t n;
};

/* All zero at first. */
struct blink_filter {
	struct blink_places alone;   /* changed without a key */
	struct blink_places answers; /* changed after a key; an answer that moves on as a caret does is one place */
	int64_t pixels;		     /* of the picture: what changes half of it is no place; 0: not known */
	struct blink_place echo;     /* pixels that the last echo changed; times 0: none yet */
	int64_t answered_ns;	     /* the latest change that may be an echo */
	bool blinks, steady;	     /* the caret has changed where an echo put it; or had the time and did not */
	int echoes, parted;	     /* echoes, and those of which a further part came later: the first may be the caret alone */
	int64_t parted_ns;	     /* the latest of these echoes */
};

enum change_verdict {
	CHANGE_ECHO,	   /* certainly the echo */
	CHANGE_FIRST,	   /* the echo, unless something else answers the key, too: nothing has answered one before */
	CHANGE_UNSURE,	   /* the echo or a part of it, but so late that it may also be a clock, or not the first part */
	CHANGE_DOUBTFUL,   /* the echo if nothing better follows: something else may be it as well */
	CHANGE_WITHIN,	   /* in a place that changes without keys, but much smaller: a film, or a window that was drawn anew */
	CHANGE_WITHOUT_KEY /* at a place that changes without keys */
};

/* Remembers the place of a change that came without a key; as one that has changed twice, if it repeats what was taken for the last
 * echo (or, as the caller knows, for one before). */
void blink_learn_change(struct blink_filter *l, const struct caret_step *step, bool repeats);
/* The same for keys that are asked for, when none is under way. What soon follows the echo of the key sent at sent_ns belongs to
 * it, or, elsewhere, may be the true answer: then true. */
bool blink_learn_between(struct blink_filter *l, const struct caret_step *step, int64_t sent_ns);

/* Whether both have pixels in common; whether one lies in the other, and is not much smaller. */
bool blink_steps_meet(const struct caret_step *a, const struct caret_step *b);
bool blink_steps_match(const struct caret_step *a, const struct caret_step *b);

/* Judges a change that came after a key by what changes without keys: never CHANGE_FIRST or CHANGE_UNSURE. */
enum change_verdict blink_judge_change(struct blink_filter *l, const struct caret_step *step);
/* Judges a change that came after a key sent at sent_ns, the only one under way, also by what else answers keys. */
enum change_verdict blink_judge_answer(struct blink_filter *l, const struct caret_step *step, int64_t sent_ns);
/* Counts such a change for the place that it lies in or that has moved on to it, or for a new one. */
struct blink_place *blink_add_answer(struct blink_filter *l, const struct caret_step *step, int64_t sent_ns);
/* The place, known by at least `times` changes without a key and not much larger, in which the change lies; NULL: none. */
struct blink_place *blink_find_place(struct blink_filter *l, const struct caret_step *step, int times);

/* True if echoes come in parts, of which it is not known which is the character; among the first ones, if a single one did. */
bool blink_echoes_part(const struct blink_filter *l);
/* Remembers a change as the last echo: the caret stands at its right edge now. */
void blink_keep_echo(struct blink_filter *l, const struct caret_step *step);
