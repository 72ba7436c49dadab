/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ring - spans of time from one thread to another, without locks or system calls.
 *
 * One writer, one reader, in two threads or two processes that share the memory. Fixed in size: when the reader is
 * late, new spans are dropped and counted, and the writer never waits. The writer touches only memory that it has
 * touched before. */
#ifndef THINPROBE_RING_H
#define THINPROBE_RING_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define RING_ROOM 16384		/* a power of two; 256 KB */

struct span {
	int64_t from, to;	/* in the unit of the writer's clock */
};

struct span_ring {
	_Alignas(64) _Atomic uint32_t head;	/* written by the writer */
	_Atomic int64_t overflowed;
	_Alignas(64) _Atomic uint32_t tail;	/* written by the reader */
	_Alignas(64) struct span span[RING_ROOM];
};

static inline void ring_push(struct span_ring *r, int64_t from, int64_t to)
{
	uint32_t head = atomic_load_explicit(&r->head, memory_order_relaxed);

	if (head - atomic_load_explicit(&r->tail, memory_order_acquire) >= RING_ROOM) {
		atomic_fetch_add_explicit(&r->overflowed, 1, memory_order_relaxed);
		return;
	}
	r->span[head % RING_ROOM] = (struct span){ from, to };
	atomic_store_explicit(&r->head, head + 1, memory_order_release);
}

/* The oldest span, which stays where it is. False when there is none. */
static inline bool ring_peek(struct span_ring *r, struct span *out)
{
	uint32_t tail = atomic_load_explicit(&r->tail, memory_order_relaxed);

	if (tail == atomic_load_explicit(&r->head, memory_order_acquire))
		return false;
	*out = r->span[tail % RING_ROOM];
	return true;
}

static inline void ring_drop(struct span_ring *r)
{
	atomic_store_explicit(&r->tail, atomic_load_explicit(&r->tail, memory_order_relaxed) + 1, memory_order_release);
}

#endif
