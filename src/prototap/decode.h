/* decode - from a captured packet to a TCP segment.
 *
 * Ethernet II (RFC 894), Linux cooked captures v1 and v2 (www.tcpdump.org/linktypes, LINUX_SLL and LINUX_SLL2),
 * IPv4 (RFC 791), IPv6 with its extension headers (RFC 8200), TCP (RFC 9293). All lengths come from the headers and the
 * packet's length on the wire, never from how much of it was captured: 14 bytes of the TCP header are enough. */
#ifndef PROTOTAP_DECODE_H
#define PROTOTAP_DECODE_H

#include <stdbool.h>
#include <stdint.h>

enum link_type { LINK_ETHERNET, LINK_COOKED, LINK_COOKED2 };

enum tcp_flag { TCP_FIN = 1, TCP_SYN = 2, TCP_RST = 4, TCP_PSH = 8, TCP_ACK = 16 };

struct segment {
	uint8_t address[2][16];	/* source, destination; IPv4 as ::ffff:a.b.c.d */
	uint16_t port[2];
	uint32_t seq, ack;	/* of the header; a SYN's payload begins one later */
	uint8_t flags;
	bool ipv4;
	/* Lengths on the wire in bytes; link + ip_header + tcp_header + payload + padding = wire. */
	uint32_t wire_bytes;	/* the frame, without checksum and preamble */
	uint32_t link_bytes;	/* its Ethernet header; 0 on a device that has none */
	uint32_t ip_bytes;	/* the IP packet */
	uint32_t ip_header_bytes, tcp_header_bytes, payload_bytes;
};

enum decoded {
	DECODED_SEGMENT,
	DECODED_OTHER,		/* not TCP over IP */
	DECODED_FRAGMENT,	/* of an IP packet, not its first: belongs to no flow that could be told */
	DECODED_SHORT,		/* the capture kept too little of it */
	DECODED_MALFORMED	/* headers that contradict themselves or the packet's length */
};

/* `captured` bytes are there of a packet of `original` bytes (which includes a cooked header). Only after
 * DECODED_SEGMENT is *out complete. A cooked capture has no Ethernet header, but says what kind of device the packet crossed:
 * where that is Ethernet or the loopback, the 14 bytes that a capture on the device would show are added. */
enum decoded decode_packet(enum link_type link, const uint8_t *bytes, uint32_t captured, uint32_t original,
			   struct segment *out);

#endif
