/* SPDX-License-Identifier: GPL-3.0-or-later */
/* interval - figures of each connection for each interval of a capture that may run for weeks: input to update, gaps, bytes, round
 * trips on both sides of the tap, replies of the client. Pure: time comes with the packets.
 *
 * An input waits for an update: the next one is the earliest that can answer it ("next"). With updates that each answer at least
 * one input, the i-th waiting input is answered by the i-th update at the latest, and by the last one where the display then rests
 * for INTERVAL_REST_NS ("latest"). An input that waits longer than INTERVAL_PATIENCE_NS is given up as unanswered.
 *
 * Memory: one struct interval_flow for each of at most INTERVAL_FLOWS connections; one that has ended, or was silent for
 * INTERVAL_SILENT_NS, leaves. */
#pragma once

#include "meter.h"
#include "verdict.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define INTERVAL_FLOWS 1024
#define INTERVAL_WAITING 64			/* inputs of a connection that wait at one time */
#define INTERVAL_REST_NS 1000000000LL
#define INTERVAL_PATIENCE_NS 10000000000LL
#define INTERVAL_SILENT_NS 600000000000LL
#define INTERVAL_NEAR_NS 1000000LL

/* Histogram of times: 32 bins an octave from 16 us to 137 s. A quantile is the middle of its bin, at most 1.6 % off, or 0.3 us
 * below 16 us; the extremes are exact. */
#define INTERVAL_BINS 800
struct response_time_histogram {
	uint32_t bin[INTERVAL_BINS], n;
	int64_t min_ns, max_ns;
};
void response_histogram_add_time(struct response_time_histogram *h, int64_t ns);
int64_t response_histogram_quantile(const struct response_time_histogram *h, double p);	/* -1: empty */

/* One row: an interval of a connection. Times in ns; -1: not known. */
struct interval_row {
	int64_t start_ns, length_ns;
	struct flow_key key;
	uint8_t server;			/* end of the key that is the server */
	uint64_t packets, wire_bytes[CHANNELS], inputs, updates, unanswered, retransmitted, zero_windows;
	int64_t next_p50, next_p95, next_max, latest_p50, latest_p95;
	int64_t waiting;		/* age of the oldest input without any update since; -1: none */
	int64_t gap;			/* longest between updates that ended in this interval */
	int64_t ack[CHANNELS], reply;	/* medians; or the age of what waits for far longer */
	struct verdict verdict;
};
struct interval_input {
	int64_t time_ns;
	bool answerable;	/* an update came after it */
};

struct interval_flow {
	struct interval_flow *next;	/* of the same bucket */
	int64_t last_ns;		/* latest packet */
	bool ended;
	struct screen_update_series updates;
	struct interval_input waiting[INTERVAL_WAITING];	/* the oldest first */
	int waits;
	int64_t unacked_ns[CHANNELS];	/* since when data of this channel waits for its acknowledgement; 0: none does */
	int64_t asks_ns;		/* time of the update that the client has not replied to; 0: it has */
	bool input;			/* the latest payload of the client is input */
	bool server_is_near;		/* the server once acknowledged within INTERVAL_NEAR_NS */
	uint64_t replies;		/* of the client so far */
	uint64_t answered, ignored;	/* inputs so far with and without an update */
	uint64_t resent, resent_before;	/* retransmitted packets so far; at the start of the interval */
	struct verdict_baseline base;
	struct interval_row row;	/* of the current interval: its counts, and the longest gap */
	struct response_time_histogram to_next, to_latest, to_ack[CHANNELS], to_reply;	/* to_ack: of data of this channel */
};

typedef void interval_row_fn(void *context, const struct interval_row *row);

struct intervals {
	int64_t every_ns, merge_ns, period_ns;
	int64_t start_ns;		/* of the current interval (clock of the packets); 0: no packet yet */
	struct interval_flow *bucket[INTERVAL_FLOWS];	/* owned */
	int flows;
	uint64_t beyond;		/* packets of connections for which there was no room */
	const struct server_ports *ports;
	bool rfb;			/* every port is RFB's; else 5900 to 5999 are */
	interval_row_fn *row;
	void (*end)(void *context, int64_t start_ns, int64_t length_ns);	/* after the rows of an interval */
	void *context;
};

void intervals_free(struct intervals *t);
/* Functions of struct meter_observer. */
void interval_observe_packet(void *intervals, const struct flow *f, int channel, const struct meter_observed_packet *seen);
void interval_observe_data(void *intervals, const struct flow *f, int channel, int64_t time_ns, uint64_t bytes);
/* Hands out the rows of all intervals that end at `time_ns` or before. */
void intervals_advance(struct intervals *t, int64_t time_ns);

/* Whether a client's payload is what a user did. RFB and X11: keys and buttons that go down; else anything. */
enum interval_protocol { INTERVAL_OPAQUE, INTERVAL_RFB, INTERVAL_X11 };
bool is_payload_user_input(enum interval_protocol kind, const uint8_t *bytes, size_t n);
