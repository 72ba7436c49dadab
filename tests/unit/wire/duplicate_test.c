// SPDX-License-Identifier: GPL-3.0-or-later
/* duplicate - a packet captured twice is a copy; one that was sent twice is none. */
#include "wire/duplicate.h"
#include "../unit.h"

#define US 1000LL

static struct duplicates filter;

/* An IPv4 packet without Ethernet header; `from`: the end that sends it. */
static struct segment made = {
	.transport = TRANSPORT_TCP, .ipv4 = true, .ip_header_bytes = 20, .transport_header_bytes = 20, .payload_at = 40
};
static int from, translations;

static bool add(int64_t time_ns, int identification, int seq, int payload, int ttl)
{
	uint8_t bytes[140] = { 0x45,
			       0,
			       0,
			       (uint8_t)(40 + payload),
			       (uint8_t)(identification >> 8),
			       (uint8_t)identification,
			       0x40,
			       0,
			       (uint8_t)ttl,
			       6,
			       [24] = (uint8_t)(seq >> 24),
			       (uint8_t)(seq >> 16),
			       (uint8_t)(seq >> 8),
			       (uint8_t)seq };
	struct segment s = made;
	struct packet p = {
		.time_ns = time_ns, .bytes = bytes, .captured = (uint32_t)(40 + payload), .original = (uint32_t)(40 + payload)
	};

	s.payload_bytes = (uint32_t)payload;
	s.seq = (uint32_t)seq;
	s.port[from] = 40000;
	s.port[1 - from] = 5900;
	translations += duplicate_detect_translation(&filter, &p, &s, from);
	return duplicate_detect_copy(&filter, &p, &s);
}

TEST(copies_are_told_from_what_was_sent_again)
{
	memset(&filter, 0, sizeof(filter));
	assert_false(add(0, 77, 1000, 50, 64));
	assert_true(add(3 * US, 77, 1000, 50, 64));
	assert_true(add(40 * US, 77, 1000, 50, 63));  /* behind a router */
	assert_false(add(60 * US, 78, 1000, 50, 64)); /* sent again: a new identification */
	assert_false(add(70 * US, 79, 1050, 50, 64));
	assert_false(add(30000 * US, 79, 1050, 50, 64)); /* the same identification, but far later */
	assert_false(add(30001 * US, 79, 1050, 51, 64));
	assert_false(add(40000 * US, 80, 1101, 50, 64));
	assert_true(add(45000 * US, 80, 1101, 50, 64)); /* a mirror port that is 5 ms late */
	assert_int_equal(filter.copies, 3);
}

TEST(without_identification_payload_tells)
{
	memset(&filter, 0, sizeof(filter));
	assert_false(add(0, 0, 1000, 0, 64));
	assert_false(add(10 * US, 0, 1000, 0, 64)); /* a receiver repeats its acknowledgement */
	assert_false(add(20 * US, 0, 1000, 50, 64));
	assert_true(add(21 * US, 0, 1000, 50, 64));
	assert_false(add(30 * US, 0, 1050, 0, 64));
	assert_true(add(31 * US, 0, 1050, 0, 64)); /* here all packets come twice */
	assert_false(add(40 * US, 0, 1100, 50, 64));
	assert_false(add(5000 * US, 0, 1100, 50, 64)); /* sent again a round trip later */
}

TEST(without_identification_a_fast_retransmission_is_none)
{
	memset(&filter, 0, sizeof(filter));
	from = 1;
	assert_false(add(0, 0, 7000, 0, 64));
	from = 0;
	for (int i = 0; i < 5; i++)
		assert_false(add(i * US, 0, 1000 + 50 * i, 50, 64));
	assert_true(add(10 * US, 0, 1000, 50, 64)); /* at once, unasked */
	from = 1;
	for (int i = 0; i < 3; i++)
		assert_false(add((20 + i) * US, 0, 7000, 0, 64));
	from = 0;
	assert_false(add(30 * US, 0, 1050, 50, 64)); /* asked for */
	made.flags = TCP_SYN;
	assert_false(add(40 * US, 0, 9000, 0, 64));
	assert_true(add(41 * US, 0, 9000, 0, 64));
	made.flags = 0;
	assert_true(add(42 * US, 0, 1100, 50, 64)); /* the direction is doubled throughout */
}

TEST(a_translated_address_is_told_from_another_client)
{
	memset(&filter, 0, sizeof(filter));
	translations = 0;
	for (int host = 0; host < 3; host++) {
		made.address[1][0] = (uint8_t)host;
		add(host * US, 77, 1000, 50, 64);
		made.address[1][0] = 0;
		made.address[0][0] = (uint8_t)host;
		add((10 + host) * US, 78, 1050, 50, 64);
		made.address[0][0] = 0;
	}
	assert_int_equal(translations, 2); /* servers */
	made.address[0][0] = 7;
	add(20 * US, 78, 1050, 50, 63);
	add(21 * US, 79, 1050, 50, 63);
	assert_int_equal(translations, 3); /* a client's packet that was forwarded */
	made.address[0][0] = made.address[1][0] = 8;
	add(22 * US, 79, 1050, 50, 63);
	assert_int_equal(translations, 3);
	add(23 * US, 80, 1100, 50, 63);
	made.address[0][0] = made.address[1][0] = 9;
	add(24 * US, 80, 1100, 50, 62);
	assert_int_equal(translations, 4); /* both ends */
	made.address[0][0] = made.address[1][0] = 0;
}
