// SPDX-License-Identifier: GPL-3.0-or-later
/* stream - orders worked out by hand, limits, and a slow model that looks at each byte by itself. */
#include "../unit.h"
#include "wire/stream.h"

static struct stream_pool pool;
static struct tcp_stream stream;
static struct stream_result taken;

static int prepare(void **state)
{
	stream = (struct tcp_stream){ 0 };
	stream_pool_init(&pool, 1024);
	return 0;
}

static int tidy(void **state)
{
	assert_int_equal(pool.held, 0);
	stream_pool_free(&pool);
	return 0;
}

static void take(uint32_t seq, uint32_t bytes, bool push)
{
	stream_add_segment(&stream, &pool, &(struct stream_segment){ .seq = seq, .bytes = bytes, .push = push }, &taken);
}

static void ready_is(uint64_t bytes, uint32_t ends, bool open)
{
	assert_int_equal(taken.ready.bytes, bytes);
	assert_int_equal(taken.ready.ends, ends);
	assert_int_equal(taken.ready.open, open);
}

TEST_WITH(prepare, tidy, what_is_acknowledged_beyond_the_data_is_unseen)
{
	stream_begin(&stream, UINT32_MAX - 5);
	stream_note_ack(&stream, UINT32_MAX - 4); /* a FIN, maybe */
	assert_int_equal(stream_unseen_bytes(&stream), 0);
	stream_note_ack(&stream, 14);
	stream_note_ack(&stream, 4);
	assert_int_equal(stream_unseen_bytes(&stream), 20);
	take(UINT32_MAX - 5, 10, true); /* captured after its acknowledgement */
	assert_int_equal(stream_unseen_bytes(&stream), 10);
	take(4, 10, true);
	assert_int_equal(stream_unseen_bytes(&stream), 0);
	stream_note_ack(&stream, 1 << 30);
	stream_note_ack(&stream, 1u << 31);
	stream_note_ack(&stream, 3u << 30);
	stream_note_ack(&stream, 7u << 29);
	stream_note_ack(&stream, 13); /* a whole round of numbers */
	stream_drop_holes(&stream, &pool, &taken);
	assert_int_equal(taken.missing_bytes, (1LL << 32) - 1);
}

TEST_WITH(prepare, tidy, early_data_waits_and_keeps_its_ends)
{
	stream_begin(&stream, 0);
	take(100, 100, true);
	ready_is(0, 0, false);
	take(300, 100, false);
	take(200, 50, true); /* joins the first interval; 250-300 is still a hole */
	assert_true(taken.out_of_order);
	assert_int_equal(stream.count, 2);
	take(0, 100, false);
	ready_is(250, 2, false); /* 0-200 ends at 200, 200-250 at 250 */
	assert_int_equal(stream.count, 1);
	take(250, 50, false);
	ready_is(150, 0, true);
	assert_int_equal(stream.count, 0);
	assert_int_equal(taken.missing_bytes, 0);
}

TEST_WITH(prepare, tidy, a_wrap_is_nothing_special)
{
	stream_begin(&stream, 0xffffff00);
	/* many times: 10 GB in steps of 100 MB */
	for (uint32_t i = 0, seq = 0xffffff00; i < 100; i++, seq += 100000000) {
		take(seq, 100000000, false);
		ready_is(100000000, 0, true);
	}
	assert_int_equal(stream.next, 0xffffff00LL + 10000000000);
}

TEST_WITH(prepare, tidy, too_many_holes_give_up_the_oldest)
{
	uint64_t got = 0, missing = 0;

	stream_begin(&stream, 0);
	for (uint32_t i = 0; i < STREAM_HOLES_MAX + 50; i++) {
		take(100 + i * 20, 10, true);
		got += taken.ready.bytes;
		missing += taken.missing_bytes;
		assert_true(stream.count <= STREAM_HOLES_MAX);
	}
	assert_int_equal(got, 50 * 10);
	assert_int_equal(missing, 100 + 49 * 10);
	take(0, 50, true); /* what was given up comes after all: counted as seen */
	assert_int_equal(taken.old_bytes, 50);
}

