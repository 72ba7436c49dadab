/* SPDX-License-Identifier: GPL-3.0-or-later */
/* acks - pure TCP acknowledgements, and which of them were delayed. Pure: time is a parameter.
 *
 * A receiver may delay an acknowledgement, hoping for data to send along: by less than 0.5 s, and not beyond the second full-sized
 * segment (RFC 1122, 4.2.3.2); Linux delays by at least 40 ms (TCP_DELACK_MIN). A capture elsewhere also sees the way to the
 * receiver and back, so an acknowledgement counts as delayed when it came ACKS_DELAYED_NS or more later after its data than the
 * quickest one of its direction.
 *
 * Data that follows an acknowledgement at once, before the receiver says anything, was held until then, as far as a capture near
 * its sender tells: behind a window that was full, or, where the acknowledgement was delayed, as the rest of a write (RFC 896). */
#pragma once

#include "decode.h"

#include <stdbool.h>
#include <stdint.h>

#define ACKS_DELAYED_NS 30000000LL
#define ACKS_WINDOW_BYTES 8192	   /* less in flight is no full window */
#define ACKS_LATEST_NS 500000000LL /* from here on an acknowledgement was lost or stopped, not delayed */

/* One side of a connection as the receiver of data. */
struct ack_receiver {
	uint32_t acked;	     /* acknowledged so far; valid where `known` */
	uint32_t newest;     /* end of the newest data sent to this side */
	int64_t waiting_ns;  /* since when data waits for an acknowledgement; 0: none does */
	int64_t newest_ns;   /* when the newest data was captured */
	int64_t quickest_ns; /* shortest time from data to acknowledgement; -1: none yet */
	int64_t sent_ns;     /* latest packet with data sent to this side */
	int64_t answered_ns; /* pure acknowledgement since then that is fresh; 0: none. And of it: */
	int64_t held_ns;     /* time since the latest data */
	uint32_t held_bytes; /* in flight until then */
	bool delayed;
	int64_t closed_ns; /* latest packet with a closed window; 0: it is open */
	bool known;
};

void acks_init(struct ack_receiver side[static 2]);

struct ack_seen {
	bool pure;	     /* no payload, SYN, FIN or RST; window updates and repetitions included */
	bool fresh;	     /* pure, and acknowledges data for the first time */
	bool delayed;	     /* pure, and was delayed */
	int64_t took_ns;     /* time since the data that it acknowledges; -1: no data is acknowledged for the first time */
	bool closes;	     /* says that the window is closed */
	int64_t closed_ns;   /* how long it was, since the packet before that said so */
	int64_t held_ns;     /* its data was held until an acknowledgement for so long; 0: it was not */
	uint32_t held_bytes; /* in flight meanwhile */
	bool held_back;	     /* the acknowledgement was delayed, and little in flight */
};

/* Adds a TCP segment sent by side `from` (0, 1), and classifies it. */
struct ack_seen acks_add_segment(struct ack_receiver side[static 2], int from, const struct segment *s, int64_t time_ns);
