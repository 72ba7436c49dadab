/* SPDX-License-Identifier: GPL-3.0-or-later */
/* order - the bytes of one direction of a connection in sequence order, for who reads them.
 *
 * stream.h says which bytes are new and where holes are; here a copy of what comes early waits for
 * the hole before it to close. What was not captured, or found no room, is told as a length without
 * bytes. Only for connections that somebody reads. */
#ifndef PROTOTAP_ORDER_H
#define PROTOTAP_ORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ORDER_ROOM (16u << 20)	/* bytes of early data, of all connections together; what it takes to keep them is among them */

/* The next `length` bytes of the stream, of which the first `captured` are there. */
typedef void reorder_fn(void *context, const uint8_t *bytes, uint32_t captured, uint32_t length);

struct reorder {
	int64_t next;			/* offset of the first byte that was not handed over */
	struct reorder_piece *first, *last;	/* early data, ascending */
};

/* A segment's payload at `start`. `*held` is what waits, of all connections. */
void reorder_take(struct reorder *o, size_t *held, int64_t start, const uint8_t *bytes, uint32_t captured,
		uint32_t length, reorder_fn *fn, void *context);

/* All before `end` counts as had: what of it waits is handed over, over all holes. */
static inline bool reorder_has_hole(const struct reorder *o, int64_t end)
{
	return end > o->next;
}
void reorder_skip(struct reorder *o, size_t *held, int64_t end, reorder_fn *fn, void *context);

void reorder_free(struct reorder *o, size_t *held);

#endif
