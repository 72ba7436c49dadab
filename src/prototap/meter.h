/* SPDX-License-Identifier: GPL-3.0-or-later */
/* meter - what prototap measures, packet by packet: a decoded packet goes in, counts come out at the end.
 *
 * The one place where flows, streams, messages and updates meet. No I/O, no clock, nothing
 * allocated after meter_init() but room for gaps between updates, and for connections whose content
 * is read: a capture of any length runs in the same memory. */
#ifndef PROTOTAP_METER_H
#define PROTOTAP_METER_H

#include "content.h"
#include "flow.h"
#include "ports.h"
#include "setup.h"
#include "update.h"

#include <stdint.h>

enum { MERGES = 3 };	/* the merge gap asked for, and 5 and 20 ms beside it */

/* Who wants to see what passes; of the functions, those it has. */
struct meter_tap {
	void *context;
	/* New data of the display channel, of update `number` (ascending from 1; with several connections a step back is possible). */
	void (*display)(void *context, uint64_t number, int64_t time_ns, uint64_t bytes);
	void (*input)(void *context, int64_t time_ns);	/* new data of the input channel */
	void (*packet)(void *context, int channel, const struct segment *s, int64_t time_ns);	/* every selected packet, before its data */
	void (*data)(void *context, int channel, int64_t time_ns, uint64_t bytes);	/* new data of either channel */
};
#define METER_TAPS 4

/* TCP and UDP packets that nobody asked for, by the lower of their two ports: most likely the server's. */
struct meter_port {
	uint64_t packets, wire_bytes;
	uint16_t port;
};
#define METER_PORTS 5

struct meter_cfg {
	struct meter_tap tap[METER_TAPS];	/* the first `taps` of them */
	int taps;
	const struct ports *ports;	/* outlives the meter */
	const uint8_t *server;		/* address to look for, or NULL */
	const struct typed *typed;	/* keys typed meanwhile, or NULL; outlives the meter */
	int64_t period_ns, merge_ns;
	uint32_t flows_max, flows_shown;
	uint32_t waits_max;		/* pieces of early data at one time, of all flows */
	uint64_t seed;
	int decode;			/* enum content_decode */
};

struct meter {
	struct meter_cfg cfg;
	struct flow_table table;
	struct stream_pool pool;
	struct flow_ranking top;
	struct flow *latest;		/* of the segment before */
	struct update_line update[MERGES];
	struct sample gaps;		/* of the merge gap asked for */
	struct channel_count sum[CHANNELS];	/* of flows that were given up; after meter_finish() of all */
	/* Packets by what became of them. */
	uint64_t packets, decoded[DECODED_MALFORMED + 1], unasked, truncated;
	struct meter_port *passed;	/* of the unasked ones, by port */
	uint64_t first_fragments, fragment_wire_bytes, fragment_ip_bytes;	/* the bytes of all others */
	uint64_t flows, flows_evicted, steps_back;
	uint64_t largest_frame_bytes;
	int64_t first_ns, last_ns;	/* of all packets */
	struct setup setup;
	struct contents contents;
};

int meter_init(struct meter *m, const struct meter_cfg *cfg);	/* 0 or -ENOMEM */
void meter_free(struct meter *m);

void meter_packet(struct meter *m, enum link_type link, const struct packet *p);

/* Ends all flows: sums and ranking are complete afterwards. */
void meter_finish(struct meter *m);

/* The ports of what nobody asked for, most bytes first: how many of METER_PORTS there are. */
int meter_ports(const struct meter *m, struct meter_port top[METER_PORTS]);

#endif
