// SPDX-License-Identifier: GPL-3.0-or-later
#include "traces.h"
#include "memory.h"

#include <errno.h>

enum { TRACES_KIND, TRACES_TIME, TRACES_END, TRACES_KEY, TRACES_LOW, TRACES_HIGH, TRACES_EXACT, TRACES_BLOCK, TRACES_CAPTURED };

static int traces_add_wire(void *into, const struct rows_cell *c)
{
	struct traces *t = into;

	if (!strcmp(c[TRACES_KIND].text, "update")) {
		struct trace_update *u = memory_more(t->update, t->updates);

		if (c[TRACES_TIME].count == TRACE_NONE || c[TRACES_END].count < c[TRACES_TIME].count ||
		    (t->updates && c[TRACES_TIME].count < u[t->updates - 1].first))
			return -EPROTO;
		u[t->updates++] = (struct trace_update){ c[TRACES_TIME].count, c[TRACES_END].count };
	} else if (!strcmp(c[TRACES_KIND].text, "key")) {
		struct trace_key *k = memory_more(t->key, t->keys);
		bool captured = c[TRACES_CAPTURED].count == TRACE_NONE ? c[TRACES_TIME].count != TRACE_NONE : c[TRACES_CAPTURED].count > 0;

		if (c[TRACES_KEY].count == TRACE_NONE || (t->keys && c[TRACES_KEY].count <= k[t->keys - 1].number))
			return -EPROTO;
		/* files without the column `captured`: a block is captured if its first key has a time */
		if (c[TRACES_CAPTURED].count == TRACE_NONE && t->keys && c[TRACES_BLOCK].count != TRACE_NONE &&
		    c[TRACES_BLOCK].count == k[t->keys - 1].block)
			captured = k[t->keys - 1].captured;
		k[t->keys++] = (struct trace_key){ c[TRACES_KEY].count, c[TRACES_TIME].count, c[TRACES_LOW].count, c[TRACES_HIGH].count,
						   c[TRACES_EXACT].count > 0, captured, c[TRACES_BLOCK].count };
	}
	return 0;
}

static int traces_add_echo(void *into, const struct rows_cell *c)
{
	struct traces *t = into;
	struct trace_echo *e = memory_more(t->echo, t->echoes);

	if (c[0].count == TRACE_NONE || (t->echoes && c[0].count <= e[t->echoes - 1].number))
		return -EPROTO;
	e[t->echoes++] = (struct trace_echo){ c[0].count, c[1].count, c[2].count, c[3].count };
	return 0;
}

const struct rows_kind traces_wire = {
	"wire/1", "$kind time_ns end_ns key low_ns high_ns exact block | captured", traces_add_wire, NULL,
};
const struct rows_kind traces_echoes = { "echo/1", "seq received_ns draw_ns flushed_ns", traces_add_echo, NULL };

void traces_free(struct traces *t)
{
	free(t->update);
	free(t->key);
	free(t->echo);
	*t = (struct traces){ 0 };
}

size_t traces_updates_by(const struct traces *t, int64_t ns)
{
	size_t low = 0, high = t->updates;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (t->update[middle].first <= ns)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

const struct trace_update *traces_update_at(const struct traces *t, int64_t ns)
{
	size_t n = traces_updates_by(t, ns);

	return n ? &t->update[n - 1] : NULL;
}

static int traces_compare_number(const void *wanted, const void *row)
{
	int64_t a = *(const int64_t *)wanted, b = *(const int64_t *)row;

	return (a > b) - (a < b);
}

const struct trace_key *traces_key(const struct traces *t, int64_t number)
{
	return t->keys ? bsearch(&number, t->key, t->keys, sizeof(*t->key), traces_compare_number) : NULL;
}

const struct trace_echo *traces_echo(const struct traces *t, int64_t number)
{
	return t->echoes ? bsearch(&number, t->echo, t->echoes, sizeof(*t->echo), traces_compare_number) : NULL;
}

/* --- check of latencies from packets ---------------------------------------------------------------------------- */

/* Returns the key in the packets; NULL: the capture does not contain its block. A key that crossed the link only after the next key
 * was sent has no time of its own, but is paired like all others: leaving it out would drop the late keys. */
static const struct trace_key *traces_captured_key(const struct traces *wire, const struct key *k)
{
	const struct trace_key *t = traces_key(wire, k->number);

	return t && t->captured ? t : NULL;
}

struct wire_check wire_check_of(const struct keys *pixels, const struct traces *wire)
{
	struct wire_check out = { 0 };

	for (size_t i = 0; i < pixels->n; i++) {
		const struct key *k = &pixels->key[i];
		const struct trace_key *t = traces_captured_key(wire, k);
		const struct trace_update *shown = key_exact(k) ? traces_update_at(wire, k->answer) : NULL;

		if (!t || !shown) {
			out.untested++;
			continue;
		}
		out.keys++;
		out.exact += t->exact;
		out.held += t->low != TRACE_NONE && t->low <= shown->first && (t->high == TRACE_NONE || shown->first <= t->high);
	}
	return out;
}

/* Returns a lower bound of the time of an answer whose range has no end. */
static int64_t traces_earliest_answer(const struct traces *wire, const struct trace_key *t, int64_t sent)
{
	int64_t gone = t->seen != TRACE_NONE ? t->seen : sent;
	size_t next = traces_updates_by(wire, gone);

	if (t->low != TRACE_NONE)
		return t->low;
	return next < wire->updates ? wire->update[next].first : gone;
}

struct keys wire_check_keys(const struct keys *pixels, const struct traces *wire)
{
	struct keys out = { .skipped = pixels->skipped, .key = memory_new(pixels->n, sizeof(*out.key)) };

	for (size_t i = 0; i < pixels->n; i++) {
		struct key k = pixels->key[i];
		const struct trace_key *t = traces_captured_key(wire, &k);

		if (!t)
			continue;
		k.answer = t->low;
		k.answer_high = t->high;
		k.censored = t->low == TRACE_NONE || t->high == TRACE_NONE ?
			traces_earliest_answer(wire, t, k.sent == KEY_NONE ? k.due : k.sent) : KEY_NONE;
		out.ranged = out.ranged || (k.answer != KEY_NONE && k.answer_high != k.answer);
		out.key[out.n++] = k;
	}
	return out;
}
