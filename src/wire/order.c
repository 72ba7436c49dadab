// SPDX-License-Identifier: GPL-3.0-or-later
#include "order.h"
#include "memory.h"

#include <stdbool.h>

#define FIRST_ROOM 1024 /* packets */

struct held_packet {
	struct packet packet; /* its bytes are owned */
	uint64_t number;
};

void order_init(struct packet_order *o, int64_t span_ns)
{
	*o = (struct packet_order){ .span_ns = span_ns, .handed_ns = INT64_MIN, .latest_ns = INT64_MIN };
}

void order_free(struct packet_order *o)
{
	for (size_t i = 0; i < o->n; i++)
		free((void *)o->held[i].packet.bytes);
	free(o->held);
	*o = (struct packet_order){ 0 };
}

static size_t packet_memory(const struct packet *p)
{
	return sizeof(struct held_packet) + p->captured;
}

static bool is_packet_earlier(const struct held_packet *a, const struct held_packet *b)
{
	return a->packet.time_ns < b->packet.time_ns || (a->packet.time_ns == b->packet.time_ns && a->number < b->number);
}

static void hold_copy(struct packet_order *o, const struct packet *p)
{
	struct held_packet new = { *p, o->came++ };
	size_t at, parent;

	if (o->n == o->room) {
		o->room = o->room ? 2 * o->room : FIRST_ROOM;
		o->held = must_alloc(reallocarray(o->held, o->room, sizeof(*o->held)));
	}
	new.packet.bytes = memcpy(must_alloc(malloc(p->captured + 1)), p->bytes, p->captured); /* malloc(0) may be NULL */
	for (at = o->n++; at > 0; at = parent) {
		parent = (at - 1) / 2;
		if (!is_packet_earlier(&new, &o->held[parent]))
			break;
		o->held[at] = o->held[parent];
	}
	o->held[at] = new;
	o->bytes += packet_memory(p);
}

static void release_earliest(struct packet_order *o, packet_fn *fn, void *context)
{
	struct packet first = o->held[0].packet;
	struct held_packet moved = o->held[--o->n];
	size_t at = 0, child;

	for (; (child = 2 * at + 1) < o->n; at = child) {
		child += child + 1 < o->n && is_packet_earlier(&o->held[child + 1], &o->held[child]);
		if (!is_packet_earlier(&o->held[child], &moved))
			break;
		o->held[at] = o->held[child];
	}
	o->held[at] = moved;
	o->bytes -= packet_memory(&first);
	o->handed_ns = first.time_ns;
	fn(context, &first);
	free((void *)first.bytes);
}

void order_release_all(struct packet_order *o, packet_fn *fn, void *context)
{
	while (o->n)
		release_earliest(o, fn, context);
}

void order_add_packet(struct packet_order *o, const struct packet *p, packet_fn *fn, void *context)
{
	if (p->time_ns < o->handed_ns) {
		order_release_all(o, fn, context);
		o->handed_ns = o->latest_ns = p->time_ns;
	}
	o->moved += p->time_ns < o->latest_ns;
	if (p->time_ns > o->latest_ns)
		o->latest_ns = p->time_ns;
	hold_copy(o, p);
	while (o->bytes > ORDER_ROOM || (o->span_ns && o->n && o->latest_ns - o->held[0].packet.time_ns > o->span_ns))
		release_earliest(o, fn, context);
}
