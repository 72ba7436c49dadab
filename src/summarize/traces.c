// SPDX-License-Identifier: GPL-3.0-or-later
#include "traces.h"
#include "room.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { KIND, TIME, END, KEY, LOW, HIGH, EXACT, BLOCK, CAPTURED };
static const char *const wire_columns[] = { "kind", "time_ns", "end_ns", "key", "low_ns", "high_ns", "exact", "block", "captured",
					    NULL };

static int wire_row(void *context, char *const *cell)
{
	struct traces *t = context;
	int64_t v[CAPTURED + 1];

	for (int c = TIME; c <= CAPTURED; c++)
		if (!rows_in_count(cell[c], &v[c]))
			return -EPROTO;
	if (!strcmp(cell[KIND], "update")) {
		struct trace_update *u = room_for(t->update, t->updates, sizeof(*u));

		if (!u)
			return -ENOMEM;
		t->update = u;
		if (v[TIME] == TRACE_NONE || v[END] < v[TIME] || (t->updates && v[TIME] < u[t->updates - 1].first))
			return -EPROTO;
		u[t->updates++] = (struct trace_update){ v[TIME], v[END] };
	} else if (!strcmp(cell[KIND], "key")) {
		struct trace_key *k = room_for(t->key, t->keys, sizeof(*k));
		bool captured;

		if (!k)
			return -ENOMEM;
		t->key = k;
		if (v[KEY] == TRACE_NONE || (t->keys && v[KEY] <= k[t->keys - 1].number))
			return -EPROTO;
		captured = v[CAPTURED] == TRACE_NONE ? v[TIME] != TRACE_NONE : v[CAPTURED] > 0;
		/* where prototap did not say it yet, the first key of a block told it */
		if (v[CAPTURED] == TRACE_NONE && t->keys && v[BLOCK] != TRACE_NONE && v[BLOCK] == k[t->keys - 1].block)
			captured = k[t->keys - 1].captured;
		k[t->keys++] = (struct trace_key){ v[KEY], v[TIME], v[LOW], v[HIGH], v[EXACT] > 0, captured, v[BLOCK] };
	}
	return 0;
}

int traces_read_wire(FILE *in, void *traces, unsigned long *line)
{
	return rows_in_read(in, "wire/1", wire_columns, BLOCK + 1, wire_row, traces, line);
}

enum { SEQ, RECEIVED, DRAW, FLUSHED };
static const char *const echo_columns[] = { "seq", "received_ns", "draw_ns", "flushed_ns", NULL };

static int echo_row(void *context, char *const *cell)
{
	struct traces *t = context;
	struct trace_echo *e = room_for(t->echo, t->echoes, sizeof(*e));
	int64_t v[FLUSHED + 1];

	if (!e)
		return -ENOMEM;
	t->echo = e;
	for (int c = 0; c <= FLUSHED; c++)
		if (!rows_in_count(cell[c], &v[c]))
			return -EPROTO;
	if (v[SEQ] == TRACE_NONE || (t->echoes && v[SEQ] <= e[t->echoes - 1].number))
		return -EPROTO;
	e[t->echoes++] = (struct trace_echo){ v[SEQ], v[RECEIVED], v[DRAW], v[FLUSHED] };
	return 0;
}

int traces_read_echo(FILE *in, void *traces, unsigned long *line)
{
	return rows_in_read(in, "echo/1", echo_columns, FLUSHED + 1, echo_row, traces, line);
}

void traces_free(struct traces *t)
{
	free(t->update);
	free(t->key);
	free(t->echo);
	*t = (struct traces){ 0 };
}

const struct trace_update *traces_update_at(const struct traces *t, int64_t ns)
{
	size_t low = 0, high = t->updates;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (t->update[middle].first <= ns)
			low = middle + 1;
		else
			high = middle;
	}
	return low ? &t->update[low - 1] : NULL;
}

static int by_number(const void *wanted, const void *row)
{
	int64_t a = *(const int64_t *)wanted, b = *(const int64_t *)row;

	return (a > b) - (a < b);
}

const struct trace_key *traces_key(const struct traces *t, int64_t number)
{
	return t->keys ? bsearch(&number, t->key, t->keys, sizeof(*t->key), by_number) : NULL;
}

const struct trace_echo *traces_echo(const struct traces *t, int64_t number)
{
	return t->echoes ? bsearch(&number, t->echo, t->echoes, sizeof(*t->echo), by_number) : NULL;
}
