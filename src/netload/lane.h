/* SPDX-License-Identifier: GPL-3.0-or-later */
/* lane - one stream of a load: its socket, and what the kernel says it carried. */
#ifndef THINPROBE_NETLOAD_LANE_H
#define THINPROBE_NETLOAD_LANE_H

#include "load.h"

#include <stddef.h>

struct lane {
	int fd;
	bool udp, over, takes_mark;	/* over: nothing comes any more; takes_mark: the other end opened it with one */
	int64_t header, mss;		/* of a frame; TCP: the most payload of one */
	int64_t rest;			/* bytes of a frame that is begun */
	struct arrive arrive;
	int64_t base_bytes, base_frames, base_resent;	/* what was sent before the load */
	struct lane_count count;
};

/* A connected socket becomes a stream: buffers, no waiting for more data, what a frame carries. */
void lane_begin(struct lane *l, int fd, bool udp, int64_t batch_bytes);
/* Into `count`: what the kernel has sent, and received, so far (TCP: retransmissions too; UDP is
 * counted as it goes). Two threads may read one each. */
void lane_read_sent(struct lane *l);
void lane_read_got(struct lane *l);
/* Payload that one frame can carry, and the headers of it, judged by a connection to the same place. */
int64_t lane_most(int fd, bool udp, int64_t *header);
/* Datagrams that came and found the socket's buffer full. */
int64_t lane_dropped(const struct lane *l);

#endif
