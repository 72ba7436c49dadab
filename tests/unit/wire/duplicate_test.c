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
static uint32_t file;

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
	struct packet p = { .time_ns = time_ns,
			    .bytes = bytes,
			    .captured = (uint32_t)(40 + payload),
			    .original = (uint32_t)(40 + payload),
			    .file = file };

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
	assert_true(add(30000 * US, 79, 1050, 50, 64)); /* this sender counts its identifications, so it is none sent again */
	assert_false(add(30001 * US, 79, 1050, 51, 64));
	assert_false(add(40000 * US, 80, 1101, 50, 64));
	assert_true(add(45000 * US, 80, 1101, 50, 64)); /* a mirror port that is 5 ms late */
	assert_int_equal(filter.copies, 4);
}

TEST(a_sender_with_one_identification_sends_again_after_a_round_trip)
{
	memset(&filter, 0, sizeof(filter));
	assert_false(add(0, 1, 1000, 50, 64));
	assert_true(add(3 * US, 1, 1000, 50, 64));
	assert_false(add(1000 * US, 1, 1050, 50, 64));
	assert_false(add(30000 * US, 1, 1050, 50, 64));
}

/* A mirror that is 8 ms late, on a link of 1 Gbit/s: 650 full segments, and an acknowledgement for each second one. Of three, one
 * counts identifications, one has always 7, one has none and is said to be doubled by its SYN. */
TEST(no_copy_in_a_burst_is_missed)
{
	for (int kind = 0; kind < 3; kind++) {
		memset(&filter, 0, sizeof(filter));
		made.flags = TCP_SYN;
		from = 1;
		add(0, 0, 900000, 0, 64);
		add(US, 0, 900000, 0, 64);
		from = 0;
		add(0, 0, 1000, 0, 64);
		add(US, 0, 1000, 0, 64);
		made.flags = 0;
		filter.copies = 0;
		for (int i = 0; i < 20000; i++) {
			int late = kind == 2 ? 150 : 650; /* within 2 ms without identification */

			from = 0;
			add((100 + 12 * i) * US, kind ? 14 - 7 * kind : i + 1, 2000 + 1448 * i, 100, 64);
			from = 1;
			made.ack = (uint32_t)(2000 + 1448 * i);
			if (i % 2)
				add((101 + 12 * i) * US, kind ? 14 - 7 * kind : i + 1, 900001, 0, 64);
			from = 0;
			made.ack = 0;
			if (i >= late)
				add((102 + 12 * i) * US, kind ? 14 - 7 * kind : i + 1 - late, 2000 + 1448 * (i - late), 100, 63);
		}
		assert_int_equal(filter.copies, 20000 - (kind == 2 ? 150 : 650));
	}
	from = 0;
}

TEST(files_of_both_ends_have_each_packet_once)
{
	memset(&filter, 0, sizeof(filter));
	for (int identification = 0; identification < 2; identification++) {
		int seq = 1000 + 100 * identification;

		file = 0;
		assert_false(add(0, identification, seq, 50, 64));
		file = 1;
		assert_true(add(20000 * US, identification, seq, 50, 60));
		file = 0; /* lost on the way, and sent again */
		assert_false(add(40000 * US, identification, seq, 50, 64));
		file = 1;
		assert_true(add(60000 * US, identification, seq, 50, 60));
	}
	assert_int_equal(filter.apart, 4);
	assert_int_equal(filter.apart_ns, 20000 * US);
	file = 0;
	assert_false(add(100000 * US, 9, 5000, 50, 64)); /* of two interfaces of one host */
	file = 1;
	assert_true(add(100040 * US, 9, 5000, 50, 64));
	assert_int_equal(filter.apart, 4);
	file = 0;
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
