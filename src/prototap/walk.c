// SPDX-License-Identifier: GPL-3.0-or-later
#include "walk.h"

#include <stddef.h>
#include <string.h>

static void pass(struct walk *w, uint64_t n)
{
	if (w->to)
		*w->to += n;
	else
		w->unclaimed += n;
	if (w->part)
		*w->part += n;
}

void walk_count(struct walk *w, uint64_t *to)
{
	w->to = to;
	w->part = NULL;
	if (!to)
		return;
	*to += w->unclaimed;
	w->unclaimed = 0;
}

void walk_stop(struct walk *w, const char *why)
{
	if (w->stopped)
		return;
	w->stopped = why;
	w->undecoded += w->unclaimed;
	w->unclaimed = 0;
}

void walk_take(struct walk *w, const uint8_t *bytes, uint32_t captured, uint32_t length, walk_step *step, void *context)
{
	uint32_t at = 0, n;

	while (at < length && !w->stopped) {
		if (w->skip) {
			n = w->skip < length - at ? (uint32_t)w->skip : length - at;
			w->skip -= n;
			pass(w, n);
			at += n;
			continue;
		}
		if (!w->want) {
			step(context, w, w->piece, 0);
			if (!w->skip && !w->want)
				walk_stop(w, "cannot go on");
			continue;
		}
		n = w->want - w->have < length - at ? w->want - w->have : length - at;
		if (w->want > WALK_PIECE || at + n > captured) {
			walk_stop(w, "packets were not kept whole");
			break;
		}
		memcpy(w->piece + w->have, bytes + at, n);
		w->have += n;
		at += n;
		pass(w, n);
		if (w->have == w->want) {
			n = w->want;
			w->have = w->want = 0;
			step(context, w, w->piece, n);
		}
	}
	w->undecoded += length - at;
}
