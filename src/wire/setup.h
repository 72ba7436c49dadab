/* SPDX-License-Identifier: GPL-3.0-or-later */
/* setup - traffic of a session's set-up, of its idle time, and of its keys.
 *
 * Set-up lasts from the first packet, of all selected connections together, until the first second without a packet or the first
 * key. If the first packet does not open a connection, the set-up was before the capture. Idle time is all time after the set-up
 * except a second after each key, and except the packets that close the last connection. */
#pragma once

#include "flow.h"
#include "key_log.h"

#include <stdbool.h>
#include <stdint.h>

#define SETUP_SILENCE_NS 1000000000LL
#define SETUP_KEY_NS 1000000000LL /* traffic counts as a key's for this long, or until the next key */

enum setup_end { SETUP_GOES_ON, SETUP_SILENCE, SETUP_KEY, SETUP_BEFORE };
extern const char *const setup_ends[];

/* All members are uint64_t: counters_add() sums them. */
struct phase_counts {
	uint64_t packets, payload_packets, pure_acks, wire_bytes, payload_bytes;
};

enum setup_place { PLACE_SETUP, PLACE_IDLE, PLACE_WARM_UP, PLACE_KEYS, PLACES };

struct session_phases {
	const struct key_log *typed; /* NULL: keys are not known */
	size_t key;		     /* keys typed so far */
	enum setup_end ended_by;
	enum setup_place place; /* of the latest packet */
	bool begun, over;
	int64_t first_ns, end_ns; /* first and last packet of the set-up */
	int64_t last_ns;	  /* latest packet */
	struct phase_counts count[PLACES][CHANNELS];
	uint64_t open;			      /* connections that nobody has begun to close; the caller counts them */
	bool closing;			      /* the last connection is being closed */
	int64_t closing_ns;		      /* since when */
	struct phase_counts before[CHANNELS]; /* idle traffic before that */
};

/* Adds a selected packet. */
void session_count_packet(struct session_phases *s, int channel, const struct segment *segment, bool pure_ack, int64_t time_ns);
/* Adds the new payload bytes of the latest packet. */
void session_count_payload(struct session_phases *s, int channel, uint64_t bytes);

/* What a connection sent so far, in set-up, was of the other channels. */
void session_turn_channels(struct session_phases *s, const struct channel_counts *sent);

/* Ends the capture at `to_ns`: a second without a packet before it ends the set-up, too. To be called once, before the functions
 * below. */
void session_end_setup(struct session_phases *s, int64_t to_ns);

/* Why the counts of PLACE_SETUP are not those of a whole set-up; NULL: they are. */
const char *session_why_unknown(const struct session_phases *s);

/* Idle time and its traffic, in a capture from `from_ns` to `to_ns` on the packets' clock. */
struct idle_traffic {
	double seconds; /* NAN: the set-up did not end */
	struct phase_counts count[CHANNELS];
};
void session_sum_idle(const struct session_phases *s, int64_t from_ns, int64_t to_ns, struct idle_traffic *out);

/* The keys typed within the capture, without warm-up. */
struct key_time_total {
	size_t keys;
	double seconds; /* time whose traffic counts as these keys' */
};
void session_sum_keys(const struct session_phases *s, int64_t from_ns, int64_t to_ns, struct key_time_total *out);
