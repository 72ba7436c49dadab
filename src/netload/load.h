/* SPDX-License-Identifier: GPL-3.0-or-later */
/* load - what a sender asks for, what each end counts, and the counting itself. Pure. Both ends exchange these (ctl.h). */
#pragma once

#include "clock.h"

#include <stdbool.h>
#include <stdint.h>

#define LOAD_STREAMS 64	     /* most streams of one load */
#define LOAD_RATE_LEAST 1000 /* bits a second */
#define LOAD_RATE_MOST 1000000000000LL
#define LOAD_SIZE_MOST 65000 /* payload bytes of a frame */
#define LOAD_TIME_MOST (30 * NS_PER_DAY)

struct load_cfg {
	int64_t rate;			     /* bits a second in each direction, all streams together; 0: as fast as possible */
	int64_t time_ns;		     /* 0: until stopped */
	int64_t lanes;			     /* streams */
	int64_t size;			     /* payload bytes of a frame; 0: the sender chooses */
	int64_t seed, burst_ns, catch_up_ns; /* as in pacer.h */
	bool udp, both;			     /* both: the server sends the same load back */
	bool payload_bits;		     /* the rate counts payload bits, not frame bits */
	bool random;			     /* frames at random intervals (pacer.h) */
};

/* One stream at one end. Wire bytes are whole frames: Ethernet, IP, TCP or UDP headers and payload. */
struct stream_counts {
	int64_t sent_frames, sent_payload, sent_wire, resent_frames;
	int64_t got_frames, got_payload, got_wire, reordered, duplicate;
};

/* One end of a load. */
struct load_counts {
	struct stream_counts lane[LOAD_STREAMS];
	/* Rates in frame bits a second: the lowest and the highest of all whole seconds; -1: there was no whole second. */
	int64_t sent_ns, sent_low, sent_high, sent_seconds;
	int64_t got_ns, got_low, got_high, got_seconds;
	int64_t behind_ns;	 /* greatest lateness of a frame when it was sent */
	int64_t given_up_frames; /* not sent, since over catch_up_ns late */
	int64_t refused_frames;	 /* not sent, since the socket's send buffer was full */
	int64_t dropped_frames;	 /* lost because the socket's receive buffer was full */
	int64_t cpu_ns;
};

/* Sums over the first `n` streams of an array. */
struct stream_counts load_sum_streams(const struct stream_counts *stream, int64_t n);

/* Bytes of the headers of a frame as a shaper counts them: Ethernet 14, IPv4 20 or IPv6 40, UDP 8 or TCP 20 and 12 with
 * timestamps. The preamble, the checksum and the gap between frames are not counted. */
int64_t load_header_bytes(bool udp, bool ipv6, bool timestamps);
/* Bytes that are due within the time of a burst. */
int64_t load_burst_bytes(const struct load_cfg *load);
/* The payload bytes of a frame where --frame-size was not given: `most`, or fewer so that at `rate` (bits a second; 0: no limit) a
 * frame holds at most a 400th of a second's bits, and every second keeps the rate to 0.25 %; at least 64. */
int64_t load_payload_bytes(int64_t rate, int64_t header, int64_t most);

#define SEQ_WINDOW 4096
#define SEQ_JUMP_MAX 1000000000 /* a number this far ahead is not one of our datagrams */

/* Records which datagrams of a numbered stream arrived, out of order or twice. A datagram more than SEQ_WINDOW behind the highest
 * number counts as reordered, also where it is a copy. */
struct stream_arrivals {
	int64_t next; /* highest number so far + 1 */
	int64_t got, reordered, duplicate;
	uint64_t seen[SEQ_WINDOW / 64]; /* a bit for each of the last SEQ_WINDOW numbers: it has arrived */
};

enum seq_kind { SEQ_FOREIGN, SEQ_NEW, SEQ_DUPLICATE }; /* SEQ_FOREIGN: not a number of this stream */
enum seq_kind arrivals_add_datagram(struct stream_arrivals *a, uint64_t number);

/* The lowest and the highest rate of all whole seconds, from a total that is read now and then. */
struct second_range {
	int64_t from_ns, from_bits;	  /* start of the current second, and the total then */
	int64_t low, high, last, seconds; /* bit/s in the slowest, the fastest and the last second; number of seconds */
};

void second_range_start(struct second_range *s, int64_t now_ns, int64_t bits);
/* Whether the current second is over, so that the total should be read. */
static inline bool second_range_is_over(const struct second_range *s, int64_t now_ns)
{
	return now_ns - s->from_ns >= NS_PER_S;
}
/* The total is `bits` at `now_ns`. Read late, by a program that was held up, the second counts as that much longer, and from 2 s on
 * also as an empty one. */
void second_range_close(struct second_range *s, int64_t now_ns, int64_t bits);
