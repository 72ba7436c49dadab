/* SPDX-License-Identifier: GPL-3.0-or-later */
/* load_stream - one stream of a load: its socket, and what the kernel counts of it. */
#pragma once

#include "load.h"

struct load_stream {
	int fd;
	bool udp;
	bool over;	     /* receiving: the other end has closed the stream */
	bool takes_mark;     /* the other end opened this stream with a mark (ctl.h) */
	int64_t header, mss; /* header bytes of a frame; TCP: most payload of one segment */
	int64_t rest;	     /* bytes still to be sent of the current frame */
	int64_t segments;    /* most datagrams that the kernel segments from one message; 0: each is a message of its own */
	struct stream_arrivals arrive;
	int64_t base_bytes, base_frames, base_resent; /* sent on the socket before the load */
	struct stream_counts count;
};

/* Makes a stream of a connected socket. `batch_bytes`: bytes handed to the kernel at a time. */
void load_stream_init(struct load_stream *l, int fd, bool udp, int64_t batch_bytes);
/* Update `count` with the bytes and frames sent, or received, so far. A thread may call one while another calls the other. */
void load_stream_count_tx(struct load_stream *l);
void load_stream_count_rx(struct load_stream *l);
/* Most payload bytes of one frame, and in *header its header bytes, from a connected socket to the same host. TCP: of
 * Ethernet, or a segment of the path where that is larger (loopback) and a burst holds one: a call for each frame of Ethernet
 * costs more than what it sends. */
int64_t load_stream_max_payload(int fd, const struct load_cfg *load, int64_t *header);
/* Datagrams lost because the receive buffer was full; 0 for TCP. */
int64_t load_stream_dropped(const struct load_stream *l);
