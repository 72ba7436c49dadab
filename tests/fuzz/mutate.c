// SPDX-License-Identifier: GPL-3.0-or-later
#include "mutate.h"

#include <string.h>

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);

#define PART_MOST 8192 /* longer parts are left alone */

enum { CHANGE, DOUBLE, MOVE, LEAVE_OUT, ACTIONS };

/* The bytes from `at` to `end` become the `n` of `by`. */
static size_t replace(uint8_t *data, size_t size, size_t at, size_t end, const uint8_t *by, size_t n)
{
	memmove(data + at + n, data + end, size - end);
	memcpy(data + at, by, n);
	return size - (end - at) + n;
}

size_t mutate_parts(const struct mutate_parts *parts, uint8_t *data, size_t size, size_t most, unsigned seed)
{
	static uint8_t part[PART_MOST];
	size_t at, end, to, n, room;

	if (!parts->n || seed % 8 == 0)
		return LLVMFuzzerMutate(data, size, most);
	at = parts->at[seed / 8 % parts->n];
	end = parts->at[seed / 8 % parts->n + 1];
	to = parts->at[seed / 1024 % (parts->n + 1)];
	n = end - at;
	if (n > PART_MOST)
		return LLVMFuzzerMutate(data, size, most);
	memcpy(part, data + at, n);
	switch (seed / 131072 % ACTIONS) {
	case DOUBLE: return size + n > most ? size : replace(data, size, to, to, part, n);
	case MOVE:
		size = replace(data, size, at, end, part, 0);
		to = to <= at ? to : to >= end ? to - n : at;
		return replace(data, size, to, to, part, n);
	case LEAVE_OUT: return parts->n == 1 ? size : replace(data, size, at, end, part, 0);
	default: break;
	}
	room = most - (size - n) < PART_MOST ? most - (size - n) : PART_MOST;
	n = LLVMFuzzerMutate(part, n, room);
	if (parts->seal)
		n = parts->seal(part, n, room);
	return replace(data, size, at, end, part, n);
}

struct finding {
	struct rfb_walk walk;
	struct mutate_parts parts;
	size_t at; /* of this byte */
};

static void find_piece(void *context, struct skip_parser *w, const uint8_t *piece, uint32_t n)
{
	struct finding *f = context;

	if (rfb_walk_step(&f->walk, w, piece, n) == RFB_WALK_MESSAGE && f->parts.n < MUTATE_PARTS)
		f->parts.at[f->parts.n++] = f->at;
}

size_t mutate_rfb(struct rfb_walk walk, size_t head, uint8_t *data, size_t size, size_t most, unsigned seed)
{
	struct finding f = { .walk = walk };
	struct skip_parser in = { .want = 0 };

	/* byte by byte: a message begins at the byte with which it is told */
	for (f.at = head; f.at < size && !in.stopped; f.at++)
		skip_parser_feed(&in, data + f.at, 1, 1, find_piece, &f);
	f.parts.at[f.parts.n] = size;
	return mutate_parts(&f.parts, data, size, most, seed);
}
