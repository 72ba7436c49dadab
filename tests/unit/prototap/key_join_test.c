// SPDX-License-Identifier: GPL-3.0-or-later
/* wire - blocks, drains and rests played by hand, packet by packet; times in ms on one clock, which both sides share here. */
#include "../unit.h"
#include "prototap/key_join.h"

#include <math.h>

#define MS 1000000LL
#define AT(ms) ((1000 + (ms)) * MS)

static struct key_log typed;
static struct key_update_join wire;

/* Keys "100 150 | 3000" with their times of sending, blocks apart; due 1 ms before. "s100": warm-up; "-100": never sent. */
static void type(const char *keys, double noise)
{
	char text[8192] = "schema\tkey\tdue_ns\tsent_ns\tskipped\trealtime_offset_ns\tblock\n", *at = text + strlen(text),
	     words[200];
	struct key_join_cfg cfg = { .typed = &typed, .noise_per_s = noise };
	int n = 0, block = 1;
	unsigned long line;
	FILE *in;

	snprintf(words, sizeof(words), "%s", keys);
	for (char *word = strtok(words, " "); word; word = strtok(NULL, " ")) {
		long long ms = atoll(word + (*word == 's' || *word == '-'));

		if (*word == '|') {
			block++;
			continue;
		}
		at += sprintf(at, "keys/1\t%d\t%lld\t", ++n, AT(ms) - MS);
		at += *word == '-' ? 0 : sprintf(at, "%lld", AT(ms));
		at += sprintf(at, "\t%d\t%d\t%d\n", *word == 's', 1000, block);
	}
	in = fmemopen(text, strlen(text), "r");
	assert_int_equal(key_log_read(in, &typed, &line), 0);
	fclose(in);
	key_join_init(&wire, &cfg);
}

static void end(void)
{
	key_join_free(&wire);
	key_log_free(&typed);
}

/* "110" an exact answer, "110-160" a range, "110-" one without a late end, "?9000" none until then; "*": whatever. */
static void expect_answer(const struct key_times *k, const char *wanted)
{
	long long low = (k->answer_ns - AT(0)) / MS, high = (k->high_ns - AT(0)) / MS;
	char text[60];

	if (!k->answer_ns)
		snprintf(text, sizeof(text), "?%lld", (k->censored_ns - AT(0)) / MS);
	else if (k->exact && low == high)
		snprintf(text, sizeof(text), "%lld", low);
	else
		snprintf(text, sizeof(text), k->high_ns ? "%lld-%lld" : "%lld-", low, high);
	if (*wanted != '*')
		assert_string_equal(text, wanted);
}

static void expect_count(const char *name, uint64_t wanted)
{
	const struct {
		const char *name;
		uint64_t value;
	} counts[] = {
		{ "keys", wire.keys },
		{ "exact", wire.exact },
		{ "unanswered", wire.unanswered },
		{ "not_sent", wire.not_sent },
		{ "missed_keys", wire.missed_keys },
		{ "blocks", wire.blocks },
		{ "drained", wire.drained },
		{ "marked", wire.marked },
		{ "cut", wire.cut },
		{ "missed", wire.missed },
		{ "unsent", wire.unsent },
		{ "updates", wire.paired_updates },
		{ "n", wire.low.n },
		{ "sent_n", wire.sent_low.n },
		{ "censored", wire.low.censored },
	};

	for (size_t i = 0; i < COUNT(counts); i++) {
		if (strcmp(counts[i].name, name) != 0)
			continue;
		if (counts[i].value != wanted)
			fail_msg("%s %llu, wanted %llu", name, (unsigned long long)counts[i].value, (unsigned long long)wanted);
		return;
	}
	fail_msg("no count is called %s", name);
}

/* Packets in the order of time: "101" a key's, "-110" an update's; packet time is 1,000 ns ahead of the keys' clock. The capture
 * ends at end_ms. `counts`: names and values. */
static void play(const char *keys, double noise, const char *packets, int64_t end_ms, const char *answers, const char *counts)
{
	uint64_t updates = 0;
	char words[200], *name;
	size_t key = 0;

	type(keys, noise);
	snprintf(words, sizeof(words), "%s", packets);
	for (char *word = strtok(words, " "); word; word = strtok(NULL, " ")) {
		if (*word == '-')
			key_join_add_update(&wire, ++updates, AT(atoll(word + 1)) + 1000, 10);
		else
			key_join_add_input(&wire, AT(atoll(word)) + 1000);
	}
	key_join_finish(&wire, AT(end_ms) + 1000);
	snprintf(words, sizeof(words), "%s", answers);
	for (char *word = strtok(words, " "); word; word = strtok(NULL, " "))
		expect_answer(&typed.key[key++], word);
	snprintf(words, sizeof(words), "%s", counts);
	for (name = strtok(words, " "); name; name = strtok(NULL, " "))
		expect_count(name, (uint64_t)atoll(strtok(NULL, " ")));
	end();
}

