/* SPDX-License-Identifier: GPL-3.0-or-later */
/* duplicate - tells a packet that was captured twice from one that was sent twice. Pure.
 *
 * A mirror port of both directions, or "-i any" over a bridge, shows each packet twice, within microseconds. A copy has the same
 * addresses, the same IP identification and the same bytes from the transport header on (but hops, which a router counts down),
 * within DUPLICATE_NS; a retransmission has another identification, or comes a round trip later. Of a sender whose packets have
 * identifications of their own (Linux and Windows count them), one with that of another is a copy within DUPLICATE_LATE_NS.
 *
 * Without an identification (0, or IPv6), TCP packets sent again may have the same bytes, too, on a network of microseconds
 * within DUPLICATE_UNIDENTIFIED_NS. One is a copy if it has a SYN, which nobody repeats so soon; or if its direction is doubled
 * throughout: its SYN was, or three in four of its latest packets with payload; or if it has payload and the other side sent
 * nothing since the first one, as it must to ask for a retransmission. What comes later counts as a packet.
 *
 * A host that translates addresses (to a container, to the hosts behind it) shows packets twice on "-i any": before and after. All
 * is the same but one end, or both. Where the client's is another, the packet must have been forwarded (its hops differ), too:
 * nothing else tells two clients of a made-up capture apart.
 *
 * A packet that is in two files within DUPLICATE_LATE_NS is a copy with any identification: a retransmission is in both, too. From
 * DUPLICATE_APART_NS on, the files are of different places on the way, such as both ends.
 *
 * At most DUPLICATE_MEMORY packets and DUPLICATE_SENDERS directions are remembered: of the packets, the latest DUPLICATE_WAYS of
 * each set of hashes. At 1 Gbit/s some 1,200 packets come in DUPLICATE_NS, of which one in 300,000 is forgotten meanwhile. */
#pragma once

#include "decode.h"

#define DUPLICATE_NS 10000000LL
#define DUPLICATE_UNIDENTIFIED_NS 2000000LL
#define DUPLICATE_LATE_NS 500000000LL
#define DUPLICATE_APART_NS 1000000LL
#define DUPLICATE_FILES 16 /* more are told apart by their number's remainder */
#define DUPLICATE_SETS 2048
#define DUPLICATE_WAYS 7 /* packets of a set */
#define DUPLICATE_MEMORY (DUPLICATE_SETS * DUPLICATE_WAYS)
#define DUPLICATE_SENDERS 1024
#define DUPLICATE_BYTES 128 /* of a packet's TCP options and payload */

struct duplicates {
	struct packet_set {
		uint8_t tag[DUPLICATE_WAYS], next; /* a byte of each mark's hash; the mark to overwrite next */
		struct packet_mark {
			uint64_t hash; /* its lowest bits are the number of the file */
			int64_t time_ns;
		} mark[DUPLICATE_WAYS];
	} set[DUPLICATE_SETS]; /* neighbours in a direction are in one set or in the next one */
	struct packet_ends {
		struct packet_mark mark;  /* of all but addresses and ports */
		uint32_t end[2], host[2]; /* hashes of address and port, of the address alone; source and destination */
		uint8_t hops;
	} translated[DUPLICATE_SENDERS]; /* by hash */
	struct packet_sender {
		uint64_t direction;	   /* hash of both ends */
		int64_t last_ns;	   /* latest packet */
		uint32_t payloads, copies; /* of about the latest packets with payload */
		uint16_t identification;   /* of the latest packet */
		bool identifies;	   /* identifications differ */
		bool doubled;		   /* its SYN came twice */
	} sender[DUPLICATE_SENDERS];	   /* by direction */
	uint64_t copies;
	uint64_t apart;	  /* those of them that are in another file, DUPLICATE_APART_NS or more later */
	int64_t apart_ns; /* by how much, the most */
};

/* Whether `p`, decoded as `s`, is a copy of a recent packet; counts copies in d->copies. Remembers the packet, to find later
 * copies. */
bool duplicate_detect_copy(struct duplicates *d, const struct packet *p, const struct segment *s);

/* Whether it is a packet that came before, with another address of the server's or the client's; end `client` of it (0, 1) is the
 * client. Remembers it likewise. */
bool duplicate_detect_translation(struct duplicates *d, const struct packet *p, const struct segment *s, int client);
