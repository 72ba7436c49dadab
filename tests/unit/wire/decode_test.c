// SPDX-License-Identifier: GPL-3.0-or-later
/* decode - packets written by hand, whole, cut short and wrong at every byte. */
#include "wire/decode.h"
#include "../unit.h"

/* 10.0.0.1:40000 -> 10.0.0.2:5900, seq 0x01020304, ack 0x05060708, PSH ACK, 4 bytes of options, 3 of payload. */
static const uint8_t ipv4_frame[] = {
	2, 2,  2, 2, 2,	   2,	 4,    4,    4, 4,  4, 4, 0x08, 0x00, 0x45, 0,	  0,	47,  0,	  1, 0x40,
	0, 64, 6, 0, 0,	   10,	 0,    0,    1, 10, 0, 0, 2,	0x9c, 0x40, 0x17, 0x0c, 1,   2,	  3, 4,
	5, 6,  7, 8, 0x60, 0x18, 0xff, 0xff, 0, 0,  0, 0, 1,	1,    1,    1,	  'a',	'b', 'c',
};

/* fe80::1 -> fe80::2, a hop-by-hop header of 8 and a routing header of 24 bytes, TCP 443 -> 50000, SYN. */
static const uint8_t ipv6_frame[] = {
	2,    2,    2,	  2,	2,    2,    4, 4, 4, 4, 4,    4,    0x86, 0xdd, 0x60, 0, 0,    0,    0, 52, 0,	  64,
	0xfe, 0x80, 0,	  0,	0,    0,    0, 0, 0, 0, 0,    0,    0,	  0,	0,    1, 0xfe, 0x80, 0, 0,  0,	  0,
	0,    0,    0,	  0,	0,    0,    0, 0, 0, 2, 43,   0,    1,	  4,	0,    0, 0,    0,    6, 2,  0,	  0,
	0,    0,    0,	  0,	0,    0,    0, 0, 0, 0, 0,    0,    0,	  0,	0,    0, 0,    0,    0, 0,  0x01, 0xbb,
	0xc3, 0x50, 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0, 0x50, 0x02, 0xff, 0xff, 0,    0, 0,    0,
};

/* 10.0.0.1:40000 -> 10.0.0.2:5900, UDP with 3 bytes of payload. */
static const uint8_t udp_frame[] = {
	2,  2, 2, 2,  2, 2, 4, 4,  4, 4, 4, 4,	  0x08, 0x00, 0x45, 0, 0,  31, 0, 1,   0x40, 0,	  64,
	17, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2, 0x9c, 0x40, 0x17, 0x0c, 0, 11, 0,  0, 'a', 'b',  'c',
};

/* The test runs on an exact copy, so that a sanitizer sees the first byte beyond. */
static enum decoded decode(enum link_type link, const uint8_t *frame, size_t captured, uint32_t original, struct segment *s)
{
	uint8_t *copy = malloc(captured ? captured : 1);
	enum decoded what;

	assert_non_null(copy);
	memcpy(copy, frame, captured);
	what = decode_packet(link, &(struct packet){ .bytes = copy, .captured = (uint32_t)captured, .original = original }, s);
	free(copy);
	return what;
}

TEST(reads_ipv4)
{
	static const uint8_t source[16] = { [10] = 0xff, [11] = 0xff, 10, 0, 0, 1 };
	struct segment s;

	assert_int_equal(decode(LINK_ETHERNET, ipv4_frame, sizeof(ipv4_frame), sizeof(ipv4_frame), &s), DECODED_SEGMENT);
	assert_memory_equal(s.address[0], source, 16);
	assert_int_equal(s.address[1][15], 2);
	assert_int_equal(s.port[0], 40000);
	assert_int_equal(s.port[1], 5900);
	assert_int_equal(s.seq, 0x01020304);
	assert_int_equal(s.ack, 0x05060708);
	assert_int_equal(s.flags, TCP_PSH | TCP_ACK);
	assert_true(s.ipv4);
	assert_int_equal(s.wire_bytes, 61);
	assert_int_equal(s.link_bytes, 14);
	assert_int_equal(s.ip_bytes, 47);
	assert_int_equal(s.ip_header_bytes, 20);
	assert_int_equal(s.transport_header_bytes, 24);
	assert_int_equal(s.payload_bytes, 3);
}

TEST(reads_ipv6_with_extensions)
{
	struct segment s;

	assert_int_equal(decode(LINK_ETHERNET, ipv6_frame, sizeof(ipv6_frame), sizeof(ipv6_frame), &s), DECODED_SEGMENT);
	assert_int_equal(s.address[0][0], 0xfe);
	assert_int_equal(s.address[1][15], 2);
	assert_int_equal(s.port[0], 443);
	assert_int_equal(s.seq, 0xffffffff);
	assert_int_equal(s.flags, TCP_SYN);
	assert_false(s.ipv4);
	assert_int_equal(s.ip_bytes, 92);
	assert_int_equal(s.ip_header_bytes, 72);
	assert_int_equal(s.transport_header_bytes, 20);
	assert_int_equal(s.payload_bytes, 0);
}

