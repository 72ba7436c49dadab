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
		update[i] = (struct pair_update){ at_ns[i], at_ns[i] };
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

static void expect(const struct key_times *k, int64_t low_ms, int64_t high_ms, bool exact)
{
	assert_int_equal(k->answer_ns, AT(low_ms));
	assert_int_equal(k->high_ns, AT(high_ms));
	assert_int_equal(k->exact, exact);
	assert_int_equal(k->censored_ns, 0);
}

static void expect_censored(const struct key_times *k, int64_t ms)
{
	assert_int_equal(k->answer_ns, 0);
	assert_int_equal(k->high_ns, 0);
	assert_int_equal(k->censored_ns, AT(ms));
	assert_false(k->exact);
}

TEST(patch_answers_all_up_to_its_number)
{
	/* 7 stood there before; keys 2 and 3 share a picture, so do 4 and 5; 6 never comes */
	const struct shown_number shown[] = { { AT(10), 8 }, { AT(130), 10 }, { AT(230), 12 } };

	type(6);
	assert_int_equal(pair_patch_numbers(key, 6, shown, 3, 7, AT(900)), 0);
	expect(&key[0], 10, 10, true);
	expect(&key[1], 130, 130, true);
	expect(&key[2], 130, 130, true);
	expect(&key[3], 230, 230, true);
	expect(&key[4], 230, 230, true);
	expect_censored(&key[5], 900);
	assert_false(key[0].coalesced);
	assert_true(key[1].coalesced); /* the picture that answers it answers key 3 too */
	assert_false(key[2].coalesced);
	assert_true(key[3].coalesced);
	assert_false(key[4].coalesced);
}

TEST(patch_number_wraps)
{
	const struct shown_number shown[] = { { AT(10), 0xffffff }, { AT(60), 0 }, { AT(110), 1 } };

	type(3);
	assert_int_equal(pair_patch_numbers(key, 3, shown, 3, 0xfffffe, AT(900)), 0);
	expect(&key[0], 10, 10, true);
	expect(&key[1], 60, 60, true);
	expect(&key[2], 110, 110, true);
}

TEST(patch_ahead_of_keys_is_told)
{
	/* at 60 ms two keys have gone, the patch counts three: somebody else typed one */
	const struct shown_number shown[] = { { AT(10), 1 }, { AT(60), 3 }, { AT(110), 4 } };

	type(3);
	assert_int_equal(pair_patch_numbers(key, 3, shown, 3, 0, AT(900)), 2);
	expect(&key[1], 60, 60, true);
	expect(&key[2], 110, 110, true); /* never before it was sent */
}

TEST(patch_back_to_an_old_picture_answers_nothing)
{
	const struct shown_number shown[] = { { AT(10), 99 }, { AT(20), 101 }, { AT(30), 100 }, { AT(70), 102 } };

	type(2);
	assert_int_equal(pair_patch_numbers(key, 2, shown, 4, 100, AT(900)), 0);
	expect(&key[0], 20, 20, true);
	expect(&key[1], 70, 70, true);
}

TEST(key_never_sent_is_never_answered)
{
	const struct shown_number shown[] = { { AT(10), 1 } };
	const int64_t update[] = { AT(10), AT(60) };

	type(2);
	key[1].sent_ns = 0;
	assert_int_equal(pair_patch_numbers(key, 2, shown, 1, 0, AT(900)), 0);
	expect(&key[0], 10, 10, true);
	expect_censored(&key[1], 900);
	pair_block(2, update, 2, PAIR_DRAINED, AT(900));
	expect(&key[0], 10, 60, false);
	expect_censored(&key[1], 900);
	key[1].repeated = true; /* made by the display at about its due time */
	pair_block(2, update, 2, PAIR_DRAINED, AT(900));
	expect(&key[1], 60, 60, true);
}

TEST(as_many_updates_as_keys_is_exact)
{
	/* the first is from before the train; all answers are late, the third key is answered 120 ms after it went */
	const int64_t update[] = { AT(-20), AT(60), AT(140), AT(220) };

	type(3);
	pair_block(3, update, 4, PAIR_DRAINED, AT(1300));
	expect(&key[0], 60, 60, true);
	expect(&key[1], 140, 140, true);
	expect(&key[2], 220, 220, true);
	assert_false(key[0].coalesced);
}

TEST(fewer_updates_give_a_range_to_the_last)
{
	/* 4 keys at 0 50 100 150, 2 updates: key i between the next update and update i, the last one if fewer */
	const int64_t update[] = { AT(60), AT(170) };

	type(4);
	pair_block(4, update, 2, PAIR_DRAINED, AT(1300));
	expect(&key[0], 60, 60, false);
	expect(&key[1], 60, 170, false);
	expect(&key[2], 170, 170, false);
	expect(&key[3], 170, 170, false);
}

