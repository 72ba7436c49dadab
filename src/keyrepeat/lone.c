// SPDX-License-Identifier: GPL-3.0-or-later
#include "lone.h"

#include <stdlib.h>

#define CELL_MIN 4	/* no caret goes less far */

static struct lone_place lone_place_of(const struct caret_step *step)
{
	return (struct lone_place){ step->all_left, step->top, step->all_right - 1, step->bottom, step->right, 1, step->at_ns };
}

static bool inside(const struct lone_place *a, const struct lone_place *b)
{
	return a->left >= b->left && a->right <= b->right && a->top >= b->top && a->bottom <= b->bottom;
}

static int64_t lone_area(const struct lone_place *a)
{
	return ((int64_t)a->right - a->left + 1) * ((int64_t)a->bottom - a->top + 1);
}

/* A clock does not change all its digits each time; but a caret in a window that was once drawn anew is not that window. */
static bool alike(const struct lone_place *a, const struct lone_place *b)
{
	return (inside(a, b) && lone_area(b) <= 8 * lone_area(a)) || (inside(b, a) && lone_area(a) <= 8 * lone_area(b));
}

static void widen_place(struct lone_place *to, const struct lone_place *by)
{
	to->left = by->left < to->left ? by->left : to->left;
	to->top = by->top < to->top ? by->top : to->top;
	to->right = by->right > to->right ? by->right : to->right;
	to->bottom = by->bottom > to->bottom ? by->bottom : to->bottom;
	to->times++;
	to->last_ns = by->last_ns;
}

void lone_idle(struct lone *l, const struct caret_step *step)
{
	struct lone_place now = lone_place_of(step);
	size_t oldest = 0;

	for (size_t i = 0; i < l->places; i++) {
		if (now.last_ns - l->place[i].last_ns <= LONE_FORGET_NS && alike(&now, &l->place[i])) {
			widen_place(&l->place[i], &now);
			return;
		}
		if (l->place[i].last_ns < l->place[oldest].last_ns)
			oldest = i;
	}
	l->place[l->places < LONE_PLACES ? l->places++ : oldest] = now;
}

enum lone_verdict lone_judge(const struct lone *l, const struct caret_step *step)
{
	struct lone_place now = lone_place_of(step);
	enum lone_verdict verdict = LONE_ECHO;

	for (size_t i = 0; i < l->places; i++) {
		if (now.last_ns - l->place[i].last_ns > LONE_FORGET_NS || !inside(&now, &l->place[i]))
			continue;
		if (l->place[i].times > 1)
			return LONE_BY_ITSELF;
		if (alike(&now, &l->place[i]))
			verdict = LONE_DOUBT;
	}
	/* The caret stands at the right edge of the last echo; whether it blinks there is known only when it had the time to. */
	if (l->echo.times && now.last_ns - l->echo.last_ns < LONE_BLINK_NS && inside(&now, &l->echo) &&
	    abs(now.edge - l->echo.edge) < CELL_MIN)
		return LONE_DOUBT;
	return verdict;
}

void lone_echoed(struct lone *l, const struct caret_step *step)
{
	l->echo = lone_place_of(step);
}
