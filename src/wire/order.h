/* SPDX-License-Identifier: GPL-3.0-or-later */
/* order - puts packets that are not in the order of their times into that order, as far as a bounded copy of them reaches.
 *
 * The packets held are those with the latest times: one more than fits hands over the earliest. A packet that is earlier than one
 * that was handed over cannot be put in its place: then all that are held go first, in the order of time, and order begins anew
 * with it, so that a capture whose clock was set back keeps its packets in their order. */
#pragma once

#include "capture.h"

#include <stddef.h>
#include <stdint.h>

#define ORDER_ROOM (16u << 20) /* bytes of memory for the packets held */

struct packet_order {
	struct held_packet *held;     /* owned; a binary heap, the earliest packet first */
	size_t n, room;		      /* in packets */
	size_t bytes;		      /* of memory for the packets held */
	int64_t span_ns;	      /* a packet is not held when one that is later by more than this has come; 0: no such limit */
	int64_t handed_ns, latest_ns; /* time of the packet handed over last, and of the latest one that came */
	uint64_t came;		      /* packets, which keep their order at equal times */
	uint64_t moved;		      /* packets put before others that came earlier */
};

void order_init(struct packet_order *o, int64_t span_ns);
void order_free(struct packet_order *o);

/* Takes a copy of a packet, and hands over those that need no longer be held. */
void order_add_packet(struct packet_order *o, const struct packet *p, packet_fn *fn, void *context);
/* Hands over all packets. */
void order_release_all(struct packet_order *o, packet_fn *fn, void *context);
