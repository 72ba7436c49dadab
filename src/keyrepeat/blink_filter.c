// SPDX-License-Identifier: GPL-3.0-or-later
#include "blink_filter.h"

#include <limits.h>
#include <stdlib.h>

#define CELL_MIN 4		 /* pixels: the least way of a caret for one character */
#define BLINK_PART_NS 10000000LL /* changes so near to each other are one */

static struct blink_place step_place(const struct caret_step *step)
{
	return (struct blink_place){
		step->all_left, step->top, step->all_right - 1, step->bottom, step->right, 1, step->at_ns, 0, 0, 0, false
	};
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

/* True if both have pixels in common, or would have with so many columns between them. */
static bool places_meet(const struct blink_place *a, const struct blink_place *b, int gap)
{
	return a->left <= b->right + gap && b->left <= a->right + gap && a->top <= b->bottom && b->top <= a->bottom;
}

/* True if a change goes on from a place as a caret does: over it or beside it, less than a line's height away. */
static bool goes_on(const struct blink_place *now, const struct blink_place *from)
{
	return !places_match(now, from) && places_meet(now, from, now->bottom - now->top) &&
	       (abs(now->edge - from->edge) >= CELL_MIN || now->bottom != from->bottom);
}

/* True if a change may be that of a caret that stands where the echo has put it. */
static bool is_blink(const struct blink_place *now, const struct blink_place *echo)
{
	return is_inside(now, echo) && abs(now->edge - echo->edge) < CELL_MIN;
}

bool blink_steps_meet(const struct caret_step *a, const struct caret_step *b)
{
	struct blink_place first = step_place(a), second = step_place(b);

	return places_meet(&first, &second, 0);
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
	to->edge = by->edge;
}

/* Adds a place, instead of the oldest one, if need be; of those that changed once, if there are any. */
static struct blink_place *add_place(struct blink_places *l, const struct blink_place *place)
{
	struct blink_place *old = &l->at[0];

	for (struct blink_place *p = l->at; p < l->at + l->n; p++)
		if ((p->times > 1) != (old->times > 1) ? p->times <= 1 : p->last_ns < old->last_ns)
			old = p;
	old = l->n < BLINK_PLACES ? &l->at[l->n++] : old;
	*old = *place;
	return old;
}

static bool is_wandering(const struct blink_places *l, const struct blink_place *now)
{
	for (const struct blink_place *p = l->at; p < l->at + l->n; p++)
		if (p->wanders && !is_forgotten(p, now->last_ns) && (places_match(now, p) || goes_on(now, p)))
			return true;
	return false;
}

void blink_learn_change(struct blink_filter *l, const struct caret_step *step, bool repeats)
{
	struct blink_place now = step_place(step);

	for (struct blink_place *p = l->alone.at; p < l->alone.at + l->alone.n; p++) {
		bool same = places_match(&now, p);

		if (is_forgotten(p, now.last_ns))
			continue;
		/* (after an echo, a caret blinks beside where it did before) */
		now.wanders |= p->last_ns > l->answered_ns && (same ? abs(now.edge - p->edge) >= CELL_MIN : goes_on(&now, p));
		if (!same)
			continue;
		p->wanders |= now.wanders;
		p->times++;
		widen_place(p, &now);
		renew_place(p, now.last_ns);
		return;
	}
	if ((l->echo.times && places_meet(&now, &l->echo, 0) && now.last_ns - l->echo.last_ns < BLINK_REDRAW_NS) ||
	    (l->pixels && 2 * count_place_pixels(&now) > l->pixels))
		return;
	now.times += repeats || (l->echo.times && places_match(&now, &l->echo));
	now.apart_ns = now.times > 1 ? now.last_ns - l->echo.last_ns : 0;
	add_place(&l->alone, &now);
}

struct blink_place *blink_find_place(struct blink_filter *l, const struct caret_step *step, int times)
{
	struct blink_place now = step_place(step);

	for (struct blink_place *p = l->alone.at; p < l->alone.at + l->alone.n; p++)
		if (p->times >= times && places_match(&now, p) && (is_inside(&now, p) || is_carry(&now, p)))
			return p;
	return NULL;
}

enum change_verdict blink_judge_change(struct blink_filter *l, const struct caret_step *step)
{
	struct blink_place now = step_place(step);
	enum change_verdict verdict = is_wandering(&l->alone, &now) ? CHANGE_DOUBTFUL : CHANGE_ECHO;

