// SPDX-License-Identifier: GPL-3.0-or-later
#include "delayline.h"
#include "memory.h"

#include <stdbool.h>

struct delay_queue *delay_queue_new(size_t packets)
{
	struct delay_queue *s = memory_new(1, sizeof(*s));

	s->room = packets;
	s->heap = memory_new(packets, sizeof(*s->heap));
	s->free_slot = memory_new(packets, sizeof(*s->free_slot));
	s->memory = memory_new(packets, DELAY_QUEUE_SLOT);
	memset(s->heap, 0, packets * sizeof(*s->heap));
	memset(s->memory, 0, packets * DELAY_QUEUE_SLOT);
	for (size_t i = 0; i < packets; i++)
		s->free_slot[i] = (uint32_t)i;
	return s;
}

void delay_queue_free(struct delay_queue *s)
{
	if (!s)
		return;
	free(s->heap);
	free(s->free_slot);
	free(s->memory);
	free(s);
}

static bool is_due_first(const struct delay_queue_item *a, const struct delay_queue_item *b)
{
	return a->due_ns < b->due_ns || (a->due_ns == b->due_ns && a->number < b->number);
}

unsigned char *delay_queue_slot(struct delay_queue *s)
{
	return s->n < s->room ? s->memory + (size_t)s->free_slot[s->n] * DELAY_QUEUE_SLOT : NULL;
}

void delay_queue_push(struct delay_queue *s, int64_t due_ns, size_t bytes, int way)
{
	struct delay_queue_item item = { due_ns, s->number++, s->free_slot[s->n], (uint32_t)bytes, way };
	size_t at = s->n++;

	for (; at > 0 && is_due_first(&item, &s->heap[(at - 1) / 2]); at = (at - 1) / 2)
		s->heap[at] = s->heap[(at - 1) / 2];
	s->heap[at] = item;
	if (s->n > s->most)
		s->most = s->n;
}

int64_t delay_queue_due_ns(const struct delay_queue *s)
{
	return s->n ? s->heap[0].due_ns : INT64_MAX;
}

const unsigned char *delay_queue_pop(struct delay_queue *s, int64_t *due_ns, size_t *bytes, int *way)
{
	struct delay_queue_item first, last;
	size_t at = 0;

	if (s->n == 0)
		return NULL;
	first = s->heap[0];
	last = s->heap[--s->n];
	for (size_t child = 1; child < s->n; child = 2 * at + 1) {
		if (child + 1 < s->n && is_due_first(&s->heap[child + 1], &s->heap[child]))
			child++;
		if (!is_due_first(&s->heap[child], &last))
			break;
		s->heap[at] = s->heap[child];
		at = child;
	}
	s->heap[at] = last;
	s->free_slot[s->n] = first.slot;
	*due_ns = first.due_ns;
	*bytes = first.bytes;
	*way = first.way;
	return s->memory + (size_t)first.slot * DELAY_QUEUE_SLOT;
}
