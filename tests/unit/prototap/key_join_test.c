#include "../unit.h"
// SPDX-License-Identifier: GPL-3.0-or-later
/* wire - blocks, drains and rests played by hand, packet by packet; times in ms on one clock, which both sides share here. */
#include "prototap/key_join.h"

#include <math.h>
#include "../unit.h"

#define MS 1000000LL
#define AT(ms) ((1000 + (ms)) * MS)

struct play {
	struct key_log typed;
	struct key_update_join wire;
	uint64_t updates;
};

/* A log of n keys, each "sent_ms block skipped" (sent < 0: never), due 1 ms before it was sent. */
static void type(struct play *p, const int (*key)[3], size_t n)
{
	char text[8192] = "schema\tkey\tdue_ns\tsent_ns\tskipped\trealtime_offset_ns\tblock\n", *at = text + strlen(text);
	unsigned long line;
	FILE *in;

	for (size_t i = 0; i < n; i++) {
		int64_t ms = key[i][0] < 0 ? -key[i][0] : key[i][0];

		at += sprintf(at, "keys/1\t%zu\t%lld\t", i + 1, (long long)AT(ms) - MS);
		if (key[i][0] >= 0)
			at += sprintf(at, "%lld", (long long)AT(ms));
		at += sprintf(at, "\t%d\t%d\t%d\n", key[i][2], 1000, key[i][1]);
	}
	in = fmemopen(text, strlen(text), "r");
	assert_int_equal(key_log_read(in, &p->typed, &line), 0);
	fclose(in);
}

static void start(struct play *p, const int (*key)[3], size_t n, double noise)
{
	struct key_join_cfg cfg = { .typed = &p->typed, .noise_per_s = noise };

	memset(p, 0, sizeof(*p));
	type(p, key, n);
	assert_int_equal(key_join_init(&p->wire, &cfg), 0);
}

/* Packets in order of time: "+ms" a key's, "-ms" an update's; packet time is 1,000 ns ahead of the keys' clock. */
static void packets(struct play *p, const int *ms, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (ms[i] > 0)
			key_join_add_input(&p->wire, AT(ms[i]) + 1000);
		else
			key_join_add_update(&p->wire, ++p->updates, AT(-ms[i]) + 1000, 10);
	}
}
#define PACKETS(p, ...) packets(p, (const int[]){ __VA_ARGS__ }, sizeof((const int[]){ __VA_ARGS__ }) / sizeof(int))

static void finish(struct play *p, int64_t ms)
{
	assert_int_equal(key_join_finish(&p->wire, AT(ms) + 1000), 0);
}

static void end(struct play *p)
{
	key_join_free(&p->wire);
	key_log_free(&p->typed);
}

static void expect(const struct play *p, size_t i, int64_t low_ms, int64_t high_ms, bool exact)
{
	const struct key_times *k = &p->typed.key[i];

	assert_int_equal(k->answer_ns, low_ms ? AT(low_ms) : 0);
	assert_int_equal(k->high_ns, high_ms ? AT(high_ms) : 0);
	assert_int_equal(k->exact, exact);
}

TEST(a_block_ends_where_the_next_begins)
{
	static const int key[][3] = { { 100, 1, 0 }, { 150, 1, 0 }, { 3000, 2, 0 }, { 3050, 2, 0 } };
	struct play p;

	start(&p, key, 4, 0);
	/* before the first block one by itself; 1.5 s after its second update the first block gets a third: a late answer, perhaps */
	PACKETS(&p, -50, 101, -110, 151, -160, -1700, 3001, -3010, 3051, -3060);
	finish(&p, 5000);
	expect(&p, 0, 110, 160, false);
	expect(&p, 1, 160, 1700, false);
	expect(&p, 2, 3010, 3010, true);
	expect(&p, 3, 3060, 3060, true);
	assert_int_equal(p.wire.blocks, 2);
	assert_int_equal(p.wire.drained, 2);
	assert_int_equal(p.wire.paired_updates, 5);
	assert_int_equal(p.wire.seen_ns[2], AT(3001));
	end(&p);
}