TEST(where_blocks_end)
{
	/* with the next one; before the first an update by itself; 1.5 s after its second update the first block gets a third: a late
	 * answer, perhaps */
	play("100 150 | 3000 3050", 0, "-50 101 -110 151 -160 -1700 3001 -3010 3051 -3060", 5000, "110-160 160-1700 3010 3060",
	     "blocks 2 drained 2 updates 5");
	/* the last one with its rest: what comes after a second of it is not for these keys, the viewer leaves; one before is */
	play("100 150", 0, "101 -110 151 -160 -1160 -1200 -9000", 9000, "110 160", "");
	play("100 150", 0, "101 -110 151 -160 -1159", 9000, "110-160 160-1159", "");
	/* no update since the second key: quiet, but not answered. The next block begins 8.85 s after it; the late end is open */
	play("100 150 | 9000", 0, "101 -110 151 9001 -9010", 12000, "110- ?9000", "drained 1 cut 1 unanswered 1");
	/* time does not go back */
	play("100 150", 0, "101 -110 151 -160 -120", 5000, "110-160 160-160", "");
}

TEST(ten_seconds_are_enough_and_two_where_it_is_noisy)
{
	play("100 150 | 10151", 0,
	     "101 -110 151 -160 -900 -1800 -2700 -3600 -4500 -5400 -6300 -7200 -8100 -9000 -9900 10152 -10160", 12000,
	     "110-9000 160-9900", "cut 0");
	play("100 150 | 2151", 0.4, "101 -110 151 -160 -900 -1800 2152 -2160", 4000, "110-", "cut 1 marked 2");
	play("100 150 | 2151", 0.6, "101 -110 151 -160 -900 -1800 2152 -2160", 4000, "110-900", "cut 0 marked 2");
}

TEST(blocks_without_their_first_key_are_missed)
{
	/* the capture begins after the first key; the skipped one is in no figure anyway */
	play("s100 150 | 3000 3050 | 6000", NAN, "-120 151 -160 3001 -3010 3051 -3060", 5000, "",
	     "blocks 3 missed 2 missed_keys 2 keys 2 exact 2 n 2");
	/* of two blocks the first key crosses only when the second was sent, of one both in one packet long after */
	play("100 150 | 3000 3050 | 6000 6050", 0, "101 -110 151 -160 3059 -3070 -3080 6500 -6510 -6520", 8000, "* * 3070 * 6510",
	     "blocks 3 missed 0 keys 6 exact 6 n 6");
}

TEST(keys_of_a_cut_block_after_the_end_of_the_capture_are_missed)
{
	play("100 150 200 s250 300", 0, "101 -110 151 -160", 190, "110- 160-",
	     "keys 2 unanswered 0 n 2 missed_keys 2 missed 0 cut 1");
	/* this key fell due in the capture, and could not be sent */
	play("100 150 -2000", 0, "101 -110 151 -160", 5000, "110 160 ?1160", "keys 3 not_sent 1 unanswered 1 missed_keys 0 cut 0");
}

TEST(keys_that_could_not_be_sent_are_later_than)
{
	/* of two blocks none */
	play("100 150 | -3000 -3050 | -14000", 0.2, "101 -110 151 -160", 5000, "* * ?5000 * ?13999",
	     "blocks 3 missed 0 unsent 2 cut 0 not_sent 3 n 5 censored 3");
	/* a capture that began later says nothing of them */
	play("100 150 | -3000 -3050 | -14000", 0, "-3500", 5000, "", "missed 2 unsent 1");
	/* of a block the last ones: they end what is known */
	play("100 150 -200 -250", 0, "101 -110 151 -160", 5000, "110 160 ?1160 ?1160",
	     "not_sent 2 unanswered 2 censored 2 sent_n 2");
}

TEST(long_packets_of_an_update_belong_to_it)
{
	type("100", 0);
	key_join_add_input(&wire, AT(101));
	key_join_add_update(&wire, 1, AT(110), 1000);
	key_join_add_update(&wire, 1, AT(115), 500);
	assert_int_equal(wire.now.packets, 2);
	assert_int_equal(wire.now.bytes, 1500);
	assert_int_equal(wire.now.last_ns, AT(115) - 1000);
	/* its rest begins with its last packet */
	key_join_finish(&wire, AT(1114) + 1000);
	assert_int_equal(wire.cut, 1);
	assert_int_equal(wire.seen_ns[0], AT(101) - 1000);
	end();
}
