// SPDX-License-Identifier: GPL-3.0-or-later
#include "reorder.h"

#include <stdlib.h>
#include <string.h>

#define PIECE_COST 1024	      /* bytes that a piece counts besides its data, to keep the list that is searched short */
#define LENGTH_MAX (1u << 30) /* longest piece */

struct reorder_piece {
	struct reorder_piece *next;
	int64_t start;
	uint32_t captured, length, room;
	uint8_t *bytes;
};

static void hand_over(struct reorder_buffer *o, int64_t start, const uint8_t *bytes, uint32_t captured, uint32_t length,
		      reorder_fn *fn, void *context)
{
	uint32_t old = (uint32_t)(o->next - start);

	if (start + length <= o->next)
		return;
	o->next = start + length;
	fn(context, o->channel, captured > old ? bytes + old : NULL, captured > old ? captured - old : 0, length - old);
}

static void drop_first_piece(struct reorder_buffer *o, size_t *held)
{
	struct reorder_piece *p = o->first;

	o->first = p->next;
	if (o->last == p)
		o->last = NULL;
	*held -= PIECE_COST + p->room;
	free(p->bytes);
	free(p);
}

/* Gives the piece room for `bytes` in all, by doubling. False: no room. */
static bool grow_piece(struct reorder_piece *p, size_t *held, uint32_t bytes)
{
	uint32_t room = bytes > 2 * p->room ? bytes : 2 * p->room;
	uint8_t *larger;

	if (bytes <= p->room)
		return true;
	if (*held + room - p->room > REORDER_ROOM)
		room = bytes;
	if (*held + room - p->room > REORDER_ROOM)
		return false;
	larger = realloc(p->bytes, room);
	if (!larger)
		return false;
	*held += room - p->room;
	p->bytes = larger;
	p->room = room;
	return true;
}

static struct reorder_piece *insert_piece(struct reorder_buffer *o, size_t *held, struct reorder_piece *before, int64_t start)
{
	struct reorder_piece *p = *held + PIECE_COST > REORDER_ROOM ? NULL : calloc(1, sizeof(*p));
	struct reorder_piece **at = before ? &before->next : &o->first;

	if (!p)
		return NULL;
	*held += PIECE_COST;
	p->start = start;
	p->next = *at;
	*at = p;
	if (!p->next)
		o->last = p;
	return p;
}

/* The last piece that begins at or before `start`, nearly always the last one; NULL: none. */
static struct reorder_piece *find_previous_piece(const struct reorder_buffer *o, int64_t start)
{
	struct reorder_piece *before = NULL, *p = o->last && o->last->start <= start ? o->last : o->first;

	for (; p && p->start <= start; p = p->next)
		before = p;
	return before;
}

/* Keeps early data. Data that touches a piece joins it, so there are no more pieces than holes; a piece with bytes missing at its
 * end is joined by a length only. Data that finds no room is dropped. */
static void keep_early_bytes(struct reorder_buffer *o, size_t *held, int64_t start, const uint8_t *bytes, uint32_t captured,
			     uint32_t length)
{
	struct reorder_piece *before = find_previous_piece(o, start), *to = NULL;
	int64_t end = before ? before->start + before->length : start - 1;
	uint32_t old = end > start ? (uint32_t)(end - start) : 0;

	if (old >= length)
		return;
	bytes += captured > old ? old : 0;
	captured -= captured > old ? old : captured;
	length -= old;
	if (end >= start && before->length < LENGTH_MAX)
		to = before;
	if (!to || (captured && to->captured < to->length)) {
		struct reorder_piece *fresh = insert_piece(o, held, before, start + old);

		to = fresh ? fresh : to;
	}
	if (!to)
		return;
	/* Bytes that find no room, and all bytes after them, are kept as a length only. */
	if (captured && to->captured == to->length && grow_piece(to, held, to->captured + captured)) {
		memcpy(to->bytes + to->captured, bytes, captured);
		to->captured += captured;
	}
	to->length += length;
}

void reorder_add(struct reorder_buffer *o, size_t *held, int64_t start, const uint8_t *bytes, uint32_t captured, uint32_t length,
		 reorder_fn *fn, void *context)
{
	if (start > o->next) {
		keep_early_bytes(o, held, start, bytes, captured, length);
		return;
	}
	hand_over(o, start, bytes, captured, length, fn, context);
	while (o->first && o->first->start <= o->next) {
		hand_over(o, o->first->start, o->first->bytes, o->first->captured, o->first->length, fn, context);
		drop_first_piece(o, held);
	}
}

void reorder_skip_holes(struct reorder_buffer *o, size_t *held, int64_t end, reorder_fn *fn, void *context)
{
	while (o->first && o->first->start < end) {
		if (o->first->start > o->next)
			o->next = o->first->start;
		hand_over(o, o->first->start, o->first->bytes, o->first->captured, o->first->length, fn, context);
		drop_first_piece(o, held);
	}
	if (end > o->next)
		o->next = end;
}

void reorder_free(struct reorder_buffer *o, size_t *held)
{
	while (o->first)
		drop_first_piece(o, held);
}