TEST(the_last_block_ends_with_its_rest)
{
	static const int key[][3] = { { 100, 1, 0 }, { 150, 1, 0 } };
	struct play p;

	/* what comes after a second of rest is not for these keys: the viewer leaves */
	start(&p, key, 2, 0);
	PACKETS(&p, 101, -110, 151, -160, -1160, -1200, -9000);
	finish(&p, 9000);
	expect(&p, 0, 110, 110, true);
	expect(&p, 1, 160, 160, true);
	end(&p);
	/* one before a second is over, is */
	start(&p, key, 2, 0);
	PACKETS(&p, 101, -110, 151, -160, -1159);
	finish(&p, 9000);
	expect(&p, 0, 110, 160, false);
	expect(&p, 1, 160, 1159, false);
	end(&p);
}

TEST(rest_before_the_last_answer_is_a_stall)
{
	static const int key[][3] = { { 100, 1, 0 }, { 150, 1, 0 }, { 9000, 2, 0 } };
	struct play p;

	/* no update since the second key: quiet, but not answered. The next block begins 8.85 s after it */
	start(&p, key, 3, 0);
	PACKETS(&p, 101, -110, 151, 9001, -9010);
	finish(&p, 12000);
	assert_int_equal(p.wire.drained, 1);
	assert_int_equal(p.wire.cut, 1);
	expect(&p, 0, 110, 0, false); /* its late end is open */
	expect(&p, 1, 0, 0, false);
	assert_int_equal(p.typed.key[1].censored_ns, AT(9000));
	assert_int_equal(p.wire.unanswered, 1);
	end(&p);
}

TEST(ten_seconds_are_enough_and_two_where_it_is_noisy)
{
	static const int key[][3] = { { 100, 1, 0 }, { 150, 1, 0 }, { 10151, 2, 0 } },
			 soon[][3] = { { 100, 1, 0 }, { 150, 1, 0 }, { 2151, 2, 0 } };
	struct play p;

	start(&p, key, 3, 0);
	PACKETS(&p, 101, -110, 151, -160, -900, -1800, -2700, -3600, -4500, -5400, -6300, -7200, -8100, -9000, -9900, 10152,
		-10160);
	finish(&p, 12000);
	assert_int_equal(p.wire.cut, 0);
	expect(&p, 0, 110, 9000, false);
	expect(&p, 1, 160, 9900, false);
	end(&p);
	for (int noisy = 0; noisy < 2; noisy++) {
		start(&p, soon, 3, noisy ? 0.6 : 0.4);
		PACKETS(&p, 101, -110, 151, -160, -900, -1800, 2152, -2160);
		finish(&p, 4000);
		assert_int_equal(p.wire.cut, noisy ? 0 : 1);
		assert_int_equal(p.wire.marked, 2);
		expect(&p, 0, 110, noisy ? 900 : 0, false);
		end(&p);
	}
}

TEST(blocks_without_their_first_key_are_missed)
{
	static const int key[][3] = { { 100, 1, 1 }, { 150, 1, 0 }, { 3000, 2, 0 }, { 3050, 2, 0 }, { 6000, 3, 0 } };
	struct play p;

	start(&p, key, 5, NAN);
	/* the capture begins after the first key */
	PACKETS(&p, -120, 151, -160, 3001, -3010, 3051, -3060);
	finish(&p, 5000);
	assert_int_equal(p.wire.blocks, 3);
	assert_int_equal(p.wire.missed, 2);
	assert_int_equal(p.wire.missed_keys, 2); /* the skipped one is in no figure anyway */
	assert_int_equal(p.wire.keys, 2);
	assert_int_equal(p.wire.exact, 2);
	assert_int_equal(p.wire.low.n, 2);
	end(&p);
}

