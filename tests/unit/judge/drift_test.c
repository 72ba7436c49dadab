// SPDX-License-Identifier: GPL-3.0-or-later
/* drift - what is known of a session at which block, and where growth begins. Verdicts and their rates: tests/scenes/soak.tsv. */
#include "judge/drift.h"
#include "../unit.h"

#define BLOCKS_MOST 480
#define EFFECT log(1.1)

TEST(nothing_is_decided_before_the_first_look_and_a_verdict_is_the_same_at_all_blocks_until_the_next)
{
	double value[BLOCKS_MOST];
	struct drift_figure f = { .value = value, .effect = EFFECT };

	for (int i = 0; i < BLOCKS_MOST; i++)
		value[i] = 0.01 * i;
	drift_decide(&f, 1, DRIFT_BLOCKS - 1, 0.05);
	assert_true(f.word == DRIFT_OPEN && isnan(f.change));
	for (size_t blocks = DRIFT_BLOCKS; blocks < DRIFT_BLOCKS + 16; blocks++) {
		f = (struct drift_figure){ .value = value, .effect = EFFECT };
		drift_decide(&f, 1, blocks, 0.05);
		assert_true(f.word == DRIFT_GROWS && f.told == DRIFT_BLOCKS);
		assert_near(f.change, 0.01 * DRIFT_BLOCKS / 2, 1e-12);
	}
}

TEST(a_step_after_the_last_look_leaves_it_open)
{
	double value[475];
	struct drift_figure f = { .value = value, .effect = EFFECT };

	/* the last look is after 16 * 28 blocks */
	for (int i = 0; i < 475; i++)
		value[i] = 0.01 * (i % 3) + (i < 16 * 28 ? 0 : log(2));
	drift_decide(&f, 1, 16 * 28, 0.05);
	assert_int_equal(f.word, DRIFT_NONE);
	drift_decide(&f, 1, 475, 0.05);
	assert_int_equal(f.word, DRIFT_OPEN);
	drift_decide(&f, 1, 16 * 28 + 10, 0.05);
	assert_int_equal(f.word, DRIFT_OPEN);
}

TEST(blocks_without_a_value_are_left_out_of_their_batch)
{
	double value[96];
	struct drift_figure f = { .value = value, .effect = EFFECT };

	for (int i = 0; i < 96; i++)
		value[i] = i % 5 == 2 ? (double)NAN : i < 48 ? 1 : 2;
	drift_decide(&f, 1, 96, 0.05);
	assert_int_equal(f.word, DRIFT_GROWS);
	assert_near(f.change, 1, 1e-12);
}

TEST(figures_that_are_judged_together_say_what_the_worst_says)
{
	struct drift_figure f[2] = { { .word = DRIFT_NONE }, { .word = DRIFT_OPEN } };

	assert_int_equal(drift_combine(f, 2), DRIFT_NONE);
	f[1].shows = true;
	assert_int_equal(drift_combine(f, 2), DRIFT_OPEN);
	f[1].word = DRIFT_RETURNS;
	assert_int_equal(drift_combine(f, 2), DRIFT_RETURNS);
	f[0].word = DRIFT_GROWS;
	assert_int_equal(drift_combine(f, 2), DRIFT_GROWS);
}

TEST(the_begin_of_growth_is_a_bend_or_a_step)
{
	double value[100];
	struct drift_begin b;

	for (int i = 0; i < 100; i++)
		value[i] = i < 40 ? 5 : 5 + 0.5 * (i - 39);
	value[3] = value[60] = (double)NAN;
	b = drift_find_begin(value, 100);
	assert_true(!b.step && b.block == 40);
	assert_near(b.growth, 0.5, 1e-9);
	for (int i = 0; i < 100; i++)
		value[i] = i < 70 ? 5 : 9;
	b = drift_find_begin(value, 100);
	assert_true(b.step && b.block == 70);
	assert_near(b.growth, 4, 1e-9);
}
