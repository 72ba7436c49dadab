// SPDX-License-Identifier: GPL-3.0-or-later
#include "mutate.h"

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
