// SPDX-License-Identifier: GPL-3.0-or-later
#include "truth.h"

#include <errno.h>
#include <stdlib.h>

static bool exact_in_pixels(const struct key *k)
{
	return k->answer != KEY_NONE && (k->answer_high == KEY_NONE ? k->censored == KEY_NONE : k->answer_high == k->answer);
}

/* NULL for a key of a block that the capture does not hold. One that crossed only after the next key was sent was not seen on its
 * own, but is paired like all others: to leave it out would drop the late ones. */
static const struct trace_key *told(const struct traces *wire, const struct key *k)
{
	const struct trace_key *t = traces_key(wire, k->number);

	return t && t->captured ? t : NULL;
}

void truth_of(const struct keys *pixels, const struct traces *wire, struct truth *out)
{
	*out = (struct truth){ 0 };
	for (size_t i = 0; i < pixels->n; i++) {
		const struct key *k = &pixels->key[i];
		const struct trace_key *t = told(wire, k);
		const struct trace_update *shown = exact_in_pixels(k) ? traces_update_at(wire, k->answer) : NULL;

		if (!t || !shown) {
			out->untested++;
			continue;
		}
		out->keys++;
		out->exact += t->exact;
		out->held += t->low != TRACE_NONE && t->low <= shown->first && (t->high == TRACE_NONE || shown->first <= t->high);
	}
}

/* A time that the answer is surely not before: nothing more is known of its end. */
static int64_t not_before(const struct traces *wire, const struct trace_key *t, int64_t sent)
{
	int64_t gone = t->seen != TRACE_NONE ? t->seen : sent;
	const struct trace_update *u = traces_update_at(wire, gone);
	size_t next = u ? (size_t)(u - wire->update) + 1 : 0;

	if (t->low != TRACE_NONE)
		return t->low;
	return next < wire->updates ? wire->update[next].first : gone;
}

int truth_wire_keys(const struct keys *pixels, const struct traces *wire, struct keys *out)
{
	*out = (struct keys){ .skipped = pixels->skipped };
	out->key = calloc(pixels->n ? pixels->n : 1, sizeof(*out->key));
	if (!out->key)
		return -ENOMEM;
	for (size_t i = 0; i < pixels->n; i++) {
		struct key k = pixels->key[i];
		const struct trace_key *t = told(wire, &k);

		if (!t)
			continue;
		k.answer = t->low;
		k.answer_high = t->high;
		k.censored = t->low == TRACE_NONE || t->high == TRACE_NONE ? not_before(wire, t, k.sent == KEY_NONE ? k.due : k.sent) : KEY_NONE;
		out->ranged = out->ranged || (k.answer != KEY_NONE && k.answer_high != k.answer);
		out->key[out->n++] = k;
	}
	return 0;
}