TEST(more_updates_give_a_range_to_number_i_plus_surplus)
{
	const int64_t update[] = { AT(10), AT(40), AT(60), AT(90) };

	type(2);
	pair_block(2, update, 4, PAIR_DRAINED, AT(1300));
	expect(&key[0], 10, 60, false); /* number 0 + 2 */
	expect(&key[1], 60, 90, false); /* next after 50 ms; number 1 + 2 */
}

TEST(high_is_never_before_low)
{
	/* noise at 5 and 10 ms, one echo at 130 for all three: as many updates as keys, by chance */
	const int64_t update[] = { AT(5), AT(10), AT(130) };

	type(3);
	pair_block(3, update, 3, PAIR_DRAINED, AT(1300));
	expect(&key[0], 5, 5, false);
	expect(&key[1], 130, 130, false); /* update number 1 came before the key went */
	expect(&key[2], 130, 130, false);
}

TEST(without_rest_nothing_is_exact)
{
	const int64_t update[] = { AT(10), AT(60), AT(110) };

	type(3);
	pair_block(3, update, 3, PAIR_NOISY, AT(2100));
	expect(&key[0], 10, 10, false);
	expect(&key[2], 110, 110, false);
	/* cut while answers may be under way: the latest answer of key 3 is not known */
	pair_block(3, update, 2, PAIR_CUT, AT(105));
	expect(&key[0], 10, 10, false);
	assert_int_equal(key[2].answer_ns, 0);
	assert_int_equal(key[2].censored_ns, AT(105));
	key[2].sent_ns = AT(55);
	pair_block(3, update, 2, PAIR_CUT, AT(105));
	assert_int_equal(key[2].answer_ns, AT(60));
	assert_int_equal(key[2].high_ns, 0);
	assert_int_equal(key[2].censored_ns, AT(105));
}

TEST(no_update_at_all)
{
	type(2);
	pair_block(2, NULL, 0, PAIR_CUT, AT(900));
	expect_censored(&key[0], 900);
	expect_censored(&key[1], 900);
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
	const struct pair_update update[] = { { AT(45), AT(53) }, { AT(140), AT(140) } };
	/* a change that began before the block and went on after its first key was sent */
	const struct pair_update before[] = { { AT(-4), AT(4) }, { AT(30), AT(31) } };

	type(3);
	pair_block_updates(key, 3, update, 2, PAIR_DRAINED, AT(1300));
	expect(&key[0], 45, 53, false);
	expect(&key[1], 50, 140, false); /* not before it was sent */
	expect(&key[2], 140, 140, false);
	type(1);
	pair_block_updates(key, 1, before, 1, PAIR_DRAINED, AT(1300));
	expect(&key[0], 0, 4, false); /* as many updates as keys, and yet not exact */
	pair_block_updates(key, 1, before, 2, PAIR_DRAINED, AT(1300));
	expect(&key[0], 0, 31, false);
	pair_narrow_ranges(key, 1, before, 2, PAIR_DRAINED, AT(1300));
	expect(&key[0], 0, 31, false);
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
	expect(&key[6], 310, 390, false);
	narrow_block(7, update, 5, PAIR_DRAINED, AT(2000));
	for (int i = 0; i < 7; i++)
		expect(&key[i], 310, 350, false);
	/* near the end there are not three more; cut off, there may have been */
	type(7);
	pair_block(7, update, 2, PAIR_CUT, AT(400));
	narrow_block(7, update, 2, PAIR_CUT, AT(400));
	assert_int_equal(key[0].answer_ns, AT(310));
	assert_int_equal(key[0].high_ns, 0);
	assert_int_equal(key[0].censored_ns, AT(400));
	pair_block(7, update, 2, PAIR_DRAINED, AT(2000));
	narrow_block(7, update, 2, PAIR_DRAINED, AT(2000));
	expect(&key[0], 310, 330, false);
}

TEST(coalescing_leaves_exact_pairs_and_unanswered_keys)
{
	const int64_t update[] = { AT(10), AT(60), AT(110) };

	type(3);
	pair_block(3, update, 3, PAIR_DRAINED, AT(2000));
	narrow_block(3, update, 3, PAIR_DRAINED, AT(2000));
	for (int i = 0; i < 3; i++)
		expect(&key[i], 50 * i + 10, 50 * i + 10, true);
	pair_block(3, update, 2, PAIR_DRAINED, AT(2000));
	narrow_block(3, update, 2, PAIR_DRAINED, AT(2000));
	expect(&key[0], 10, 60, false);
	expect_censored(&key[2], 2000);
}

TEST(a_stray_is_likely_from_five_percent_on)
{
	/* 1 - exp(-x) = 0.05 at x = 0.0513 */
	assert_false(pair_expects_stray(0, 3600 * 1000 * MS));
	assert_false(pair_expects_stray(0.051, 1000 * MS));
	assert_true(pair_expects_stray(0.052, 1000 * MS));
	assert_true(pair_expects_stray(0.026, 2000 * MS));
}
