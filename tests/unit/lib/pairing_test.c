// SPDX-License-Identifier: GPL-3.0-or-later
/* Whole trains played by hand: times in ms from 1000, so that 0 stays "not known". */
#include "../unit.h"
#include "pairing.h"

#define MS 1000000LL
#define AT(ms) ((1000 + (ms)) * MS)

static struct key_times key[20];

/* n keys, 50 ms apart, due and sent at once */
static void type(size_t n)
{
	memset(key, 0, sizeof(key));
	for (size_t i = 0; i < n; i++)
		key[i].due_ns = key[i].sent_ns = AT(50 * (int64_t)i);
}

/* Updates of one change each. */
static const struct pair_update *updates(const int64_t *at_ns, size_t m)
{
	static struct pair_update update[64];

	for (size_t i = 0; i < m; i++)
		update[i] = (struct pair_update){ at_ns[i], at_ns[i], false };
	return update;
}

static void pair_block(size_t n, const int64_t *at_ns, size_t m, enum pair_drain drain, int64_t end_ns)
{
	pair_block_updates(key, n, updates(at_ns, m), m, drain, end_ns);
}

static void narrow_block(size_t n, const int64_t *at_ns, size_t m, enum pair_drain drain, int64_t end_ns)
{
	pair_narrow_ranges(key, n, updates(at_ns, m), m, drain, end_ns);
}

/* The answers of the first keys must be these, in ms: "60" exact, "60-170" a range, ">900" censored, "60>900" a range without a
 * known end; "130c": an exact one that answers the next key, too. */
static void expect(const char *wanted)
{
	char text[300] = "", *at = text;

	for (size_t i = 0; i < COUNT(key) && strlen(text) < strlen(wanted); i++) {
		const struct key_times *k = &key[i];

		at += sprintf(at, "%s", i ? " " : "");
		if (k->answer_ns)
			at += sprintf(at, "%lld", k->answer_ns / MS - 1000);
		if (k->high_ns && !(k->exact && k->high_ns == k->answer_ns))
			at += sprintf(at, "-%lld%s", k->high_ns / MS - 1000, k->exact ? "=" : "");
		if (k->censored_ns)
			at += sprintf(at, ">%lld", k->censored_ns / MS - 1000);
		at += sprintf(at, "%s", k->coalesced ? "c" : "");
	}
	assert_string_equal(text, wanted);
}

TEST(patch_answers_all_up_to_its_number)
{
	/* 7 stood there before; keys 2 and 3 share a picture, so do 4 and 5; 6 never comes */
	const struct shown_number shown[] = { { AT(10), 8 }, { AT(130), 10 }, { AT(230), 12 } };
	const struct shown_number wraps[] = { { AT(10), 0xffffff }, { AT(60), 0 }, { AT(110), 1 } };
	/* at 60 ms two keys have gone, the patch counts three: somebody else typed one; never before it was sent */
	const struct shown_number ahead[] = { { AT(10), 1 }, { AT(60), 3 }, { AT(110), 4 } };
	/* an old picture answers nothing */
	const struct shown_number back[] = { { AT(10), 99 }, { AT(20), 101 }, { AT(30), 100 }, { AT(70), 102 } };

	type(6);
	assert_int_equal(pair_patch_numbers(key, 6, shown, 3, 7, AT(900)), 0);
	expect("10 130c 130 230c 230 >900");
	type(3);
	assert_int_equal(pair_patch_numbers(key, 3, wraps, 3, 0xfffffe, AT(900)), 0);
	expect("10 60 110");
	type(3);
	assert_int_equal(pair_patch_numbers(key, 3, ahead, 3, 0, AT(900)), 2);
	expect("10 60 110");
	type(2);
	assert_int_equal(pair_patch_numbers(key, 2, back, 4, 100, AT(900)), 0);
	expect("20 70");
}

TEST(key_never_sent_is_never_answered)
{
	const struct shown_number shown[] = { { AT(10), 1 } };
	const int64_t update[] = { AT(10), AT(60) };

	type(2);
	key[1].sent_ns = 0;
	assert_int_equal(pair_patch_numbers(key, 2, shown, 1, 0, AT(900)), 0);
	expect("10 >900");
	pair_block(2, update, 2, PAIR_DRAINED, AT(900));
	expect("10-60 >900");
	key[1].repeated = true; /* made by the display at about its due time */
	pair_block(2, update, 2, PAIR_DRAINED, AT(900));
	expect("10 60");
}

