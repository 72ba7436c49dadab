/* SPDX-License-Identifier: GPL-3.0-or-later */
/* duplicate - tells a packet that was captured twice from one that was sent twice. Pure.
 *
 * A mirror port of both directions, or "-i any" over a bridge, shows each packet twice, within microseconds. A copy has the same
 * addresses, the same IP identification and the same bytes from the transport header on (but hops, which a router counts down); a
 * retransmission has another identification, or comes a round trip later. Packets without an identification (0, or IPv6) are taken
 * for copies if they are TCP and carry payload; a bare acknowledgement only where copies with payload were seen before: a receiver
 * may repeat it. The packets seen in the last DUPLICATE_NS are remembered, at most DUPLICATE_MEMORY of them; a copy that comes
 * later counts as a packet. */
#pragma once

#include "decode.h"

#define DUPLICATE_NS 2000000LL
#define DUPLICATE_MEMORY 4096
#define DUPLICATE_BYTES 128	/* of a packet's transport header and payload */

struct duplicate_filter {
	struct remembered_packet { uint64_t hash; int64_t time_ns; } packet[DUPLICATE_MEMORY];	/* by hash */
	uint64_t copies;
	bool payload_copies;		/* copies with payload were seen */
};

/* Whether `p`, decoded as `s`, is a copy of a packet just before; counts it. */
bool duplicate_filter_add(struct duplicate_filter *d, const struct packet *p, const struct segment *s);