TEST_WITH(prepare, tidy, early_data_can_be_kept_apart_by_the_time_of_its_coming)
{
	static const int64_t come_us[] = { 1000, 1900, 2000, 3500 };

	stream_begin(&stream, 0);
	stream.apart = true;
	for (uint32_t i = 0; i < 4; i++) { /* behind a hole of 100: the second within a millisecond of the first */
		stream.now_ns = come_us[i] * 1000;
		take(100 + 10 * i, 10, true);
	}
	assert_int_equal(stream_early_since(&stream, &pool), 1000000);
	stream_take_early(&stream, &pool, &taken);
	ready_is(20, 2, false);
	assert_int_equal(taken.missing_bytes, 100);
	assert_int_equal(stream_early_since(&stream, &pool), 2000000);
	assert_true(stream_is_ready(&stream, &pool));
	take(0, 100, true); /* it comes after all: what is ready counts with the next data */
	assert_int_equal(taken.old_bytes, 100);
	stream_drop_holes(&stream, &pool, &taken);
	ready_is(20, 2, false);
	assert_int_equal(stream_early_since(&stream, &pool), INT64_MAX);
}

TEST_WITH(prepare, tidy, a_full_pool_never_blocks)
{
	struct tcp_stream other = { 0 };

	stream_pool_free(&pool);
	stream_pool_init(&pool, 3); /* two entries: 0 is none */
	stream_begin(&other, 0);
	stream_add_segment(&other, &pool, &(struct stream_segment){ .seq = 10, .bytes = 5, .push = true }, &taken);
	stream_add_segment(&other, &pool, &(struct stream_segment){ .seq = 20, .bytes = 5, .push = true }, &taken);
	stream_begin(&stream, 0);
	take(100, 10, true); /* no room and nothing to give up: taken as it is */
	ready_is(10, 1, false);
	assert_int_equal(taken.missing_bytes, 100);
	stream_drop_holes(&other, &pool, &taken);
	take(120, 10, true);
	ready_is(0, 0, false);
}

TEST_WITH(prepare, tidy, from_far_away_it_starts_anew)
{
	stream_begin(&stream, 0);
	take(0, 10, true);
	take(20, 10, true);
	take(0x7fffff00, 10, true);
	assert_true(taken.resynchronized);
	ready_is(20, 2, false);
	take(0x7fffff0a, 10, true);
	ready_is(10, 1, false);
	assert_false(taken.resynchronized);
}

/* --- the bytes themselves --- */

static struct heard {
	char text[64];
	uint32_t n, unknown, gaps;
} heard;

static void hear(void *context, int channel, const uint8_t *bytes, uint32_t captured, uint32_t length)
{
	struct heard *h = context;

	assert_int_equal(channel, 1);
	for (uint32_t i = 0; i < captured && h->n + i < sizeof(h->text) - 1; i++)
		h->text[h->n + i] = (char)bytes[i];
	h->n += captured;
	h->unknown += length - captured;
	h->gaps += !length;
}

static void listen_to(uint32_t seq)
{
	memset(&heard, 0, sizeof(heard));
	stream = (struct tcp_stream){ .listen = hear, .listener = &heard, .channel = 1 };
	stream_begin(&stream, seq);
}

/* `text`, and `beyond` bytes that were not captured. */
static void say(uint32_t seq, const char *text, uint32_t beyond)
{
	uint32_t n = (uint32_t)strlen(text);

	stream_add_segment(&stream, &pool, &(struct stream_segment){ seq, n + beyond, n, false, (const uint8_t *)text }, &taken);
}

TEST_WITH(prepare, tidy, early_bytes_wait_and_repeated_ones_do_not_count)
{
	listen_to(100);
	say(106, "ghi", 0);
	say(103, "def", 0);
	say(103, "def", 0);
	assert_int_equal(heard.n, 0);
	say(98, "__abcd", 0);
	say(100, "abcdefghi", 0);
	assert_string_equal(heard.text, "abcdefghi");
	say(109, "jk", 8); /* ten bytes, of which two were kept */
	assert_string_equal(heard.text, "abcdefghijk");
	assert_int_equal(heard.unknown, 8);
	say(130, "over", 0);
	say(140, "far", 0);
	stream_drop_acked_holes(&stream, &pool, 130, &taken);
	assert_string_equal(heard.text, "abcdefghijkover");
	assert_int_equal(heard.gaps, 1);
	stream_drop_holes(&stream, &pool, &taken);
	assert_int_equal(heard.gaps, 2);
}

