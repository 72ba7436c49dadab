/* SPDX-License-Identifier: GPL-3.0-or-later */
/* delay_queue - packets under way: a priority queue by due time, with a slot of memory for each packet. Pure.
 *
 * Packets with equal due times leave in the order of their arrival. Only delay_queue_new() allocates. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define DELAY_QUEUE_SLOT 2048 /* bytes of a slot; a frame that fills it was longer, and is refused */

struct delay_queue_item {
	int64_t due_ns;
	uint64_t number; /* order of arrival among all packets */
	uint32_t slot, bytes;
	int way;
};

struct delay_queue {
	size_t room, n, most; /* slots, packets now, packets at most so far */
	uint64_t number;      /* order of arrival of the next packet */
	struct delay_queue_item *heap;
	uint32_t *free_slot; /* numbers of free slots: free_slot[n] to free_slot[room - 1] */
	unsigned char *memory;
};

/* All memory is touched at once: later packets cause no page faults. */
struct delay_queue *delay_queue_new(size_t packets);
void delay_queue_free(struct delay_queue *s);

/* A free slot of DELAY_QUEUE_SLOT bytes, the same one until delay_queue_push(); NULL: the queue is full. */
unsigned char *delay_queue_slot(struct delay_queue *s);
/* Queues the `bytes` that were written into the free slot. `way`: direction, 0 or 1. */
void delay_queue_push(struct delay_queue *s, int64_t due_ns, size_t bytes, int way);

/* Earliest due time; INT64_MAX: the queue is empty. */
int64_t delay_queue_due_ns(const struct delay_queue *s);
/* Removes and returns the earliest packet, whose memory is valid until the next delay_queue_push(). NULL: the queue is empty. */
const unsigned char *delay_queue_pop(struct delay_queue *s, int64_t *due_ns, size_t *bytes, int *way);