TEST(blocks_of_keys_and_updates)
{
	static const struct {
		size_t n, m;
		int64_t update_ms[4];
		enum pair_drain drain;
		int64_t end_ms;
		const char *wanted;
	} blocks[] = {
		/* as many updates as keys; the first is from before the train, all answers are late, the third key's by 120 ms */
		{ 3, 4, { -20, 60, 140, 220 }, PAIR_DRAINED, 1300, "60 140 220" },
		/* fewer: key i between the next update and update i, the last one if fewer */
		{ 4, 2, { 60, 170 }, PAIR_DRAINED, 1300, "60-60 60-170 170-170 170-170" },
		/* more: number i plus the surplus; key 2 between the next after 50 ms and number 1 + 2 */
		{ 2, 4, { 10, 40, 60, 90 }, PAIR_DRAINED, 1300, "10-60 60-90" },
		/* noise at 5 and 10 ms, one echo at 130 for all three: as many updates as keys, by chance. Update number 1 came
		 * before its key went: the late end is never before the early one */
		{ 3, 3, { 5, 10, 130 }, PAIR_DRAINED, 1300, "5-5 130-130 130-130" },
		/* without rest nothing is exact */
		{ 3, 3, { 10, 60, 110 }, PAIR_NOISY, 2100, "10-10 60-60 110-110" },
		/* one redraw for keys 2 and 3, and another after a pause: as many updates as keys, by chance */
		{ 3, 3, { 10, 110, 400 }, PAIR_DRAINED, 1500, "10-10 110-110 110-400" },
		/* after a pause, but no other update may show the last key */
		{ 3, 3, { 10, 60, 400 }, PAIR_DRAINED, 1500, "10 60 400" },
		/* cut while answers may be under way: the latest answer of key 3 is not known */
		{ 3, 2, { 10, 60 }, PAIR_CUT, 105, "10-10 60-60 >105" },
		{ 2, 0, { 0 }, PAIR_CUT, 900, ">900 >900" },
	};
	const int64_t cut[] = { AT(10), AT(60) };

	for (size_t i = 0; i < COUNT(blocks); i++) {
		int64_t at[4];

		for (size_t k = 0; k < blocks[i].m; k++)
			at[k] = AT(blocks[i].update_ms[k]);
		type(blocks[i].n);
		pair_block(blocks[i].n, at, blocks[i].m, blocks[i].drain, AT(blocks[i].end_ms));
		expect(blocks[i].wanted);
	}
	type(3);
	key[2].sent_ns = AT(55);
	pair_block(3, cut, 2, PAIR_CUT, AT(105));
	expect("10-10 60-60 60>105");
}

/* Many random blocks of an application that answers all pending keys with each redraw, some with noise: the truth must lie in
 * the range of every key. (One noise and one redraw for two keys make as many updates as keys: the rule's known
 * blind spot, which is why blocks where noise is likely are marked.) */
TEST(truth_lies_in_the_range)
{
	uint32_t seed = 12345;

	for (int round = 0; round < 2000; round++) {
		int64_t truth[20], update[64], cost, at = 0;
		size_t m = 0, taken = 0;

		type(20);
		seed = seed * 1664525 + 1013904223;
		cost = 5 + (int64_t)(seed >> 8) % 150;
		while (taken < 20) {
			size_t first = taken;

			at = at < 50 * (int64_t)taken ? 50 * (int64_t)taken : at;
			seed = seed * 1664525 + 1013904223;
			at += cost + (int64_t)(seed >> 8) % 20;
			/* what had come when the redraw began */
			while (taken < 20 && (taken == first || 50 * (int64_t)taken <= at - cost))
				truth[taken++] = AT(at);
			update[m++] = AT(at);
		}
		if (round % 2) { /* a cursor that blinks once more after the last echo */
			update[m] = update[m - 1] + 500 * MS;
			m++;
		}
		pair_block(20, update, m, PAIR_DRAINED, AT(9000));
		if (round % 2 && m == 20)
			continue;
		for (size_t i = 0; i < 20; i++) {
			assert_true(key[i].answer_ns <= truth[i]);
			assert_true(key[i].high_ns >= truth[i]);
		}
	}
}

TEST(an_update_that_goes_on_may_answer_a_later_key)
{
	/* keys at 0 50 100; the echo of the first at 45 goes on to 53, the echo of the second; the third is answered at 140 */
	const struct pair_update update[] = { { AT(45), AT(53), false }, { AT(140), AT(140), false } };
	/* a change that began before the block and went on after its first key was sent */
	const struct pair_update before[] = { { AT(-4), AT(4), false }, { AT(30), AT(31), false } };

	type(3);
	pair_block_updates(key, 3, update, 2, PAIR_DRAINED, AT(1300));
	expect("45-53 50-140 140-140"); /* not before it was sent */
	type(1);
	pair_block_updates(key, 1, before, 1, PAIR_DRAINED, AT(1300));
	expect("0-4"); /* as many updates as keys, and yet not exact */
	pair_block_updates(key, 1, before, 2, PAIR_DRAINED, AT(1300));
	expect("0-31");
	pair_narrow_ranges(key, 1, before, 2, PAIR_DRAINED, AT(1300));
	expect("0-31");
}

