// SPDX-License-Identifier: GPL-3.0-or-later
#include "stability.h"

#define TURNS 3 /* changes after which each of two pictures has come back: A B A B */

void stability_init(struct stability *r, int64_t quiet_ns)
{
	*r = (struct stability){ .quiet_ns = quiet_ns };
}

void stability_restart(struct stability *r, const struct stability *last, int64_t quiet_ns)
{
	stability_init(r, quiet_ns);
	if (!last->any)
		return;
	r->known[r->knowns++] = last->now;
	if (last->turns >= 2) /* one of them came back: a blinking caret, not a change from one picture to the other */
		r->known[r->knowns++] = last->before;
}

static bool is_picture_known(const struct stability *r, uint64_t picture)
{
	for (int i = 0; i < r->knowns; i++)
		if (r->known[i] == picture)
			return true;
	return false;
}

void stability_add_look(struct stability *r, int64_t at_ns, uint64_t picture)
{
	bool back = r->turns && picture == r->before;

	if (!r->changed) {
		if (is_picture_known(r, picture))
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

int64_t stability_last_change(const struct stability *r)
{
	return r->turns >= 2 ? r->pair_ns : r->now_ns;
}

bool stability_update(struct stability *r, int64_t now_ns)
{
	bool pair = r->turns >= TURNS && now_ns - r->pair_ns >= r->quiet_ns;

	if (!r->any)
		return false;
	if (r->reached) {
		/* the last change before content became stable was the caret's already */
		if (pair && r->pair_ns < r->stable_ns)
			r->stable_ns = r->pair_ns;
		return true;
	}
	if (!pair && now_ns - r->now_ns < r->quiet_ns)
		return false;
	r->stable_ns = pair ? r->pair_ns : r->now_ns;
	return r->reached = true;
}
