/* SPDX-License-Identifier: GPL-3.0-or-later */
/* dues - priority queue (binary heap) of users by time. Pure. */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct due_heap {
	struct user_due_time {
		int64_t at_ns;
		uint32_t user;
	} * heap; /* owned; heap[0] is the earliest */
	size_t n, room;
};

/* Allocates room for `room` entries. */
void due_heap_open(struct due_heap *d, size_t room);
/* Adds an entry; the caller never adds more than `room`. */
void due_heap_add(struct due_heap *d, int64_t at_ns, uint32_t user);
int64_t due_heap_first_ns(const struct due_heap *d); /* the earliest time; INT64_MAX: the heap is empty */
/* Removes and returns the earliest entry; the heap must not be empty. */
struct user_due_time due_heap_take(struct due_heap *d);
void due_heap_free(struct due_heap *d);
