/* SPDX-License-Identifier: GPL-3.0-or-later */
/* reorder - the bytes of one direction of a TCP connection in sequence order, for connections whose payload is read.
 *
 * stream.h finds new bytes and holes; reorder keeps a copy of early bytes until the hole before them closes. Bytes that were not
 * captured, or found no room, are handed over as a length only. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define REORDER_ROOM (16u << 20) /* bytes of memory for early data of all connections together */

/* Gets the next `length` bytes of the stream, of which only the first `captured` are in `bytes`. */
typedef void reorder_fn(void *context, int channel, const uint8_t *bytes, uint32_t captured, uint32_t length);

struct reorder_buffer {
	int channel;			    /* the caller's, for its function */
	int64_t next;			    /* offset of the first byte that was not handed over */
	struct reorder_piece *first, *last; /* early data, ascending */
};

/* Adds a segment's payload at offset `start`, and hands over what is in order. `*held`: memory of early data of all connections. */
void reorder_add(struct reorder_buffer *o, size_t *held, int64_t start, const uint8_t *bytes, uint32_t captured, uint32_t length,
		 reorder_fn *fn, void *context);

/* Whether bytes before offset `end` are missing. */
static inline bool reorder_has_hole(const struct reorder_buffer *o, int64_t end)
{
	return end > o->next;
}
/* Gives up all holes before offset `end`, and hands over the early data there. */
void reorder_skip_holes(struct reorder_buffer *o, size_t *held, int64_t end, reorder_fn *fn, void *context);

void reorder_free(struct reorder_buffer *o, size_t *held);
