/* SPDX-License-Identifier: GPL-3.0-or-later */
/* meter - counts of a capture, packet by packet: decodes each packet, and updates its flow, stream, messages and updates.
 *
 * No I/O and no clock. After meter_init() memory grows only for gaps between updates and for connections whose payload is read,
 * both bounded: a capture of any length runs in the same memory. */
#pragma once

#include "duplicate.h"
#include "flow.h"
#include "payload.h"
#include "ports.h"
#include "setup.h"
#include "update.h"

#include <stdint.h>

enum { MERGES = 3 }; /* merge gaps: --merge, and 5 and 20 ms for comparison */

struct meter_packet {
	const struct segment *segment;
	const struct packet *packet;
	struct ack_seen ack;
	bool lost_before; /* new data that was lost before the capture point, and sent again */
};

/* An observer of the packets of selected connections. `packet` may be NULL. */
struct meter_observer {
	void *context;
	/* a packet, before its data */
	void (*packet)(void *context, const struct flow *f, int channel, const struct meter_packet *seen);
	/* New data. On the display channel it belongs to update f->update[0] (from 1, ascending; may step back with several
	 * connections). */
	void (*data)(void *context, const struct flow *f, int channel, int64_t time_ns, uint64_t bytes);
};
#define METER_TAPS 4

/* TCP and UDP packets that were not selected, by the lower of their ports, most likely the server's. */
struct port_count {
	uint64_t packets, wire_bytes;
	uint16_t port;
};
#define METER_PORTS 5

/* A gap of this length between packets: a pause, or the clock was set. */
#define METER_PAUSE_NS (3600 * NS_PER_S)

struct meter_cfg {
	struct meter_observer tap[METER_TAPS]; /* the first `taps` are used */
	int taps;
	const struct server_ports *ports; /* must outlive the meter */
	const uint8_t *server;		  /* address of the server, or NULL */
	const struct key_log *typed;	  /* keys typed meanwhile, or NULL; must outlive the meter */
	int64_t period_ns, merge_ns;
	uint64_t warmup; /* as in struct update_series */
	bool watch;	 /* a run of weeks: keeps UPDATE_GAPS_WATCH gaps between updates */
	uint32_t flows_max, flows_shown;
	uint32_t waits_max; /* intervals of early data at one time, of all flows */
	uint64_t seed;	    /* of the flow table */
	int decode;	    /* enum payload_decode */
};

struct capture_meter {
	struct meter_cfg cfg;
	struct flow_table table;
	struct stream_pool pool;
	struct flow_ranking top;
	struct flow *latest; /* flow of the latest segment */
	struct update_series update[MERGES];
	struct sample gaps;		     /* between updates, at --merge */
	int64_t waiting_ns;		     /* when an input last came, came again, or the client's window was closed; 0: never */
	uint64_t open_inputs;		     /* input messages since the latest update */
	uint64_t went_on[MORE_MESSAGE + 1];  /* pauses that would have ended an update, by what told */
	struct channel_counts sum[CHANNELS]; /* of ended flows; after meter_finish() of all */
	uint64_t packets, decoded[DECODED_MALFORMED + 1], unasked, truncated; /* unasked: segments that were not selected */
	uint64_t overlong;	       /* packets of which more was captured than they are long */
	struct port_count *passed;     /* the unasked segments, by port */
	struct duplicates *duplicates; /* owned; copies of packets are in `packets`, and else in nothing */
	uint64_t translated;	       /* those of them that came with another address; of the latest such flow: */
	struct flow_key translated_key;
	uint8_t translated_server;
	uint64_t first_fragments, fragment_wire_bytes, fragment_ip_bytes; /* the bytes are those of further fragments */
	uint64_t flows, flows_evicted, steps_back;			  /* steps_back: packets earlier than the one before */
	uint64_t one_way;						  /* flows with data in a direction without a packet */
	uint64_t unanswered; /* flows with a client's SYN, and nothing that shows an answer */
	uint64_t largest_frame_bytes;
	int64_t first_ns, last_ns;     /* earliest and latest packet of any kind */
	int64_t before_ns, earlier_ns; /* the packet before, and the one before that */
	uint64_t strays;       /* steps back by a single packet with a time of its own, later or earlier than its neighbours */
	int64_t stray_ns;      /* by how much, the most */
	int64_t stray_from_ns; /* if the latest packet was early, the time of the one before it; otherwise 0 */
	int64_t pause_ns;      /* longest time from the packet before */
	bool set_back;	       /* a connection stepped back by METER_PAUSE_NS or more */
	struct session_phases setup;
	struct payload_totals contents;
};

int meter_init(struct capture_meter *m, const struct meter_cfg *cfg); /* 0; -ENOMEM: flows_max is too large */
void meter_free(struct capture_meter *m);

void meter_add_packet(struct capture_meter *m, enum link_type link, const struct packet *p);

/* Ends all flows: sums and ranking are complete afterwards. */
void meter_finish(struct capture_meter *m);

/* The time from the latest update to the last sign that one was waited for, if that is longer than the period; else 0. The gap that
 * is open there is longer. After meter_finish(). */
int64_t meter_open_gap(const struct capture_meter *m);

/* The ports of segments that were not selected, most bytes first; returns how many of METER_PORTS there are. */
int meter_rank_ports(const struct capture_meter *m, struct port_count top[static METER_PORTS]);