	for (struct blink_place *p = l->alone.at; p < l->alone.at + l->alone.n; p++) {
		/* the caret's place is in the last echo: there, a key that goes back looks like a carry */
		bool carry = is_carry(&now, p) && l->echo.times && !places_meet(p, &l->echo, 0);

		if (is_forgotten(p, now.last_ns) || (!is_inside(&now, p) && !carry))
			continue;
		if (!places_match(&now, p)) {
			verdict = p->times > 1 ? CHANGE_WITHIN : verdict;
			continue;
		}
		/* it goes on by itself, also while keys are under way all the time */
		if (carry)
			widen_place(p, &now);
		p->times += carry;
		renew_place(p, now.last_ns);
		if (p->times > 1)
			return CHANGE_WITHOUT_KEY;
		verdict = CHANGE_DOUBTFUL;
	}
	/* the caret stands at the right edge of the last echo, and may have had no time yet to blink there */
	if (!l->steady && l->echo.times && now.last_ns - l->echo.last_ns < BLINK_PERIOD_NS && is_blink(&now, &l->echo))
		return CHANGE_DOUBTFUL;
	return verdict;
}

/* The place of an answer becomes that of a change, if it goes on to it, or holds it, too. */
static void follow(struct blink_place *p, const struct blink_place *now)
{
	if (goes_on(now, p)) {
		p->left = p->top = INT_MAX;
		p->right = p->bottom = INT_MIN;
	}
	widen_place(p, now);
}

struct blink_place *blink_add_answer(struct blink_filter *l, const struct caret_step *step, int64_t sent_ns)
{
	struct blink_place now = step_place(step), *to = NULL;
	bool moved;

