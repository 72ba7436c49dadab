/* SPDX-License-Identifier: GPL-3.0-or-later */
/* setup - what a session costs before anything is done in it, and what it costs afterwards while nobody does anything.
 *
 * Set-up is all that crosses, on all connections that were asked for, from their first packet until
 * the first second in which nothing does, or until the first key. A session whose first packet does
 * not open a connection was there before: its set-up is not in the capture. What follows is idle,
 * but for a second after each key, and for the packets that close the last connection. */
#ifndef PROTOTAP_SETUP_H
#define PROTOTAP_SETUP_H

#include "flow.h"
#include "typed.h"

#include <stdbool.h>
#include <stdint.h>

#define SETUP_SILENCE_NS 1000000000LL
#define SETUP_KEY_NS 1000000000LL	/* a key's own time: so long, or until the next one */

enum setup_end { SETUP_GOES_ON, SETUP_SILENCE, SETUP_KEY, SETUP_BEFORE };
extern const char *const setup_ends[];

struct setup_count {
	uint64_t packets, payload_packets, pure_acks, wire_bytes, payload_bytes;
};

enum setup_place { PLACE_SETUP, PLACE_IDLE, PLACE_WARM_UP, PLACE_KEYS, PLACES };

struct setup {
	const struct typed *typed;	/* NULL: nobody tells of keys */
	size_t key;			/* how many have been typed so far */
	enum setup_end ended_by;
	enum setup_place place;		/* of the packet before */
	bool begun, over;
	int64_t first_ns, end_ns, last_ns;	/* of set-up its first and last packet; the last of all */
	struct setup_count count[PLACES][CHANNELS];
	/* The connections are being closed: where idle time stood before. */
	bool closing;
	int64_t closing_ns;
	struct setup_count before[CHANNELS];
};

/* A selected packet, and the new data that comes with it. */
void setup_packet(struct setup *s, int channel, const struct segment *segment, bool pure_ack, int64_t time_ns);
void setup_data(struct setup *s, int channel, uint64_t bytes);

/* The capture ends at `to_ns`: a second without a packet before that ends set-up too. Once, before what follows. */
void setup_finish(struct setup *s, int64_t to_ns);

/* After that: NULL where the counts of PLACE_SETUP are those of a whole set-up, else why they are not. */
const char *setup_why_unknown(const struct setup *s);

/* After that. Times on the clock of the packets; `from_ns` is where the capture began, `to_ns` where it ended. */
struct setup_idle {
	double seconds;			/* NAN: set-up was never over */
	struct setup_count count[CHANNELS];
};
void setup_idle(const struct setup *s, int64_t from_ns, int64_t to_ns, struct setup_idle *out);

struct setup_keys {
	size_t keys;			/* whose time is in the capture, warm-up not counted */
	double seconds;			/* of these keys' own time */
};
void setup_keys(const struct setup *s, int64_t from_ns, int64_t to_ns, struct setup_keys *out);

#endif
