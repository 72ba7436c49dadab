/* SPDX-License-Identifier: GPL-3.0-or-later */
/* decode - from a captured packet to its TCP segment or UDP datagram.
 *
 * Ethernet II (RFC 894) with VLAN tags (IEEE 802.1Q, 802.1ad), Linux cooked captures v1 and v2, BSD loopback and raw IP
 * (www.tcpdump.org/linktypes: EN10MB, LINUX_SLL, LINUX_SLL2, NULL, LOOP, RAW, IPV4, IPV6), IPv4 (RFC 791), IPv6 with its extension
 * headers (RFC 8200), the authentication header of both (RFC 4302), TCP (RFC 9293), UDP (RFC 768). PPPoE (RFC 2516) and MPLS (RFC
 * 3032) are gone over like VLAN tags. The packet inside of tunnels is looked at in place of those around it: IP in IP (RFC 2003,
 * 2473), GRE (RFC 2784, 2890) with IP, Ethernet or ERSPAN (draft-foschiano-erspan), VXLAN (RFC 7348), Geneve (RFC 8926).
 *
 * All lengths come from headers and from the packet's length on the wire, not from how much was captured: 14 bytes of a TCP header
 * or 6 of a UDP header are enough. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* A damaged time may be anything: limited to this many seconds from 1970 (the years 1827 to 2112), differences do not overflow. */
#define PACKET_FAR_S 4500000000

/* One packet as it was captured. */
struct packet {
	int64_t time_ns;      /* CLOCK_REALTIME of the capturing host */
	const uint8_t *bytes; /* owned by the source of packets, valid until its next packet */
	uint32_t captured;    /* number of `bytes` */
	uint32_t original;    /* length on the wire in bytes */
	uint32_t file;	      /* number of its file among those read together */
};

enum link_type { LINK_ETHERNET, LINK_COOKED, LINK_COOKED2, LINK_LOOPBACK, LINK_IP, LINK_IPV4, LINK_IPV6, LINK_TYPES };

/* A link type that can be read. */
struct link_layer {
	int number; /* DLT_* of libpcap, www.tcpdump.org/linktypes */
	enum link_type type;
	const char *name;
};
#define LINKS_KNOWN "Ethernet, Linux cooked, loopback and raw IP"

/* The link type with this number; NULL: it cannot be read. */
const struct link_layer *find_link_layer(int number);
/* In words: which bytes of a frame wire_bytes counts in a capture of this link type. */
const char *wire_bytes_text(enum link_type type);

enum transport { TRANSPORT_TCP, TRANSPORT_UDP };

enum tcp_flag { TCP_FIN = 1, TCP_SYN = 2, TCP_RST = 4, TCP_PSH = 8, TCP_ACK = 16 };

/* The part of a TCP segment or UDP datagram that is in one packet. */
struct segment {
	uint8_t address[2][16]; /* source, destination; IPv4 as ::ffff:a.b.c.d */
	uint16_t port[2];
	uint32_t seq, ack; /* of the TCP header; the payload of a SYN begins at seq + 1. UDP: 0, as are the flags */
	uint16_t window;   /* of the TCP header, not scaled; 65535: not captured */
	uint8_t flags;	   /* enum tcp_flag */
	uint8_t transport; /* enum transport */
	bool ipv4;
	bool fragmented; /* the first fragment of an IP packet; further ones are DECODED_FRAGMENT */
	/* Lengths on the wire in bytes; link + ip_header + transport_header + payload - beyond + padding = wire. */
	uint32_t wire_bytes; /* the frame, without checksum and preamble */
	uint32_t link_bytes; /* Ethernet header and VLAN tags, and all headers of a tunnel; 0: there are none */
	uint32_t ip_bytes;   /* the IP packet */
	uint32_t ip_header_bytes;
	uint32_t transport_header_bytes; /* with TCP options, and UDP options behind the datagram (RFC 9868) */
	uint32_t payload_bytes;		 /* TCP: in this packet; UDP: of the whole datagram */
	uint32_t beyond_bytes;		 /* UDP: part of the payload that is in later fragments */
	uint32_t payload_at;		 /* TCP: offset of the payload in the captured bytes; may lie beyond them */
};

enum decoded {
	DECODED_SEGMENT,
	DECODED_OTHER,	  /* neither TCP nor UDP over IP; also other tunnels */
	DECODED_FRAGMENT, /* a fragment of an IP packet without the ports: its flow is not known */
	DECODED_SHORT,	  /* too few bytes were captured */
	DECODED_MALFORMED /* headers contradict each other or the packet's length */
};

/* The packet's `original` length includes a cooked header; what was captured beyond it is no part of the packet, whose
 * length then is that of its IP header, if that is longer. *out is complete after DECODED_SEGMENT; after DECODED_FRAGMENT it has
 * wire_bytes, link_bytes and ip_bytes only.
 *
 * A cooked capture has no Ethernet header but the kind of device: for Ethernet and loopback, the 14 bytes are added that a capture
 * on the device would show. The four bytes of a BSD loopback header are not counted: they are on no wire. */
enum decoded decode_packet(enum link_type link, const struct packet *p, struct segment *out);