/* Whatever the capture kept, lengths are those of the wire; 14 bytes of the TCP header decide. */
TEST(needs_fourteen_bytes_of_tcp)
{
	struct segment s;

	for (size_t n = 0; n <= sizeof(ipv4_frame); n++) {
		enum decoded what = decode(LINK_ETHERNET, ipv4_frame, n, sizeof(ipv4_frame), &s);

		assert_int_equal(what, n < 14 + 20 + 14 ? DECODED_SHORT : DECODED_SEGMENT);
		if (what == DECODED_SEGMENT)
			assert_int_equal(s.payload_bytes, 3);
	}
	for (size_t n = 0; n <= sizeof(ipv6_frame); n++)
		assert_int_equal(decode(LINK_ETHERNET, ipv6_frame, n, sizeof(ipv6_frame), &s),
				 n < 14 + 72 + 14 ? DECODED_SHORT : DECODED_SEGMENT);
}

/* Cut on the wire itself: the packet, not the capture, is wrong. */
TEST(a_packet_too_short_is_malformed)
{
	struct segment s;

	for (uint32_t n = 0; n < sizeof(ipv4_frame); n++)
		assert_int_equal(decode(LINK_ETHERNET, ipv4_frame, n, n, &s), DECODED_MALFORMED);
	for (uint32_t n = 0; n < sizeof(ipv6_frame); n++)
		assert_int_equal(decode(LINK_ETHERNET, ipv6_frame, n, n, &s), DECODED_MALFORMED);
}

/* What a record has beyond the packet's length is no part of the packet; nor are its lengths to be trusted, if its headers say
 * more. */
TEST(a_record_longer_than_its_packet_is_cut)
{
	uint8_t longer[sizeof(ipv4_frame) + 16] = { 0 };
	struct segment s;

	memcpy(longer, ipv4_frame, sizeof(ipv4_frame));
	assert_int_equal(decode(LINK_ETHERNET, longer, sizeof(longer), sizeof(ipv4_frame), &s), DECODED_SEGMENT);
	assert_int_equal(s.wire_bytes, sizeof(ipv4_frame));
	assert_int_equal(s.payload_bytes, 3);
	assert_int_equal(decode(LINK_ETHERNET, longer, sizeof(longer), 54, &s), DECODED_SEGMENT);
	assert_int_equal(s.wire_bytes, sizeof(ipv4_frame));
	assert_int_equal(s.payload_bytes, 3);
	assert_int_equal(decode(LINK_ETHERNET, longer, sizeof(longer), 20, &s), DECODED_SHORT);
}

/* RFC 4302: 24 bytes between IPv4 and TCP, next header 6, and (24 / 4 - 2) words. */
TEST(reads_ipv4_with_authentication)
{
	uint8_t frame[sizeof(ipv4_frame) + 24] = { 0 };
	struct segment s;

	memcpy(frame, ipv4_frame, 34);
	memcpy(frame + 34 + 24, ipv4_frame + 34, sizeof(ipv4_frame) - 34);
	frame[17] += 24;
	frame[23] = 51;
	frame[34] = 6;
	frame[35] = 4;
	assert_int_equal(decode(LINK_ETHERNET, frame, sizeof(frame), sizeof(frame), &s), DECODED_SEGMENT);
	assert_int_equal(s.port[1], 5900);
	assert_int_equal(s.ip_header_bytes, 44);
	assert_int_equal(s.payload_bytes, 3);
	frame[35] = 200;
	assert_int_equal(decode(LINK_ETHERNET, frame, sizeof(frame), sizeof(frame), &s), DECODED_MALFORMED);
}

TEST(reads_udp)
{
	struct segment s;

	assert_int_equal(decode(LINK_ETHERNET, udp_frame, sizeof(udp_frame), sizeof(udp_frame), &s), DECODED_SEGMENT);
	assert_int_equal(s.transport, TRANSPORT_UDP);
	assert_int_equal(s.port[0], 40000);
	assert_int_equal(s.port[1], 5900);
	assert_int_equal(s.flags | s.seq | s.ack, 0);
	assert_int_equal(s.ip_bytes, 31);
	assert_int_equal(s.transport_header_bytes, 8);
	assert_int_equal(s.payload_bytes, 3);
	assert_int_equal(s.beyond_bytes, 0);
	assert_false(s.fragmented);
	for (size_t n = 0; n <= sizeof(udp_frame); n++)
		assert_int_equal(decode(LINK_ETHERNET, udp_frame, n, sizeof(udp_frame), &s),
				 n < 14 + 20 + 6 ? DECODED_SHORT : DECODED_SEGMENT);
	for (uint32_t n = 0; n < sizeof(udp_frame); n++)
		assert_int_equal(decode(LINK_ETHERNET, udp_frame, n, n, &s), DECODED_MALFORMED);
}

