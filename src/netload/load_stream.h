/* SPDX-License-Identifier: GPL-3.0-or-later */
/* load_stream - one stream of a load: its socket, and what the kernel counts of it. */
#pragma once

#include "load.h"

struct load_stream {
	int fd;
	bool udp;
	bool over;	     /* receiving: the other end has closed the stream */
	bool takes_mark;     /* the other end opened this stream with a mark (ctl.h) */
	char congestion[16]; /* TCP: the congestion control in use */
	int64_t header, mss; /* header bytes of a frame; TCP: most payload of one segment */
	int64_t rest;	     /* bytes still to be sent of the current frame */
	int64_t segments;    /* most datagrams that the kernel segments from one message; 0: each is a message of its own */
	struct stream_arrivals arrive;
	int64_t base_bytes;			 /* sent on the socket before the load */
	uint32_t seen_out, seen_resent, seen_in; /* the kernel's counters of 32 bits when they were last read */
	int64_t segments_in;
	struct stream_counts count;
};

/* Makes a stream of a connected socket. `batch_bytes`: bytes handed to the kernel at a time. */
void load_stream_init(struct load_stream *l, int fd, bool udp, int64_t batch_bytes);
/* Header bytes of a frame with `size` bytes of payload: TCP sends it in segments of at most lane.mss. */
int64_t load_stream_frame_header(const struct load_stream *l, int64_t size);
/* How far a counter of 32 bits, which may have wrapped once, has gone on since *seen, which it becomes. */
int64_t load_stream_advance(uint32_t *seen, uint32_t now);
/* Update `count` with the bytes and frames sent, or received, so far. A thread may call one while another calls the other. Over TCP
 * to be called before 2^32 more frames, which is every few minutes at any rate. */
void load_stream_count_tx(struct load_stream *l);
void load_stream_count_rx(struct load_stream *l);
/* Most payload bytes of one frame, and in *header its header bytes, from a connected socket to the same host. TCP: of
 * Ethernet, or a segment of the path where that is larger (loopback) and a burst holds one: a call for each frame of Ethernet
 * costs more than what it sends. */
int64_t load_stream_max_payload(int fd, const struct load_cfg *load, int64_t *header);
/* Datagrams lost because the receive buffer was full; 0 for TCP. */
int64_t load_stream_dropped(const struct load_stream *l);
