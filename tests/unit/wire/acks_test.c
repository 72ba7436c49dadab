// SPDX-License-Identifier: GPL-3.0-or-later
/* acks - what is acknowledged when, across the wrap of the sequence number. */
#include "wire/acks.h"
#include "../unit.h"

#define MS 1000000LL

static struct segment segment_of(uint32_t seq, uint32_t ack, uint8_t flags, uint32_t payload)
{
	return (struct segment){ .seq = seq, .ack = ack, .flags = flags, .payload_bytes = payload };
}

TEST(held_back_beyond_the_quickest)
{
	struct ack_receiver side[2];
	struct segment data, ack;
	uint32_t seq = 0xffffff00u; /* the second piece of data wraps */
	struct ack_seen seen;
	int64_t at = 1000 * MS;

	acks_init(side);
	for (int i = 0; i < 4; i++, at += 1000 * MS) {
		/* 100 ms there and back; the third is held back 40 ms longer, the fourth 29 */
		int64_t wait = i == 2 ? 140 : i == 3 ? 129 : 100;

		data = segment_of(seq, 1, TCP_ACK | TCP_PSH, 200);
		assert_false(acks_add_segment(side, 1, &data, at).pure);
		seq += 200;
		ack = segment_of(1, seq, TCP_ACK, 0);
		seen = acks_add_segment(side, 0, &ack, at + wait * MS);
		assert_true(seen.pure && seen.fresh);
		assert_int_equal(seen.delayed, i == 2);
	}
	seen = acks_add_segment(side, 0, &ack, at);
	assert_true(seen.pure && !seen.fresh && !seen.delayed);
	ack = segment_of(1, seq, TCP_ACK | TCP_FIN, 0);
	assert_false(acks_add_segment(side, 0, &ack, at).pure);
}

TEST(what_is_left_out_waits_from_when_it_came)
{
	struct ack_receiver side[2];
	struct segment s;

	acks_init(side);
	s = segment_of(100, 1, TCP_ACK, 100);
	acks_add_segment(side, 1, &s, 0 + MS);
	s = segment_of(1, 200, TCP_ACK, 0);
	assert_false(acks_add_segment(side, 0, &s, 2 * MS).delayed); /* 1 ms is the way */
	s = segment_of(200, 1, TCP_ACK, 100);
	acks_add_segment(side, 1, &s, 10 * MS);
	s = segment_of(300, 1, TCP_ACK, 100);
	acks_add_segment(side, 1, &s, 35 * MS);
	s = segment_of(1, 300, TCP_ACK, 0);
	assert_false(acks_add_segment(side, 0, &s, 36 * MS).delayed); /* 26 ms */
	s = segment_of(1, 400, TCP_ACK, 0);
	assert_false(acks_add_segment(side, 0, &s, 60 * MS).delayed); /* 25 ms after the second came */
}
