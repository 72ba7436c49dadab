// SPDX-License-Identifier: GPL-3.0-or-later
#include "blink_filter.h"

#include <stdlib.h>

#define CELL_MIN 4 /* pixels: the least way of a caret for one character */

static struct blink_place step_place(const struct caret_step *step)
{
	return (struct blink_place){ step->all_left, step->top, step->all_right - 1, step->bottom, step->right, 1, step->at_ns };
}

static bool is_inside(const struct blink_place *a, const struct blink_place *b)
{
	return a->left >= b->left && a->right <= b->right && a->top >= b->top && a->bottom <= b->bottom;
}

static int64_t count_place_pixels(const struct blink_place *a)
{
	return ((int64_t)a->right - a->left + 1) * ((int64_t)a->bottom - a->top + 1);
}

/* True if one place lies inside the other and has at least an eighth of its size: a clock does not change all its digits each time,
 * but a caret is not the same thing as the whole window around it, which was once redrawn. */
static bool places_match(const struct blink_place *a, const struct blink_place *b)
{
	return (is_inside(a, b) && count_place_pixels(b) <= 8 * count_place_pixels(a)) ||
	       (is_inside(b, a) && count_place_pixels(a) <= 8 * count_place_pixels(b));
}

static void widen_place(struct blink_place *to, const struct blink_place *by)
{
	to->left = by->left < to->left ? by->left : to->left;
	to->top = by->top < to->top ? by->top : to->top;
	to->right = by->right > to->right ? by->right : to->right;
	to->bottom = by->bottom > to->bottom ? by->bottom : to->bottom;
	to->times++;
	to->last_ns = by->last_ns;
}

void blink_learn_change(struct blink_filter *l, const struct caret_step *step)
{
	struct blink_place now = step_place(step);
	size_t oldest = 0;

	for (size_t i = 0; i < l->places; i++) {
		if (now.last_ns - l->place[i].last_ns <= BLINK_FORGET_NS && places_match(&now, &l->place[i])) {
			widen_place(&l->place[i], &now);
			return;
		}
		if (l->place[i].last_ns < l->place[oldest].last_ns)
			oldest = i;
	}
	l->place[l->places < BLINK_PLACES ? l->places++ : oldest] = now;
}

enum change_verdict blink_judge_change(const struct blink_filter *l, const struct caret_step *step)
{
	struct blink_place now = step_place(step);
	enum change_verdict verdict = CHANGE_ECHO;

	for (size_t i = 0; i < l->places; i++) {
		if (now.last_ns - l->place[i].last_ns > BLINK_FORGET_NS || !is_inside(&now, &l->place[i]))
			continue;
		if (l->place[i].times > 1)
			return CHANGE_WITHOUT_KEY;
		if (places_match(&now, &l->place[i]))
			verdict = CHANGE_DOUBTFUL;
	}
	/* the caret stands at the right edge of the last echo, and may have had no time yet to blink there */
	if (l->echo.times && now.last_ns - l->echo.last_ns < BLINK_PERIOD_NS && is_inside(&now, &l->echo) &&
	    abs(now.edge - l->echo.edge) < CELL_MIN)
		return CHANGE_DOUBTFUL;
	return verdict;
}

void blink_keep_echo(struct blink_filter *l, const struct caret_step *step)
{
	l->echo = step_place(step);
}
