// SPDX-License-Identifier: GPL-3.0-or-later
#include "traces.h"
#include "memory.h"

#include <errno.h>

enum { TRACES_KIND, TRACES_TIME, TRACES_END, TRACES_KEY, TRACES_LOW, TRACES_HIGH, TRACES_EXACT, TRACES_BLOCK, TRACES_CAPTURED };

static int store_wire(void *into, const struct input_cell *c)
{
	struct train_traces *t = into;

	if (!strcmp(c[TRACES_KIND].text, "update")) {
		struct trace_screen_update *u = memory_more(t->update, t->updates);

		if (c[TRACES_TIME].count == TRACE_NONE || c[TRACES_END].count < c[TRACES_TIME].count ||
		    (t->updates && c[TRACES_TIME].count < u[t->updates - 1].first))
			return -EPROTO;
		u[t->updates++] = (struct trace_screen_update){ c[TRACES_TIME].count, c[TRACES_END].count };
	} else if (!strcmp(c[TRACES_KIND].text, "key")) {
		struct trace_wire_key *k = memory_more(t->key, t->keys);
		bool captured =
			c[TRACES_CAPTURED].count == TRACE_NONE ? c[TRACES_TIME].count != TRACE_NONE : c[TRACES_CAPTURED].count > 0;

		if (c[TRACES_KEY].count == TRACE_NONE || (t->keys && c[TRACES_KEY].count <= k[t->keys - 1].number))
			return -EPROTO;
		/* files without the column `captured`: a block is captured if its first key has a time */
		if (c[TRACES_CAPTURED].count == TRACE_NONE && t->keys && c[TRACES_BLOCK].count != TRACE_NONE &&
		    c[TRACES_BLOCK].count == k[t->keys - 1].block)
			captured = k[t->keys - 1].captured;
		k[t->keys++] = (struct trace_wire_key){ c[TRACES_KEY].count,  c[TRACES_TIME].count,	 c[TRACES_LOW].count,
							c[TRACES_HIGH].count, c[TRACES_EXACT].count > 0, captured,
							c[TRACES_BLOCK].count };
	}
	return 0;
}

static int store_echo(void *into, const struct input_cell *c)
{
	struct train_traces *t = into;
	struct trace_app_echo *e = memory_more(t->echo, t->echoes);

	if (c[0].count == TRACE_NONE || (t->echoes && c[0].count <= e[t->echoes - 1].number))
		return -EPROTO;
	e[t->echoes++] = (struct trace_app_echo){ c[0].count, c[1].count, c[2].count, c[3].count };
	return 0;
}

const struct input_table traces_wire = {
	"wire/1",
	"$kind time_ns end_ns key low_ns high_ns exact block | captured",
	store_wire,
	NULL,
};
const struct input_table traces_echoes = { "echo/1", "seq received_ns draw_ns flushed_ns", store_echo, NULL };

void traces_free(struct train_traces *t)
{
	free(t->update);
	free(t->key);
	free(t->echo);
	*t = (struct train_traces){ 0 };
}

size_t traces_count_updates(const struct train_traces *t, int64_t ns)
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

const struct trace_screen_update *traces_last_update(const struct train_traces *t, int64_t ns)
{
	size_t n = traces_count_updates(t, ns);

	return n ? &t->update[n - 1] : NULL;
}

static int compare_numbers(const void *wanted, const void *row)
{
	int64_t a = *(const int64_t *)wanted, b = *(const int64_t *)row;

	return (a > b) - (a < b);
}

const struct trace_wire_key *traces_find_key(const struct train_traces *t, int64_t number)
{
	return t->keys ? bsearch(&number, t->key, t->keys, sizeof(*t->key), compare_numbers) : NULL;
}

const struct trace_app_echo *traces_find_echo(const struct train_traces *t, int64_t number)
{
	return t->echoes ? bsearch(&number, t->echo, t->echoes, sizeof(*t->echo), compare_numbers) : NULL;
}

/* --- check of latencies from packets ---------------------------------------------------------------------------- */

/* Returns the key in the packets; NULL: the capture does not contain its block. A key that crossed the link only after the next key
 * was sent has no time of its own, but is paired like all others: leaving it out would drop the late keys. */
static const struct trace_wire_key *find_captured(const struct train_traces *wire, const struct key_times *k)
{
	const struct trace_wire_key *t = traces_find_key(wire, k->number);

	return t && t->captured ? t : NULL;
}

struct wire_check_counts wire_check_compare(const struct key_samples *pixels, const struct train_traces *wire)
{
	struct wire_check_counts out = { 0 };

	for (size_t i = 0; i < pixels->n; i++) {
		const struct key_times *k = &pixels->key[i];
		const struct trace_wire_key *t = find_captured(wire, k);
		const struct trace_screen_update *shown = k->exact ? traces_last_update(wire, k->answer_ns) : NULL;

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
static int64_t find_earliest_answer(const struct train_traces *wire, const struct trace_wire_key *t, int64_t sent)
{
	int64_t gone = t->seen != TRACE_NONE ? t->seen : sent;
	size_t next = traces_count_updates(wire, gone);

	if (t->low != TRACE_NONE)
		return t->low;
	return next < wire->updates ? wire->update[next].first : gone;
}

struct key_samples wire_check_make_keys(const struct key_samples *pixels, const struct train_traces *wire)
{
	struct key_samples out = { .skipped = pixels->skipped, .key = memory_new(pixels->n, sizeof(*out.key)) };

	for (size_t i = 0; i < pixels->n; i++) {
		struct key_times k = pixels->key[i];
		const struct trace_wire_key *t = find_captured(wire, &k);

		if (!t)
			continue;
		k.answer_ns = t->low == TRACE_NONE ? 0 : t->low;
		k.high_ns = t->high == TRACE_NONE ? 0 : t->high;
		k.exact = k.answer_ns && k.high_ns == k.answer_ns;
		k.censored_ns = k.answer_ns && k.high_ns ? 0 : find_earliest_answer(wire, t, k.sent_ns ? k.sent_ns : k.due_ns);
		out.ranged = out.ranged || (k.answer_ns && !k.exact);
		out.key[out.n++] = k;
	}
	return out;
}
