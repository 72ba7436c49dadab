/* SPDX-License-Identifier: GPL-3.0-or-later */
/* load_session - one load at one end: its streams, a sending and a receiving thread; and the two ends, sender and server. */
#pragma once

#include "ctl.h"
#include "load.h"
#include "sock.h"
#include "why.h"

#include <pthread.h>
#include <stdatomic.h>

/* One stream of a load: its socket, and what the kernel counts of it. */
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

struct load_session {
	struct load_cfg load;
	const char *congestion; /* congestion control of TCP at the sender; NULL: the kernel's default */
	uint64_t key;		/* random, chosen by the server: shows that a stream belongs to this load; in every datagram */
	int control;		/* descriptor of the control connection (ctl.h) */
	struct load_stream lane[LOAD_STREAMS];
	struct load_counts own, other; /* what this end counted, what the other end counted */
	bool pushes, pulls;	       /* this end sends, receives */
	/* The sending thread, which keeps the schedule of pacer.h on all streams. */
	struct load_sender {
		unsigned char *noise; /* random bytes that cannot be compressed */
		int priority;	      /* real-time priority of the thread; 0: none */
		atomic_bool stop, started, over;
		atomic_llong bits_per_s; /* rate in the last whole second */
		int err;		 /* -errno of a stream that broke; 0: none */
		pthread_t thread;
	} push;
	/* The receiving thread, which receives and counts on all streams. */
	struct load_receiver {
		atomic_llong end_ns;	  /* receive until then; INT64_MAX: the other end still sends */
		struct load_counts count; /* its own, taken over into load_session.own when it has ended */
		pthread_t thread;
	} pull;
};

/* Bytes handed to the kernel at a time. */
int64_t tx_batch_bytes(const struct load_cfg *load, int64_t header);
/* Start the threads of a session; they count in `own`. 0 or -errno. The sending one is to be joined. */
int tx_start(struct load_session *r);
int rx_start(struct load_session *r);
/* Receives what is still under way, unless `at_once`, and ends the thread. */
void rx_stop(struct load_session *r, bool at_once);

/* Starts the threads once all streams are open (lane[].fd). 0 or -errno. */
int load_session_start(struct load_session *r);
/* Ends the sending thread, at once or when the load's time is over, and counts in `own` what was sent. */
void load_session_stop_tx(struct load_session *r, bool at_once);
/* Ends the receiving thread after the other end has sent all, or at once, and counts in `own` what was received. */
void load_session_stop_rx(struct load_session *r, bool at_once);
void load_session_free(struct load_session *r);

/* --- the sender --- */

/* Connects to the server, at the first of `n` addresses that takes the connection, agrees on the load and opens all streams;
 * chooses load.size where it is 0. 0, or -errno with the reason in `why`. */
int send_connect(struct load_session *r, const struct sock_address *to, int n, struct why *why);

enum send_end { SEND_TIME, SEND_SIGNAL, SEND_SERVER, SEND_BROKEN }; /* why a load ended */
extern const char *const send_end_words[];

/* Sends the load until it ends. Calls `ready` once when the first frames have gone, `look` repeatedly. *heard: r->other has the
 * server's counts. 0, or -errno: the load could not begin. */
int send_run(struct load_session *r, void (*ready)(void), void (*look)(const struct load_session *r), enum send_end *end,
	     bool *heard);

/* --- the server --- */

#define SERVE_AT_ONCE 32 /* most loads at a time; further clients are refused */

/* Sums over all loads, in memory shared with their processes. */
struct serve_totals {
	atomic_llong loads, refused, broken; /* loads that ended well, clients refused, loads that broke off */
	atomic_llong got_payload, got_wire, sent_payload, sent_wire;
};

struct serve_totals *serve_totals_new(void); /* NULL: no memory */
/* Serves each load in a process of its own, so that one that fails does not end the others, until a stop signal or, with `once`,
 * the end of one load. 0 or -errno. */
int serve(int listener, bool once, struct serve_totals *total);