/* Of two blocks the first key crosses only when the second was sent, of one both in one packet long after. */
TEST(a_first_key_that_is_held_up_keeps_its_block)
{
	static const int key[][3] = {
		{ 100, 1, 0 }, { 150, 1, 0 }, { 3000, 2, 0 }, { 3050, 2, 0 }, { 6000, 3, 0 }, { 6050, 3, 0 }
	};
	struct play p;

	start(&p, key, 6, 0);
	PACKETS(&p, 101, -110, 151, -160, 3059, -3070, -3080, 6500, -6510, -6520);
	finish(&p, 8000);
	assert_int_equal(p.wire.blocks, 3);
	assert_int_equal(p.wire.missed, 0);
	assert_int_equal(p.wire.keys, 6);
	assert_int_equal(p.wire.exact, 6);
	assert_int_equal(p.wire.low.n, 6);
	expect(&p, 2, 3070, 3070, true);
	expect(&p, 4, 6510, 6510, true);
	end(&p);
}

TEST(a_block_of_which_no_key_could_be_sent_is_later_than)
{
	static const int key[][3] = { { 100, 1, 0 }, { 150, 1, 0 }, { -3000, 2, 0 }, { -3050, 2, 0 }, { -14000, 3, 0 } };
	struct play p;

	start(&p, key, 5, 0.2);
	PACKETS(&p, 101, -110, 151, -160);
	finish(&p, 5000);
	assert_int_equal(p.wire.blocks, 3);
	assert_int_equal(p.wire.missed, 0);
	assert_int_equal(p.wire.unsent, 2);
	assert_int_equal(p.wire.cut, 0);
	assert_int_equal(p.wire.not_sent, 3);
	assert_int_equal(p.wire.low.n, 5);
	assert_int_equal(p.wire.low.censored, 3);
	assert_int_equal(p.typed.key[2].censored_ns, AT(5000));
	assert_int_equal(p.typed.key[4].censored_ns, AT(14000) - MS);
	end(&p);
	/* a capture that began later says nothing of them */
	start(&p, key, 5, 0);
	PACKETS(&p, -3500);
	finish(&p, 5000);
	assert_int_equal(p.wire.missed, 2);
	assert_int_equal(p.wire.unsent, 1);
	end(&p);
}

TEST(an_unsent_key_ends_what_is_known)
{
	static const int key[][3] = { { 100, 1, 0 }, { 150, 1, 0 }, { -200, 1, 0 }, { -250, 1, 0 } };
	struct play p;

	start(&p, key, 4, 0);
	PACKETS(&p, 101, -110, 151, -160);
	finish(&p, 5000);
	expect(&p, 0, 110, 110, true);
	expect(&p, 1, 160, 160, true);
	expect(&p, 2, 0, 0, false);
	assert_int_equal(p.wire.not_sent, 2);
	assert_int_equal(p.wire.unanswered, 2);
	assert_int_equal(p.wire.low.censored, 2);
	assert_int_equal(p.wire.sent_low.n, 2);
	end(&p);
}

TEST(long_packets_of_an_update_belong_to_it)
{
	static const int key[][3] = { { 100, 1, 0 } };
	struct play p;

	start(&p, key, 1, 0);
	key_join_add_input(&p.wire, AT(101));
	key_join_add_update(&p.wire, 1, AT(110), 1000);
	key_join_add_update(&p.wire, 1, AT(115), 500);
	assert_int_equal(p.wire.now.packets, 2);
	assert_int_equal(p.wire.now.bytes, 1500);
	assert_int_equal(p.wire.now.last_ns, AT(115) - 1000);
	/* its rest begins with its last packet */
	finish(&p, 1114);
	assert_int_equal(p.wire.cut, 1);
	end(&p);
}

TEST(time_does_not_go_back)
{
	static const int key[][3] = { { 100, 1, 0 }, { 150, 1, 0 } };
	struct play p;

	start(&p, key, 2, 0);
	PACKETS(&p, 101, -110, 151, -160, -120);
	finish(&p, 5000);
	expect(&p, 0, 110, 160, false);
	expect(&p, 1, 160, 160, false);
	end(&p);
}
