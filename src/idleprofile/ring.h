/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ring - a ring buffer of time spans from one writer to one reader, without locks or system calls.
 *
 * Writer and reader are two threads, or two processes that share the memory. When the ring is full, new spans are dropped and
 * counted; the writer never waits, and touches no memory that it has not touched before. */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

_Static_assert(ATOMIC_LLONG_LOCK_FREE == 2,
	       "idleprofile is not supported here: atomics of 64 bits would need locks, which two processes cannot share");

#define RING_ROOM 16384 /* spans; a power of two; 256 KB */

struct time_span {
	int64_t from, to; /* in the unit of the writer's clock */
};

struct span_ring {
	_Alignas(64) _Atomic uint32_t head; /* number of spans written; changed by the writer only */
	_Atomic int64_t overflowed;
	_Alignas(64) _Atomic uint32_t tail; /* number of spans read; changed by the reader only */
	_Alignas(64) struct time_span span[RING_ROOM];
};

static inline void ring_push(struct span_ring *r, int64_t from, int64_t to)
{
	uint32_t head = atomic_load_explicit(&r->head, memory_order_relaxed);

	if (head - atomic_load_explicit(&r->tail, memory_order_acquire) >= RING_ROOM) {
		atomic_fetch_add_explicit(&r->overflowed, 1, memory_order_relaxed);
		return;
	}
	r->span[head % RING_ROOM] = (struct time_span){ from, to };
	atomic_store_explicit(&r->head, head + 1, memory_order_release);
}

/* Copies the oldest span, and leaves it in the ring. False: the ring is empty. */
static inline bool ring_peek(struct span_ring *r, struct time_span *out)
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
