/* SPDX-License-Identifier: GPL-3.0-or-later */
/* flow - a bounded table of TCP connections and UDP conversations with their counts.
 *
 * In a full table a new flow replaces one that has ended, or the one without packets for the longest time (of FLOW_LOOK examined):
 * its counts go to the sum and to the ranking. Nothing is allocated per packet. */
#pragma once

#include "acks.h"
#include "decode.h"
#include "ports.h"
#include "stream.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum channel { INPUT, DISPLAY, CHANNELS }; /* client to server, server to client */

/* Counts of one direction; all members are uint64_t. Packets, wire and IP bytes count everything, payload and messages new bytes
 * only. */
struct channel_counts {
	uint64_t packets, wire_bytes, ip_bytes;
	uint64_t link_header_bytes, ip_header_bytes, tcp_header_bytes, udp_header_bytes;
	uint64_t ipv4_packets, ipv4_bytes;
	uint64_t payload_bytes, messages;
	uint64_t beyond_bytes; /* payload in later fragments, which are not in packets, wire and IP bytes */
	uint64_t retransmitted_packets, retransmitted_bytes; /* packets with payload seen before, and that payload */
	uint64_t lost_before_packets;			     /* sent again since they were lost before the capture point */
	uint64_t keep_alives;				     /* their byte, seen before, is not a retransmitted one */
	uint64_t out_of_order_packets, missing_bytes, holes, resynchronized; /* holes: where bytes are missing */
	uint64_t payload_packets, pure_acks, fresh_acks, delayed_acks,
		ack_wire_bytes; /* fresh and delayed ones are pure (acks.h) */
	/* Data held by the receiver's closed window, a window a round trip, and delayed acknowledgements. */
	uint64_t zero_windows, closed_ns, window_waits, window_wait_ns, window_wait_bytes, delayed_rests, delayed_rest_ns;
};

/* Adds each member of struct `from` to that of `to`; both have `bytes` bytes and only members of type uint64_t. */
void counters_add(void *to, const void *from, size_t bytes);

/* The two ends in the order of their addresses, so that both directions find the same flow. */
struct flow_key {
	uint8_t address[2][16];
	uint16_t port[2];
	uint16_t transport; /* 16 bits: the struct has no padding */
};

/* Member by member: to read at once what was just written in parts, a processor waits until it is in the cache. */
static inline bool flow_keys_equal(const struct flow_key *a, const struct flow_key *b)
{
	return a->port[0] == b->port[0] && a->port[1] == b->port[1] && a->transport == b->transport &&
	       !memcmp(a->address, b->address, sizeof(a->address));
}

struct flow {
	struct flow_key key;
	uint32_t hash, next; /* next: index of the next flow in the bucket; 0: none */
	uint8_t server;	     /* end of the key (0, 1) that is the server */
	uint8_t server_clue; /* enum server_clue */
	bool used, reset, evicted;
	bool translated;			  /* packets of another flow, seen with another address: not counted */
	bool begun[CHANNELS], finished[CHANNELS]; /* SYN, FIN seen */
	bool open;				  /* it carried something, and neither side has begun to close it */
	uint32_t first_seq[CHANNELS];		  /* sequence number of the SYN */
	int64_t start_ns, last_ns;
	int64_t heard_ns[CHANNELS]; /* latest packet of each direction */
	struct channel_counts count[CHANNELS];
	struct tcp_stream stream[CHANNELS];
	struct message_state run;
	struct ack_receiver ack[CHANNELS];
	int64_t display_ns;	   /* latest data of the display channel */
	uint8_t more, more_before; /* enum update_more, after that data; after the data before it */
	bool spoken, pushed;	   /* data of the input channel came since; a PSH was seen in the display channel */
	uint32_t full_bytes,
		unpushed_bytes;	      /* payload of a segment behind which more waits, 0: not known; of the latest without PSH */
	uint64_t update[3];	      /* number of the current message's update, for each merge gap */
	struct flow_decoder *content; /* owned by payload.c; NULL: the payload is not decoded */
	bool tls_sought[CHANNELS];    /* the search for the start of TLS is over */
};

bool flow_has_ended(const struct flow *f);
uint64_t flow_bytes(const struct flow *f);
/* Bytes that were acknowledged and are not in the capture so far. */
uint64_t flow_missing_bytes(const struct flow *f);

struct flow_table {
	struct flow *flow; /* index 0 is never used */
	uint32_t *bucket;
	uint32_t size, used, mask;
	uint32_t free;	/* first of the list of freed entries; 0: none */
	uint32_t fresh; /* first entry that was never used */
	uint32_t hand;	/* entry at which the next search for a victim begins */
	uint64_t seed;
};

/* Makes a table of `size` flows. The random seed keeps a hostile capture from filling one bucket. 0 or -ENOMEM. */
int flow_table_init(struct flow_table *t, uint32_t size, uint64_t seed);
void flow_table_free(struct flow_table *t);

/* The address of an end of the key, in words. */
#define FLOW_ADDRESS 46 /* bytes of the longest one */
const char *flow_address(const struct flow_key *key, int end, char text[static FLOW_ADDRESS]);

/* The segment's key; returns which end of it (0, 1) is the segment's source. */
int flow_make_key(const struct segment *s, struct flow_key *key);
uint32_t flow_hash(const struct flow_table *t, const struct flow_key *key);
struct flow *flow_find(struct flow_table *t, const struct flow_key *key, uint32_t hash);

/* The flow to replace next; NULL: the table has room. */
#define FLOW_LOOK 64
struct flow *flow_find_victim(struct flow_table *t);
/* Adds a flow with all counts 0; NULL: the table is full. */
struct flow *flow_new(struct flow_table *t, const struct flow_key *key, uint32_t hash);
void flow_remove(struct flow_table *t, struct flow *f);

/* The flows with the most bytes so far, as a heap with the smallest on top. */
struct flow_ranking {
	struct flow *flow;
	uint32_t size, n;
};
void ranking_init(struct flow_ranking *r, uint32_t size);
void ranking_free(struct flow_ranking *r);
void ranking_offer(struct flow_ranking *r, const struct flow *f); /* copies it */
void ranking_sort(struct flow_ranking *r);			  /* most bytes first; no flow may be offered afterwards */
