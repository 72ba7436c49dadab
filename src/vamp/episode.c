// SPDX-License-Identifier: GPL-3.0-or-later
#include "episode.h"

struct episode_turn episode_event(struct episode *e, int64_t now_ns, bool sound)
{
	struct episode_turn turn = { .ends = e->lasts && !sound, .begins = !e->lasts || !sound };

	if (turn.begins) {
		e->lasts = true;
		e->since_ns = now_ns;
	}
	return turn;
}

bool episode_over(struct episode *e, int64_t now_ns)
{
	bool over = now_ns >= episode_due(e);

	if (over)
		e->lasts = false;
	return over;
}

int64_t episode_due(const struct episode *e)
{
	return e->lasts ? e->since_ns + e->most_ns : INT64_MAX;
}
