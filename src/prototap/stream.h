/* SPDX-License-Identifier: GPL-3.0-or-later */
/* stream - one direction of a TCP connection in sequence order, without its bytes.
 *
 * Says of each segment what is new, what was seen before and what comes too early; early data waits as an
 * interval, and neighbouring intervals become one, so memory goes with the number of holes and not with the data behind them.
 * Offsets are 64-bit, so a wrap of the 32-bit sequence number is nothing special (RFC 9293, 3.4).
 *
 * In-order data is counted as messages: a message ends in PSH, in data of the other direction, or in a pause over
 * MESSAGE_PAUSE_NS. It is counted when it begins. Pure: time comes in as a number. */
#ifndef PROTOTAP_STREAM_H
#define PROTOTAP_STREAM_H

#include <stdbool.h>
#include <stdint.h>

#define MESSAGE_PAUSE_NS (200 * 1000000LL)

/* Data that is handed over at one instant. It may hold several ends (PSH), when it waited behind a hole. */
struct message_part {
	uint64_t bytes;
	uint32_t ends;		/* how many of its segments carry PSH */
	bool open;		/* bytes follow the last of those ends */
};

/* Of one flow. */
struct message_run {
	int64_t last_ns;	/* of the open message's newest data */
	int8_t direction;	/* of the open message; -1: none is open */
};

void message_start(struct message_run *m);

/* How many messages begin with this part, 0 when it all continues the open one. `*fresh`: the part's first byte begins one. */
uint32_t message_take(struct message_run *m, int direction, int64_t time_ns, const struct message_part *part, bool *fresh);

#define STREAM_HOLES_MAX 256	/* a stream with more holes gives up its oldest: that data counts as missing */

/* Early data [start, end), and how it falls into messages. */
struct stream_wait {
	int64_t start, end;
	uint32_t ends;
	bool open;
	uint32_t next;		/* index in the pool, 0: none */
};

/* Where early data of all streams waits; what does not fit makes its stream give up a hole. */
struct stream_pool {
	struct stream_wait *wait;	/* index 0 is never used */
	uint32_t size, fresh, free;	/* entries, first one never used, head of the returned ones */
};

/* `size` entries; memory is touched only as it is needed. 0 or -ENOMEM. */
int stream_pool_init(struct stream_pool *p, uint32_t size);
void stream_pool_free(struct stream_pool *p);

struct stream {
	int64_t next;		/* offset of the first byte not yet had */
	int64_t highest;	/* end of the latest data seen */
	uint32_t first, count;	/* early data, ascending */
	bool known;		/* `next` is */
};

/* What became of a segment. */
struct stream_taken {
	int64_t start;			/* stream_take(): offset of the segment's first byte */
	struct message_part ready;	/* new and in order now, early data included */
	uint64_t old_bytes;		/* seen before */
	uint64_t missing_bytes;		/* in holes that were given up */
	bool out_of_order;		/* new data from below the highest seen */
	bool resynchronized;		/* over 1 GiB away from everything: counting starts anew there */
};

/* A segment with `bytes` > 0 of payload, the first at sequence number `seq`. */
void stream_take(struct stream *s, struct stream_pool *p, uint32_t seq, uint32_t bytes, bool push, struct stream_taken *out);

/* A SYN: the stream's first byte is at `seq`. */
void stream_begin(struct stream *s, uint32_t seq);

/* The other side acknowledges everything before `ack`: what it has but the capture does not will never come. */
void stream_acknowledged(struct stream *s, struct stream_pool *p, uint32_t ack, struct stream_taken *out);

/* Gives up all holes: the end of the capture or of the flow. */
void stream_finish(struct stream *s, struct stream_pool *p, struct stream_taken *out);

#endif