/* Echoes in order, each after a random time, merged by the rule of the probe where less than 10 ms apart: the truth lies in the
 * range of every key, at its ends too. */
TEST(truth_lies_in_the_range_of_merged_echoes)
{
	uint32_t seed = 4711;
	size_t spanned = 0;

	for (int round = 0; round < 2000; round++) {
		struct pair_update update[20];
		struct pair_merger merger = { 0 };
		int64_t truth[20], longest = 5 + round % 200;
		size_t m = 0;

		type(20);
		for (size_t i = 0; i < 20; i++) {
			seed = seed * 1664525 + 1013904223;
			truth[i] = key[i].sent_ns + (1 + (int64_t)(seed >> 8) % longest) * MS;
			if (i && truth[i] < truth[i - 1])
				truth[i] = truth[i - 1];
			if (pair_merge_change(&merger, truth[i], 10 * MS, 50 * MS))
				update[m++].first_ns = truth[i];
			update[m - 1].last_ns = truth[i];
		}
		pair_block_updates(key, 20, update, m, PAIR_DRAINED, AT(9000));
		for (size_t i = 0; i < 20; i++) {
			assert_true(key[i].answer_ns >= key[i].sent_ns);
			assert_true(key[i].answer_ns <= truth[i]);
			assert_true(key[i].high_ns >= truth[i]);
			spanned += key[i].answer_ns == key[i].sent_ns;
		}
	}
	assert_true(spanned > 100); /* the case that the rule is about did occur */
}

TEST(changes_merge_by_single_linkage)
{
	struct pair_merger m = { 0 };

	assert_true(pair_merge_change(&m, AT(0), 10 * MS, 50 * MS));
	assert_false(pair_merge_change(&m, AT(9), 10 * MS, 50 * MS));
	assert_false(pair_merge_change(&m, AT(18), 10 * MS, 50 * MS)); /* 9 from the last, 18 from the first */
	assert_true(pair_merge_change(&m, AT(28), 10 * MS, 50 * MS));  /* 10 is a gap */
	for (int64_t t = 33; t < 78; t += 5)
		assert_false(pair_merge_change(&m, AT(t), 10 * MS, 50 * MS));
	assert_true(pair_merge_change(&m, AT(78), 10 * MS, 50 * MS)); /* never longer than a period */
}

TEST(coalescing_is_from_the_next_to_the_next_but_two)
{
	/* after all seven keys: the first pass gives ranges to what each at least needs */
	const int64_t update[] = { AT(310), AT(330), AT(350), AT(370), AT(390) };

	type(7);
	pair_block(7, update, 5, PAIR_DRAINED, AT(2000));
	expect("310-310 310-330 310-350 310-370 310-390 310-390 310-390");
	narrow_block(7, update, 5, PAIR_DRAINED, AT(2000));
	expect("310-350 310-350 310-350 310-350 310-350 310-350 310-350");
	/* near the end there are not three more; cut off, there may have been */
	type(7);
	pair_block(7, update, 2, PAIR_CUT, AT(400));
	narrow_block(7, update, 2, PAIR_CUT, AT(400));
	expect("310>400");
	pair_block(7, update, 2, PAIR_DRAINED, AT(2000));
	narrow_block(7, update, 2, PAIR_DRAINED, AT(2000));
	expect("310-330");
}

TEST(coalescing_leaves_exact_pairs_and_unanswered_keys)
{
	const int64_t update[] = { AT(10), AT(60), AT(110) };

	type(3);
	pair_block(3, update, 3, PAIR_DRAINED, AT(2000));
	narrow_block(3, update, 3, PAIR_DRAINED, AT(2000));
	expect("10 60 110");
	pair_block(3, update, 2, PAIR_DRAINED, AT(2000));
	narrow_block(3, update, 2, PAIR_DRAINED, AT(2000));
	expect("10-60 60-60 >2000");
}

TEST(a_stray_is_likely_from_five_percent_on)
{
	/* 1 - exp(-x) = 0.05 at x = 0.0513 */
	assert_false(pair_expects_stray(0, 3600 * 1000 * MS));
	assert_false(pair_expects_stray(0.051, 1000 * MS));
	assert_true(pair_expects_stray(0.052, 1000 * MS));
	assert_true(pair_expects_stray(0.026, 2000 * MS));
}

TEST(numbers_of_the_patch_go_on_after_half_of_their_bits)
{
	assert_int_equal(pair_unwrap_number(0, 1), 1);
	assert_int_equal(pair_unwrap_number(0, 0xffffff), -1); /* an outdated screen */
	assert_int_equal(pair_unwrap_number(8388607, 8388608), 8388608);
	assert_int_equal(pair_unwrap_number(9999998, 10000000), 10000000);
	assert_int_equal(pair_unwrap_number(10000000, 9999990), 9999990);
	assert_int_equal(pair_unwrap_number(16777215, 5), 16777221);
}
