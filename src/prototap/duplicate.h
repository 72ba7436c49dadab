/* SPDX-License-Identifier: GPL-3.0-or-later */
/* duplicate - tells a packet that was captured twice from one that was sent twice. Pure.
 *
 * A mirror port of both directions, or "-i any" over a bridge, shows each packet twice, within microseconds. A copy has the same
 * addresses, the same IP identification and the same bytes from the transport header on (but hops, which a router counts down); a
 * retransmission has another identification, or comes a round trip later. Packets without an identification (0, or IPv6) are taken
 * for copies if they are TCP and carry payload; a bare acknowledgement only where copies with payload were seen before: a receiver
 * may repeat it. Copies come within DUPLICATE_NS, or without an identification, where a packet sent again may have the same bytes,
 * within DUPLICATE_UNIDENTIFIED_NS; one that comes later counts as a packet. At most DUPLICATE_MEMORY packets are remembered. */
#pragma once

#include "decode.h"

#define DUPLICATE_NS 10000000LL
#define DUPLICATE_UNIDENTIFIED_NS 2000000LL
#define DUPLICATE_MEMORY 4096
#define DUPLICATE_BYTES 128 /* of a packet's transport header and payload */

struct duplicates {
	struct packet_mark {
		uint64_t hash;
		int64_t time_ns;
	} packet[DUPLICATE_MEMORY]; /* by hash */
	uint64_t copies;
	bool payload_copies; /* copies with payload were seen */
};

/* Whether `p`, decoded as `s`, is a copy of a recent packet; counts copies in d->copies. Remembers the packet, to find later
 * copies. */
bool duplicate_detect_copy(struct duplicates *d, const struct packet *p, const struct segment *s);
