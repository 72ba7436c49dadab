#include "../unit.h"
// SPDX-License-Identifier: GPL-3.0-or-later
/* acks and order - what is acknowledged when, across the wrap of the sequence number; bytes in order, with holes. */
#include "prototap/acks.h"
#include "prototap/reorder.h"
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

struct heard {
	char text[64];
	uint32_t n, unknown;
};

static void hear(void *context, int channel, const uint8_t *bytes, uint32_t captured, uint32_t length)
{
	struct heard *h = context;

	(void)channel;

	if (captured)
		memcpy(h->text + h->n, bytes, captured);
	h->n += captured;
	h->unknown += length - captured;
}

static void say(struct reorder_buffer *o, size_t *held, int64_t at, const char *text, uint32_t beyond, struct heard *h)
{
	uint32_t n = (uint32_t)strlen(text);

	reorder_add(o, held, at, (const uint8_t *)text, n, n + beyond, hear, h);
}

TEST(early_bytes_wait_and_repeated_ones_do_not_count)
{
	struct reorder_buffer o = { .next = 100 };
	struct heard h = { 0 };
	size_t held = 0;

	say(&o, &held, 106, "ghi", 0, &h);
	say(&o, &held, 103, "def", 0, &h);
	say(&o, &held, 103, "def", 0, &h);
	assert_int_equal(h.n, 0);
	say(&o, &held, 98, "__abcd", 0, &h);
	assert_int_equal(held, 0);
	assert_int_equal(o.next, 109);
	say(&o, &held, 100, "abcdefghi", 0, &h);
	assert_string_equal(h.text, "abcdefghi");
	say(&o, &held, 109, "jk", 8, &h); /* ten bytes, of which two were kept */
	assert_string_equal(h.text, "abcdefghijk");
	assert_int_equal(h.unknown, 8);
	assert_int_equal(o.next, 119);
}

TEST(a_hole_that_is_given_up_is_jumped_over)
{
	struct reorder_buffer o = { .next = 0 };
	struct heard h = { 0 };
	size_t held = 0;

	say(&o, &held, 5, "five", 0, &h);
	say(&o, &held, 20, "twenty", 0, &h);
	assert_true(reorder_has_hole(&o, 9));
	reorder_skip_holes(&o, &held, 9, hear, &h);
	assert_string_equal(h.text, "five");
	assert_false(reorder_has_hole(&o, 9));
	assert_int_equal(o.next, 9);
	reorder_free(&o, &held);
	assert_int_equal(held, 0);
}

TEST(behind_a_hole_what_follows_on_each_other_is_one)
{
	struct reorder_buffer o = { .next = 0 };
	struct heard h = { 0 };
	size_t held = 0, one;

	say(&o, &held, 1, "b", 0, &h);
	one = held;
	/* one piece each would have to be looked through for every segment: half an hour for these */
	for (int64_t at = 2; at < 1000000; at++)
		reorder_add(&o, &held, at, (const uint8_t *)"x", 1, 1, hear, &h);
	reorder_add(&o, &held, 1000, (const uint8_t *)"x", 1, 1, hear, &h);
	assert_true(held < one + (4 << 20));
	reorder_free(&o, &held);
	assert_int_equal(held, 0);
}

TEST(pieces_that_were_cut_keep_their_places)
{
	struct reorder_buffer o = { .next = 0 };
	struct heard h = { 0 };
	size_t held = 0;

	say(&o, &held, 1, "bc", 7, &h);	  /* 1 to 10 */
	say(&o, &held, 8, "__kl", 8, &h); /* 10 to 20, and two that were there */
	say(&o, &held, 20, "u", 0, &h);
	say(&o, &held, 0, "a", 0, &h);
	assert_string_equal(h.text, "abcklu");
	assert_int_equal(h.unknown, 15);
	assert_int_equal(o.next, 21);
	assert_int_equal(held, 0);
}

TEST(without_room_bytes_are_a_length)
{
	static uint8_t much[REORDER_ROOM / 2];
	struct reorder_buffer o = { .next = 0 };
	struct heard h = { 0 };
	size_t held = REORDER_ROOM - 4096;

	reorder_add(&o, &held, 1, much, sizeof(much), sizeof(much), hear, &h);
	say(&o, &held, 1 + (int64_t)sizeof(much), "on", 0, &h);
	assert_true(held <= REORDER_ROOM);
	say(&o, &held, 0, "a", 0, &h);
	assert_int_equal(o.next, 3 + (int64_t)sizeof(much));
	assert_int_equal(h.n + h.unknown, 3 + (int64_t)sizeof(much));
	assert_int_equal(h.unknown, sizeof(much));
	assert_string_equal(h.text, "aon");
	assert_int_equal(held, REORDER_ROOM - 4096);
}
