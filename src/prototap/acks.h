/* SPDX-License-Identifier: GPL-3.0-or-later */
/* acks - pure TCP acknowledgements, and which of them were delayed. Pure: time is a parameter.
 *
 * A receiver may delay an acknowledgement, hoping for data to send along: by less than 0.5 s, and not beyond the second full-sized
 * segment (RFC 1122, 4.2.3.2); Linux delays by at least 40 ms (TCP_DELACK_MIN). A capture elsewhere also sees the way to the
 * receiver and back, so an acknowledgement counts as delayed when it came ACKS_DELAYED_NS or more later after its data than the
 * quickest one of its direction. */
#pragma once

#include "decode.h"

#include <stdbool.h>
#include <stdint.h>

#define ACKS_DELAYED_NS 30000000LL
#define ACKS_LATEST_NS 500000000LL /* from here on an acknowledgement was lost or stopped, not delayed */

/* One side of a connection as the receiver of data. */
struct ack_receiver {
	uint32_t acked;	     /* acknowledged so far; valid where `known` */
	uint32_t newest;     /* end of the newest data sent to this side */
	int64_t waiting_ns;  /* since when data waits for an acknowledgement; 0: none does */
	int64_t newest_ns;   /* when the newest data was captured */
	int64_t quickest_ns; /* shortest time from data to acknowledgement; -1: none yet */
	bool known;
};

void acks_init(struct ack_receiver side[2]);

struct ack_seen {
	bool pure;	 /* no payload, SYN, FIN or RST; window updates and repetitions included */
	bool fresh;	 /* pure, and acknowledges data for the first time */
	bool delayed;	 /* pure, and was delayed */
	int64_t took_ns; /* time since the data that it acknowledges; -1: acknowledges none for the first time */
};

/* Adds a TCP segment sent by side `from` (0, 1), and classifies it. */
struct ack_seen acks_add_segment(struct ack_receiver side[2], int from, const struct segment *s, int64_t time_ns);
