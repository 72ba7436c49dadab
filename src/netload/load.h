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

#endif