	for (struct blink_place *p = l->answers.at; p < l->answers.at + l->answers.n; p++)
		if ((places_match(&now, p) || goes_on(&now, p)) && (!to || p->times > to->times))
			to = p;
	moved = to && goes_on(&now, to);
	if (!to || to->last_ns < sent_ns)
		l->answered_ns = now.last_ns;
	now.wanders = is_wandering(&l->alone, &now);
	if (!to)
		return add_place(&l->answers, &now);
	to->wanders |= now.wanders;
	if (to->last_ns < sent_ns) {
		to->times++;
		renew_place(to, now.last_ns);
	} else if (!moved && now.last_ns - to->last_ns >= BLINK_REDRAW_NS) { /* a key is answered once */
		blink_learn_change(l, step, false);
	}
	if (moved) {
		to->wanders |= to->moved_ns >= sent_ns && now.last_ns - to->moved_ns >= BLINK_PERIOD_NS;
		to->moved_ns = to->moved_ns < sent_ns ? now.last_ns : to->moved_ns;
		to->moves++;
	}
	follow(to, &now);
	return to;
}

bool blink_echoes_part(const struct blink_filter *l)
{
	return l->parted && (2 * l->parted >= l->echoes || l->echoes < 6);
}

/* Counts an echo to which a change adds: inside it, but not where the caret stands now, or on to the right of it. */
static void count_parted(struct blink_filter *l, const struct blink_place *now)
{
	const struct blink_place *echo = &l->echo;
	bool adds = is_inside(now, echo) ? !is_blink(now, echo) : now->edge - echo->edge >= CELL_MIN;

	if (!adds || now->last_ns - echo->last_ns <= BLINK_PART_NS || l->parted_ns == echo->last_ns)
		return;
	l->parted++;
	l->parted_ns = echo->last_ns;
}

bool blink_learn_between(struct blink_filter *l, const struct caret_step *step, int64_t sent_ns)
{
	struct blink_place now = step_place(step), *echo = &l->echo;
	int64_t since = echo->times ? now.last_ns - echo->last_ns : INT64_MAX;
	bool meets = places_match(&now, echo) || places_meet(&now, echo, now.bottom - now.top);

	l->blinks |= echo->times && is_blink(&now, echo);
	l->steady &= !l->blinks;
	if (meets && since < (is_blink(&now, echo) ? BLINK_REDRAW_NS : BLINK_PERIOD_NS)) {
		count_parted(l, &now);
		blink_add_answer(l, step, sent_ns);
		now.last_ns = echo->last_ns;
		*echo = now;
		return false;
	}
	if (!meets && since <= BLINK_PERIOD_NS && !blink_find_place(l, step, 1) && !is_wandering(&l->alone, &now)) {
		blink_add_answer(l, step, sent_ns);
		return true;
	}
	for (struct blink_place *p = l->answers.at; p < l->answers.at + l->answers.n; p++)
		if (goes_on(&now, p)) {
			p->wanders = true;
			follow(p, &now);
		}
	blink_learn_change(l, step, false);
	return false;
}

/* True if the place of an answer is known to change by itself. */
static bool changes_alone(const struct blink_filter *l, const struct blink_place *answer)
{
	for (const struct blink_place *p = l->alone.at; p < l->alone.at + l->alone.n; p++)
		if (p->times > 1 && places_match(answer, p) && is_inside(answer, p))
			return true;
	return false;
}

/* True if an answer took over a third of the watching before the first key: it may be the tick of a clock. */
static bool is_slow(int64_t ns)
{
	return ns > BLINK_PERIOD_NS / 3;
}

/* True if what else has answered keys, or may begin to, leaves it open whether `to` is the place of echoes. A caret moves on, more
 * often than anything else; what stays at its place has answered three keys, and nothing else two. */
static bool has_rival(const struct blink_filter *l, const struct blink_place *to, int64_t at_ns, int64_t sent_ns)
{
	for (const struct blink_place *p = l->answers.at; p < l->answers.at + l->answers.n; p++)
		if (p != to && !p->wanders && at_ns - p->last_ns < BLINK_ONCE_NS + 3 * p->apart_ns && !changes_alone(l, p) &&
		    (to->moves ? p->moves >= to->moves || (is_slow(at_ns - sent_ns) && p->last_ns >= sent_ns && p->times > 1)
			       : p->times > 1 || to->times <= 2))
			return true;
	for (const struct blink_place *p = l->alone.at; p < l->alone.at + l->alone.n; p++)
		if (p->times == 1 && !is_forgotten(p, at_ns) && !to->moves && to->times <= 2)
			return true;
	return false;
}

/* True if echoes move on, or come in parts, and the change is where the last one has put the caret: it may hide or change its shape
 * at a key, before the character shows. */
static bool is_caret_alone(const struct blink_filter *l, const struct blink_place *now)
{
	if (!l->echo.times || !is_blink(now, &l->echo) || count_place_pixels(now) >= count_place_pixels(&l->echo))
		return false;
	for (const struct blink_place *p = l->answers.at; p < l->answers.at + l->answers.n; p++)
		if ((p->moves || l->parted) && places_meet(&l->echo, p, 0))
			return true;
	return false;
}

enum change_verdict blink_judge_answer(struct blink_filter *l, const struct caret_step *step, int64_t sent_ns)
{
	struct blink_place now = step_place(step);
	enum change_verdict verdict;
	const struct blink_place *to;

	l->steady |= !l->blinks && l->echo.times && sent_ns - l->echo.last_ns > BLINK_PERIOD_NS;
	verdict = blink_judge_change(l, step);
	if (verdict == CHANGE_WITHIN || verdict == CHANGE_WITHOUT_KEY)
		return verdict;
	if (is_caret_alone(l, &now))
		return CHANGE_DOUBTFUL;
	to = blink_add_answer(l, step, sent_ns);
	if (verdict == CHANGE_DOUBTFUL || to->wanders || has_rival(l, to, step->at_ns, sent_ns))
		return CHANGE_DOUBTFUL;
	/* (the caret may have been drawn after the letter) */
	if (to->moves ? to->last_ns < step->at_ns && !l->blinks : is_slow(step->at_ns - sent_ns))
		return CHANGE_UNSURE;
	if (blink_echoes_part(l))
		return CHANGE_UNSURE;
	return to->times == 1 ? CHANGE_FIRST : CHANGE_ECHO;
}

void blink_keep_echo(struct blink_filter *l, const struct caret_step *step)
{
	l->echo = step_place(step);
	l->echoes++;
	l->answered_ns = step->at_ns;
}