static enum decoded with_byte(const uint8_t *frame, size_t size, size_t at, uint8_t value)
{
	uint8_t copy[256];
	struct segment s;

	memcpy(copy, frame, size);
	copy[at] = value;
	return decode(LINK_ETHERNET, copy, size, (uint32_t)size, &s);
}

TEST(says_what_else_it_is)
{
	assert_int_equal(with_byte(ipv4_frame, sizeof(ipv4_frame), 12, 0x09), DECODED_OTHER);	  /* another ethertype */
	assert_int_equal(with_byte(ipv4_frame, sizeof(ipv4_frame), 23, 1), DECODED_OTHER);	  /* ICMP */
	assert_int_equal(with_byte(ipv4_frame, sizeof(ipv4_frame), 21, 1), DECODED_FRAGMENT);	  /* at offset 8 */
	assert_int_equal(with_byte(ipv4_frame, sizeof(ipv4_frame), 20, 0x20), DECODED_SEGMENT);	  /* the first fragment */
	assert_int_equal(with_byte(ipv4_frame, sizeof(ipv4_frame), 14, 0x65), DECODED_MALFORMED); /* version 6 */
	assert_int_equal(with_byte(ipv4_frame, sizeof(ipv4_frame), 14, 0x44), DECODED_MALFORMED); /* header of 16 */
	assert_int_equal(with_byte(ipv4_frame, sizeof(ipv4_frame), 14, 0x4f), DECODED_MALFORMED); /* of 60 > 47 */
	assert_int_equal(with_byte(ipv4_frame, sizeof(ipv4_frame), 17, 48), DECODED_MALFORMED);	  /* beyond the frame */
	assert_int_equal(with_byte(ipv4_frame, sizeof(ipv4_frame), 17, 0), DECODED_SEGMENT);	  /* offload: all there is */
	assert_int_equal(with_byte(ipv4_frame, sizeof(ipv4_frame), 46, 0x40), DECODED_MALFORMED); /* TCP header of 16 */
	assert_int_equal(with_byte(ipv4_frame, sizeof(ipv4_frame), 46, 0xf0), DECODED_MALFORMED); /* of 60 */
	assert_int_equal(with_byte(ipv6_frame, sizeof(ipv6_frame), 20, 58), DECODED_OTHER);	  /* ICMPv6 */
	assert_int_equal(with_byte(ipv6_frame, sizeof(ipv6_frame), 55, 20), DECODED_MALFORMED);	  /* extension beyond the packet */
	assert_int_equal(with_byte(ipv6_frame, sizeof(ipv6_frame), 20, 44), DECODED_FRAGMENT);	  /* its offset is 0x104 */
}

/* Hop-by-hop headers that follow each other without end. */
TEST(a_chain_of_extensions_ends)
{
	uint8_t frame[14 + 40 + 8 * 40] = { [12] = 0x86, 0xdd, 0x60, [18] = (8 * 40) >> 8, (8 * 40) & 255, 0 };
	struct segment s;

	assert_int_equal(decode(LINK_ETHERNET, frame, sizeof(frame), sizeof(frame), &s), DECODED_MALFORMED);
}

/* Every byte set to every value on every link: never a read beyond, and a segment's parts always
 * add up to no more than the whole. */
TEST(parts_never_exceed_the_whole)
{
	static const struct {
		const uint8_t *bytes;
		size_t n;
	} frames[] = {
		{ ipv4_frame, sizeof(ipv4_frame) },
		{ ipv6_frame, sizeof(ipv6_frame) },
		{ udp_frame, sizeof(udp_frame) },
		{ ipv4_frame + 14, sizeof(ipv4_frame) - 14 },
		{ ipv6_frame + 14, sizeof(ipv6_frame) - 14 },
		{ udp_frame + 14, sizeof(udp_frame) - 14 },
	};
	uint8_t copy[256];
	struct segment s;

	for (int value = 0; value < 256 * LINK_TYPES; value++) {
		for (size_t f = 0; f < sizeof(frames) / sizeof(*frames); f++) {
			for (size_t at = 0; at < frames[f].n; at++) {
				memcpy(copy, frames[f].bytes, frames[f].n);
				copy[at] = (uint8_t)value;
				if (decode((enum link_type)(value / 256), copy, frames[f].n, (uint32_t)frames[f].n, &s) !=
				    DECODED_SEGMENT)
					continue;
				assert_int_equal(s.ip_header_bytes + s.transport_header_bytes + s.payload_bytes - s.beyond_bytes,
						 s.ip_bytes);
				assert_true(s.link_bytes + s.ip_bytes <= s.wire_bytes);
				assert_true(s.fragmented || !s.beyond_bytes);
			}
		}
	}
}
