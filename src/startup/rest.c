// SPDX-License-Identifier: GPL-3.0-or-later
#include "rest.h"

#define TURNS 3		/* A B A B: each of the two has come back */

void rest_start(struct rest *r, int64_t quiet_ns)
{
	*r = (struct rest){ .quiet_ns = quiet_ns };
}

void rest_after(struct rest *r, const struct rest *last, int64_t quiet_ns)
{
	rest_start(r, quiet_ns);
	if (!last->any)
		return;
	r->known[r->knowns++] = last->now;
	if (last->turns >= 2)	/* one of them came back: a pair, not the way from one to the other */
		r->known[r->knowns++] = last->before;
}

static bool picture_known(const struct rest *r, uint64_t picture)
{
	for (int i = 0; i < r->knowns; i++)
		if (r->known[i] == picture)
			return true;
	return false;
}

void rest_seen(struct rest *r, int64_t at_ns, uint64_t picture)
{
	bool back = r->turns && picture == r->before;

	if (!r->changed) {
		if (picture_known(r, picture))
			return;
		r->changed = true;
		r->first_change_ns = at_ns;
	}
	if (r->any && picture == r->now)
		return;
	r->changes += r->any;
	if (back) {
		r->turns++;
	} else {
		r->reached = false;
		r->pair_ns = r->any ? r->now_ns : at_ns;
		r->turns = r->any;
	}
	r->before = r->now;
	r->now = picture;
	r->now_ns = at_ns;
	r->any = true;
}

bool rest_reached(struct rest *r, int64_t now_ns)
{
	bool pair = r->turns >= TURNS && now_ns - r->pair_ns >= r->quiet_ns;

	if (!r->any)
		return false;
	if (r->reached) {
		/* the step just before the rest turns out to have been the caret's */
		if (pair && r->pair_ns < r->rest_ns)
			r->rest_ns = r->pair_ns;
		return true;
	}
	if (!pair && now_ns - r->now_ns < r->quiet_ns)
		return false;
	r->rest_ns = pair ? r->pair_ns : r->now_ns;
	return r->reached = true;
}