TEST_WITH(prepare, tidy, behind_a_hole_what_follows_on_each_other_is_one)
{
	listen_to(0);
	/* one piece each would have to be looked through for every segment: half an hour for these */
	for (uint32_t at = 1; at < 1000000; at++)
		say(at, "x", 0);
	say(1000, "x", 0);
	assert_int_equal(stream.count, 1);
	assert_true(pool.held < 4 << 20);
	say(0, "a", 0);
	assert_int_equal(heard.n, 1000000);
}

/* What is joined behind bytes that were not captured is a length. */
TEST_WITH(prepare, tidy, pieces_that_were_cut_keep_their_places)
{
	listen_to(0);
	say(1, "bc", 7);   /* 1 to 10 */
	say(8, "__kl", 8); /* 10 to 20, and two that were there */
	say(0, "a", 0);
	say(20, "u", 0);
	assert_string_equal(heard.text, "abcu");
	assert_int_equal(heard.unknown, 17);
	assert_int_equal(stream.next, 21);
}

TEST_WITH(prepare, tidy, without_room_bytes_are_a_length)
{
	static char much[STREAM_BYTES_MAX / 2];

	memset(much, 'm', sizeof(much) - 1);
	listen_to(0);
	pool.held = STREAM_BYTES_MAX - 4096;
	say(1, much, 0);
	say(sizeof(much), "on", 0);
	assert_true(pool.held <= STREAM_BYTES_MAX);
	say(0, "a", 0);
	assert_int_equal(stream.next, sizeof(much) + 2);
	assert_int_equal(heard.unknown, sizeof(much) + 1);
	pool.held -= STREAM_BYTES_MAX - 4096;
}

/* The model: owner[b] is 0, or 1 + whether b is the last byte of a segment with PSH that brought it first. */
#define MODEL_BYTES 4000
static uint8_t owner[MODEL_BYTES], content[MODEL_BYTES];

static void hear_content(void *context, int channel, const uint8_t *bytes, uint32_t captured, uint32_t length)
{
	uint32_t *at = context;

	assert_int_equal(captured, length);
	assert_memory_equal(bytes, content + *at, length);
	*at += length;
}

static uint32_t draw(uint32_t *seed, uint32_t below)
{
	*seed = *seed * 1664525 + 1013904223;
	return (*seed >> 8) % below;
}

TEST_WITH(prepare, tidy, agrees_with_a_model)
{
	uint32_t seed = 1, heard_to;

	for (int i = 0; i < MODEL_BYTES; i++)
		content[i] = (uint8_t)draw(&seed, 256);
	for (int run = 0; run < 300; run++) {
		uint32_t base = draw(&seed, 3) ? draw(&seed, 1u << 24) << 8 : 0xffffffff - draw(&seed, MODEL_BYTES), next = 0;
		uint64_t bytes = 0, old = 0, model_old = 0;
		uint32_t ends = 0, model_ends = 0;
		bool open = false;

		memset(owner, 0, sizeof(owner));
		stream = (struct tcp_stream){ .listen = hear_content, .listener = &heard_to };
		heard_to = 0;
		stream_begin(&stream, base);
		for (int i = 0; i < 200; i++) {
			uint32_t at = draw(&seed, 2) ? next + draw(&seed, 300) : draw(&seed, MODEL_BYTES), n = 1 + draw(&seed, 100);
			bool push = draw(&seed, 2);

			if (at + n > MODEL_BYTES)
				continue;
			stream_add_segment(&stream, &pool, &(struct stream_segment){ base + at, n, n, push, content + at }, &taken);
			bytes += taken.ready.bytes;
			ends += taken.ready.ends;
			old += taken.old_bytes;
			if (taken.ready.bytes)
				open = taken.ready.open;
			assert_int_equal(taken.missing_bytes, 0);
			for (uint32_t b = at; b < at + n; b++) {
				if (owner[b])
					model_old++;
				else
					owner[b] = (uint8_t)(1 + (push && b == at + n - 1));
			}
			while (next < MODEL_BYTES && owner[next])
				model_ends += owner[next++] == 2;
			assert_int_equal(bytes, next);
			assert_int_equal(heard_to, next);
			assert_int_equal(ends, model_ends);
			assert_int_equal(old, model_old);
			if (next)
				assert_int_equal(open, owner[next - 1] == 1);
		}
		stream.listen = NULL;
		stream_drop_holes(&stream, &pool, &taken);
		assert_int_equal(stream.count, 0);
	}
}
