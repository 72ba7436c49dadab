// SPDX-License-Identifier: GPL-3.0-or-later
#include "dues.h"
#include "memory.h"

void due_heap_open(struct due_heap *d, size_t room)
{
	*d = (struct due_heap){ .heap = memory_new(room, sizeof(*d->heap)), .room = room };
}

void due_heap_add(struct due_heap *d, int64_t at_ns, uint32_t user)
{
	size_t i = d->n++;

	for (; i && d->heap[(i - 1) / 2].at_ns > at_ns; i = (i - 1) / 2)
		d->heap[i] = d->heap[(i - 1) / 2];
	d->heap[i] = (struct user_due_time){ at_ns, user };
}

int64_t due_heap_first_ns(const struct due_heap *d)
{
	return d->n ? d->heap[0].at_ns : INT64_MAX;
}

struct user_due_time due_heap_take(struct due_heap *d)
{
	struct user_due_time first = d->heap[0], last = d->heap[--d->n];
	size_t i = 0;

	for (size_t child; (child = 2 * i + 1) < d->n; i = child) {
		child += child + 1 < d->n && d->heap[child + 1].at_ns < d->heap[child].at_ns;
		if (d->heap[child].at_ns >= last.at_ns)
			break;
		d->heap[i] = d->heap[child];
	}
	d->heap[i] = last;
	return first;
}

void due_heap_free(struct due_heap *d)
{
	free(d->heap);
	*d = (struct due_heap){ 0 };
}
