/* SPDX-License-Identifier: GPL-3.0-or-later */
/* acks - acknowledgements that carry nothing else, and those of them that were held back.
 *
 * A receiver may hold an acknowledgement back in the hope of data to send along: less than 0.5 s,
 * and at least every second full-sized segment is answered at once (RFC 1122, 4.2.3.2). Linux holds
 * it at least 40 ms (TCP_DELACK_MIN). Seen from outside, an acknowledgement is also late by the way
 * to the receiver and back; so it counts as delayed when it comes ACKS_DELAYED_NS or more later
 * than the quickest one of its direction did after its data. Pure: time comes in as a number. */
#ifndef PROTOTAP_ACKS_H
#define PROTOTAP_ACKS_H

#include "decode.h"

#include <stdbool.h>
#include <stdint.h>

#define ACKS_DELAYED_NS 30000000LL
#define ACKS_LATEST_NS 500000000LL	/* from here on it was not held back, but lost or stopped */

/* What one side of a connection owes the other. */
struct ack_side {
	uint32_t acked, newest;		/* it has acknowledged so far; end of the newest data sent to it */
	int64_t waiting_ns, newest_ns;	/* since when data waits for it, 0: none does; when the newest came by */
	int64_t quickest_ns;		/* from data to acknowledgement; -1: not known yet */
	bool known;			/* `acked` is */
};

void acks_start(struct ack_side *side);	/* both of them */

struct ack_seen {
	bool pure;		/* no payload, and no SYN, FIN or RST: window updates and repeated ones too */
	bool fresh;		/* and acknowledges what no packet before it did */
	bool delayed;		/* and was held back */
};

/* A TCP segment from side `from` (0, 1) to the other. */
struct ack_seen acks_segment(struct ack_side *side, int from, const struct segment *s, int64_t time_ns);

#endif
