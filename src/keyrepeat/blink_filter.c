// SPDX-License-Identifier: GPL-3.0-or-later
#include "blink_filter.h"

#include <stdlib.h>

#define CELL_MIN 4 /* pixels: the least way of a caret for one character */

static struct blink_place step_place(const struct caret_step *step)
{
	return (struct blink_place){ step->all_left, step->top, step->all_right - 1, step->bottom, step->right, 1, step->at_ns, 0,
				     false };
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

static bool places_meet(const struct blink_place *a, const struct blink_place *b)
{
	return a->left <= b->right && b->left <= a->right && a->top <= b->bottom && b->top <= a->bottom;
}

bool blink_steps_meet(const struct caret_step *a, const struct caret_step *b)
{
	struct blink_place first = step_place(a), second = step_place(b);

	return places_meet(&first, &second);
}

bool blink_steps_match(const struct caret_step *a, const struct caret_step *b)
{
	struct blink_place first = step_place(a), second = step_place(b);

	return places_match(&first, &second);
}

static void renew_place(struct blink_place *p, int64_t at_ns)
{
	p->apart_ns = at_ns - p->last_ns > p->apart_ns ? at_ns - p->last_ns : p->apart_ns;
	p->last_ns = at_ns;
}

static bool is_forgotten(const struct blink_place *p, int64_t at_ns)
{
	int64_t after = p->times == 1 ? BLINK_ONCE_NS : 3 * p->apart_ns;

	return !p->times || at_ns - p->last_ns > (after > BLINK_FORGET_NS ? after : BLINK_FORGET_NS);
}

/* True if a clock carries over to more digits: the change has the same right edge as its place. */
static bool is_carry(const struct blink_place *now, const struct blink_place *place)
{
	return place->times > 1 && is_inside(place, now) && places_match(now, place) && now->right - place->right < CELL_MIN;
}

static void widen_place(struct blink_place *to, const struct blink_place *by)
{
	to->left = by->left < to->left ? by->left : to->left;
	to->top = by->top < to->top ? by->top : to->top;
	to->right = by->right > to->right ? by->right : to->right;
	to->bottom = by->bottom > to->bottom ? by->bottom : to->bottom;
	to->times++;
	renew_place(to, by->last_ns);
}

static void add_place(struct blink_filter *l, const struct blink_place *place)
{
	size_t oldest = 0;

	for (size_t i = 1; i < l->places; i++)
		if (l->place[i].last_ns < l->place[oldest].last_ns)
			oldest = i;
	l->place[l->places < BLINK_PLACES ? l->places++ : oldest] = *place;
}

void blink_learn_change(struct blink_filter *l, const struct caret_step *step, bool repeats)
{
	struct blink_place now = step_place(step);

	for (size_t i = 0; i < l->places; i++) {
		if (!is_forgotten(&l->place[i], now.last_ns) && places_match(&now, &l->place[i])) {
			widen_place(&l->place[i], &now);
			return;
		}
	}
	if ((l->echo.times && places_meet(&now, &l->echo) && now.last_ns - l->echo.last_ns < BLINK_REDRAW_NS) ||
	    (l->pixels && 2 * count_place_pixels(&now) > l->pixels))
		return;
	now.times += repeats || (l->echo.times && places_match(&now, &l->echo));
	now.apart_ns = now.times > 1 ? now.last_ns - l->echo.last_ns : 0;
	add_place(l, &now);
}

bool blink_note_beside(struct blink_filter *l, const struct caret_step *step)
{
	struct blink_place now = step_place(step), echo = l->echo;

	if (!echo.times || now.last_ns - echo.last_ns > BLINK_PERIOD_NS || places_meet(&now, &echo) || blink_find_place(l, step, 1))
		return false;
	echo.beside = true;
	add_place(l, &echo);
	return true;
}

void blink_settle_doubt(struct blink_filter *l, const struct caret_step *step)
{
	struct blink_place *place = blink_find_place(l, step, 1);

	if (place && place->beside)
		place->times = 0;
	blink_keep_echo(l, step);
}

bool blink_answer_is_slow(const struct blink_filter *l, const struct caret_step *step, int64_t sent_ns)
{
	struct blink_place now = step_place(step);

	return step->at_ns - sent_ns > BLINK_PERIOD_NS / 3 && (!l->echo.times || places_match(&now, &l->echo));
}

struct blink_place *blink_find_place(struct blink_filter *l, const struct caret_step *step, int times)
{
	struct blink_place now = step_place(step);

	for (size_t i = 0; i < l->places; i++)
		if (l->place[i].times >= times && places_match(&now, &l->place[i]) &&
		    (is_inside(&now, &l->place[i]) || is_carry(&now, &l->place[i])))
			return &l->place[i];
	return NULL;
}

static bool is_log_growing(const struct blink_filter *l, int64_t at_ns)
{
	int once = 0;

	for (size_t i = 0; i < l->places; i++)
		once += l->place[i].times == 1 && !l->place[i].beside && !is_forgotten(&l->place[i], at_ns);
	return once >= BLINK_GROWING;
}

enum change_verdict blink_judge_change(struct blink_filter *l, const struct caret_step *step)
{
	struct blink_place now = step_place(step);
	enum change_verdict verdict = CHANGE_ECHO;

	for (size_t i = 0; i < l->places; i++) {
		struct blink_place *place = &l->place[i];
		/* the caret's place is in the last echo: there, a key that goes back looks like a carry */
		bool carry = is_carry(&now, place) && l->echo.times && !places_meet(place, &l->echo);

		if (is_forgotten(place, now.last_ns) || (!is_inside(&now, place) && !carry))
			continue;
		if (!places_match(&now, place)) {
			verdict = place->times > 1 ? CHANGE_WITHIN : verdict;
			continue;
		}
		/* it goes on by itself, also while keys are under way all the time */
		if (carry)
			widen_place(place, &now);
		else
			renew_place(place, now.last_ns);
		if (place->times > 1)
			return CHANGE_WITHOUT_KEY;
		verdict = CHANGE_DOUBTFUL;
	}
	/* the caret stands at the right edge of the last echo, and may have had no time yet to blink there */
	if (l->echo.times && now.last_ns - l->echo.last_ns < BLINK_PERIOD_NS && is_inside(&now, &l->echo) &&
	    abs(now.edge - l->echo.edge) < CELL_MIN)
		return CHANGE_DOUBTFUL;
	if (verdict == CHANGE_ECHO && !(l->echo.times && places_meet(&now, &l->echo)) && is_log_growing(l, now.last_ns))
		return CHANGE_DOUBTFUL;
	return verdict;
}

void blink_keep_echo(struct blink_filter *l, const struct caret_step *step)
{
	l->echo = step_place(step);
}
