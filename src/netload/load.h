/* SPDX-License-Identifier: GPL-3.0-or-later */
/* load - what a sender asks for, and what came of it at one end. Both ends know both: the lines between them are talk.h's. */
#ifndef THINPROBE_NETLOAD_LOAD_H
#define THINPROBE_NETLOAD_LOAD_H

#include "clock.h"

#include <stdbool.h>
#include <stdint.h>

#define LOAD_LANES 64		/* streams of one load */
#define LOAD_RATE_LEAST 1000
#define LOAD_RATE_MOST 1000000000000LL
#define LOAD_SIZE_MOST 65000	/* payload of a frame */
#define LOAD_TIME_MOST (30 * NS_PER_DAY)

struct load {
	int64_t rate;		/* bits a second in each direction, all streams together; 0: as fast as it goes */
	int64_t time_ns;	/* 0: until told */
	int64_t lanes, size;	/* size: payload of a frame; 0: chosen where the sender is */
	int64_t seed, burst_ns, catch_up_ns;
	bool udp, both, payload_bits, random;	/* random: frames at random, as beat.h says */
};

/* One stream, at one end. Wire bytes are whole frames: Ethernet, IP, TCP or UDP headers and payload. */
struct lane_count {
	int64_t sent_frames, sent_payload, sent_wire, resent_frames;
	int64_t got_frames, got_payload, got_wire, reordered, duplicate;
};

/* One end. Rates are in frame bits a second over each whole second, -1 where there was none. */
struct side {
	struct lane_count lane[LOAD_LANES];
	int64_t sent_ns, sent_low, sent_high, sent_seconds;
	int64_t got_ns, got_low, got_high, got_seconds;
	int64_t behind_ns;		/* how late frames left at the most */
	int64_t given_up_frames;	/* too late to be caught up with */
	int64_t refused_frames;		/* the kernel took no more: a full socket buffer */
	int64_t dropped_frames;		/* came, and found the receiver's socket buffer full */
	int64_t cpu_ns;
};

/* Bytes of the headers of a frame as a shaper counts them: Ethernet 14, IPv4 20 or IPv6 40, UDP 8 or TCP 20 and 12 with
 * timestamps. The preamble, the checksum and the gap between frames are not counted. */
int64_t frame_header(bool udp, bool ipv6, bool timestamps);

/* The payload bytes of a frame where --frame-size was not given: `most`, or fewer so that at `rate` (bits a second; 0: no
 * limit) a frame holds at most a 400th of a second's bits, and every second keeps the rate to 0.25 %; at least 64. */
int64_t frame_size(int64_t rate, int64_t header, int64_t most);

#define ARRIVE_WINDOW 4096
#define ARRIVE_JUMP 1000000000	/* no stream loses so many in a row: such a number is no datagram of ours */

struct arrive {
	int64_t next;			/* one more than the highest number */
	int64_t got, reordered, duplicate;
	uint64_t seen[ARRIVE_WINDOW / 64];
};

/* ARRIVE_STRANGER: not a number of this stream; ARRIVE_AGAIN: a copy, which is no further datagram of those that were sent. */
enum arrive_kind { ARRIVE_STRANGER, ARRIVE_NEW, ARRIVE_AGAIN };
enum arrive_kind arrive_add(struct arrive *a, uint64_t number);

struct second {
	int64_t from_ns, from_bits;	/* of the second that runs */
	int64_t low, high, last, seconds;	/* bit/s in the slowest, the fastest and the last second; number of seconds */
};

void second_start(struct second *s, int64_t now_ns, int64_t bits);
/* Is it time to read the total? */
static inline int second_over(const struct second *s, int64_t now_ns)
{
	return now_ns - s->from_ns >= 1000000000;
}
/* The total was `bits` at `now_ns`. Read late, the second is that much longer, and its rate is that of the longer time. */
void second_read(struct second *s, int64_t now_ns, int64_t bits);

#endif
