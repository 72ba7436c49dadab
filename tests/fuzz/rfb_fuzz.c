// SPDX-License-Identifier: GPL-3.0-or-later
/* rfb_fuzz - messages of RFB as a whole and in pieces: both must come to the same, and no byte is lost.
 *
 * Input: a byte that chooses (1: the client's messages; 2, 4: two or four bytes a pixel, else one; 8: of each piece only a part was
 * captured), one with the length of pieces, and the stream after the handshake. */
#include "mutate.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct heard {
	struct rfb_walk walk;
	struct skip_parser in;
	uint64_t told, passed, events, sum; /* bytes of messages, bytes skipped, what was said in this order */
};

static void hear_skipped(void *context, const uint8_t *bytes, uint32_t n)
{
	struct heard *h = context;

	for (uint32_t i = 0; i < n; i++)
		h->sum += bytes[i];
	h->passed += n;
}

static void hear_piece(void *context, struct skip_parser *w, const uint8_t *piece, uint32_t n)
{
	struct heard *h = context;
	enum rfb_walk_event event = rfb_walk_step(&h->walk, w, piece, n);

	if (event == RFB_WALK_MESSAGE)
		skip_parser_set_counter(w, &h->told);
	if (event == RFB_WALK_TO_MESSAGE)
		skip_parser_set_counter(w, NULL);
	h->events = (h->events + event + h->walk.r.kind * 7 + h->walk.kind) * 31;
}

/* Copies of their exact size: a read beyond is seen. */
static void feed(struct heard *h, uint8_t how, const uint8_t *data, uint32_t size, uint32_t most)
{
	*h = (struct heard){ .walk = rfb_fuzz_walk(how), .in.passed = hear_skipped };
	for (uint32_t at = 0, now, captured; at < size; at += now) {
		uint8_t *piece;

		now = size - at < most ? size - at : most;
		captured = how & 8 ? now - now / 4 : now;
		piece = malloc(captured ? captured : 1);
		if (!piece)
			abort();
		memcpy(piece, data + at, captured);
		skip_parser_feed(&h->in, piece, captured, now, hear_piece, h);
		free(piece);
	}
	if (h->told + h->in.unclaimed + h->in.undecoded != size || h->in.have > SKIP_PARSER_PIECE || h->passed > size)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct heard whole, pieces;

	if (size < 3 || size > UINT32_MAX)
		return 0;
	feed(&whole, data[0], data + 2, (uint32_t)size - 2, (uint32_t)size);
	feed(&pieces, data[0], data + 2, (uint32_t)size - 2, data[1] ? data[1] : 1);
	if (data[0] & 8)
		return 0;
	/* (a message that ends with a piece is left where its next byte comes: then, as a whole, it is, too) */
	if (whole.told != pieces.told || whole.events != pieces.events || whole.sum != pieces.sum ||
	    whole.in.skip != pieces.in.skip || whole.in.undecoded != pieces.in.undecoded || whole.in.stopped != pieces.in.stopped)
		abort();
	return 0;
}
