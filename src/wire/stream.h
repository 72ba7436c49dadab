/* SPDX-License-Identifier: GPL-3.0-or-later */
/* stream - one direction of a TCP connection in sequence order; and messages in it.
 *
 * Tells of each segment which bytes are new, which were seen before and which are early. Early data is kept as intervals, and
 * touching intervals become one, so memory grows with the number of holes only. Where a listener gets the bytes themselves, a
 * copy of early ones is kept, too, up to STREAM_BYTES_MAX. Offsets are 64-bit: the 32-bit sequence number may wrap (RFC 9293, 3.4).
 *
 * A message ends in PSH, in data of the other direction, or in a pause over MESSAGE_PAUSE_NS, and is counted when it begins. Pure:
 * time is a parameter. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MESSAGE_PAUSE_NS (200 * 1000000LL)

/* New data in order at one instant. It has several ends where early data had waited for it. */
struct stream_data {
	uint64_t bytes;
	uint32_t ends; /* number of its segments with PSH */
	bool open;     /* bytes follow the last end */
};

/* The current message of a connection, in either direction. */
struct message_state {
	int64_t last_ns;  /* of its newest data */
	int8_t direction; /* -1: no message is open */
};

void message_reset(struct message_state *m);

/* Adds new data. Number of messages that begin with it; *fresh: its first byte begins one. */
uint32_t message_count_begun(struct message_state *m, int direction, int64_t time_ns, const struct stream_data *part, bool *fresh);

#define STREAM_BYTES_MAX (16u << 20) /* bytes of memory for early bytes of all streams together */
#define STREAM_HOLES_MAX 256	     /* with more holes, the oldest is given up: its bytes count as missing */

/* Early data from offset `start` to before `end`, and its messages. */
struct early_interval {
	int64_t start, end;
	int64_t time_ns; /* when its first data came */
	uint32_t ends;	 /* as in struct stream_data */
	bool open;
	uint32_t next;		 /* index of the next interval in the pool; 0: none */
	uint32_t captured, room; /* its first bytes are in `bytes`, of so much memory */
	uint8_t *bytes;		 /* owned by the pool; NULL: none are kept */
};

/* Memory for the early data of all streams. If it is full, streams give up holes. */
struct stream_pool {
	struct early_interval *wait; /* index 0 is not used */
	uint32_t size, fresh, free;  /* entries, first entry never used, first of the list of returned entries */
	size_t held;		     /* memory for bytes */
};

/* Makes a pool of `size` entries. */
void stream_pool_init(struct stream_pool *p, uint32_t size);
void stream_pool_free(struct stream_pool *p);

/* Gets the next `length` bytes of the stream in order, of which only the first `captured` are in `bytes`: the others were not
 * captured, or found no room. `length` 0: bytes are missing here. */
typedef void stream_listen_fn(void *context, int channel, const uint8_t *bytes, uint32_t captured, uint32_t length);

struct tcp_stream {
	int64_t next;	       /* offset of the next byte in order; valid where `known` */
	int64_t highest;       /* end of the latest data */
	int64_t acked;	       /* the receiver has acknowledged everything before this offset */
	uint32_t first, count; /* early data: first interval, ascending; number of intervals */
	bool known;
	bool apart;		  /* the caller's: keep early data by the millisecond, for stream_take_early() */
	int64_t now_ns;		  /* the caller's: the time of the next segment */
	stream_listen_fn *listen; /* NULL: nobody gets the bytes */
	void *listener;		  /* its context */
	int channel;		  /* the listener's */
};

/* A segment with `bytes` > 0 of payload that begins at sequence number `seq`, of which the first `captured` are in `payload`. */
struct stream_segment {
	uint32_t seq, bytes, captured;
	bool push;
	const uint8_t *payload;
};

/* What stream_add_segment() found of a segment. */
struct stream_result {
	struct stream_data ready; /* new data in order now, with early data that it completes */
	uint64_t old_bytes;	  /* bytes seen before */
	uint64_t missing_bytes;	  /* bytes in holes that were given up */
	bool out_of_order;	  /* new data below the highest offset seen */
	bool resynchronized;	  /* over 1 GiB away from the expected offset: the stream starts again there */
};

void stream_add_segment(struct tcp_stream *s, struct stream_pool *p, const struct stream_segment *segment,
			struct stream_result *out);

/* Starts the stream after a SYN: its first byte is at `seq`. */
void stream_begin(struct tcp_stream *s, uint32_t seq);

/* When the data behind a segment's place came, which is early without it; INT64_MAX: the segment fills no hole. */
int64_t stream_overtaken_since(const struct tcp_stream *s, const struct stream_pool *p, uint32_t seq);

/* The receiver has acknowledged everything before `ack`. Bytes from the latest data on may still come, where an acknowledgement was
 * captured before its data: stream_unseen_bytes() tells them. One may be a FIN that was not captured, and counts as none. */
void stream_note_ack(struct tcp_stream *s, uint32_t ack);
uint64_t stream_unseen_bytes(const struct tcp_stream *s);

/* The receiver has acknowledged everything before `ack`: holes before it are bytes missing from the capture, and are given up. */
void stream_drop_acked_holes(struct tcp_stream *s, struct stream_pool *p, uint32_t ack, struct stream_result *out);

/* When the first early data came, which waits behind a hole; INT64_MAX: none does. */
int64_t stream_early_since(const struct tcp_stream *s, const struct stream_pool *p);
/* Returns the first early data, and gives up the hole before it. */
void stream_take_early(struct tcp_stream *s, struct stream_pool *p, struct stream_result *out);
/* Whether early data waits behind no hole. */
bool stream_is_ready(const struct tcp_stream *s, const struct stream_pool *p);

/* Gives up all holes, and unseen bytes, at the end of the capture or of the connection. */
void stream_drop_holes(struct tcp_stream *s, struct stream_pool *p, struct stream_result *out);
