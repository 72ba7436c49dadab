// SPDX-License-Identifier: GPL-3.0-or-later
/* drift - scenes whose truth is known, told as one who looks after every block is told; and how often a session that is well is
 * called slower. */
#include "../near.h"
#include "judge/drift.h"
#include "random.h"
#include "../unit.h"

#define BLOCKS_MOST 480

enum noise { WHITE, HEAVY, LASTING }; /* normal; Student's t with three degrees of freedom; autoregressive, 0.6 */
enum shape { FLAT, LINE, STEP, SAW, BUMP };

/* By how much a figure grows: LINE over the whole session from block `from` on, STEP at block `from`, SAW in `span` blocks before
 * it falls back, BUMP from `from` on for `span` blocks. Shares of the level; noise: its standard deviation. */
struct scene {
	const char *name; /* NULL: one more figure of the session before */
	int blocks;
	enum shape shape;
	double growth;
	int from, span;
	double noise;
	enum noise kind;
	int truth; /* enum drift_word; UNTOLD: comes and goes, or does not grow */
};
#define UNTOLD 8

static double draw_normal(uint64_t *rng)
{
	return sqrt(-2 * log(1 - random_fraction(rng))) * cos(2 * M_PI * random_fraction(rng));
}

static double draw_noise(enum noise kind, double *before, uint64_t *rng)
{
	double z = draw_normal(rng), squares = 0;

	switch (kind) {
	case HEAVY:
		for (int i = 0; i < 3; i++)
			squares += pow(draw_normal(rng), 2);
		return z / sqrt(squares); /* its standard deviation is 1: z / sqrt(squares / 3) has sqrt(3) */
	case LASTING: return *before = 0.6 * *before + 0.8 * z;
	case WHITE: break;
	}
	return z;
}

static double growth_at(const struct scene *t, int i)
{
	switch (t->shape) {
	case LINE: return i < t->from ? 0 : t->growth * (i - t->from) / (t->blocks - t->from);
	case STEP: return i < t->from ? 0 : t->growth;
	case SAW: return t->growth * (i % t->span) / t->span;
	case BUMP: return i < t->from || i >= t->from + t->span ? 0 : t->growth;
	case FLAT: break;
	}
	return 0;
}

/* Logarithms, as judge has them. */
static void draw_blocks(const struct scene *t, uint64_t *rng, double *out)
{
	double before = draw_normal(rng);

	for (int i = 0; i < t->blocks; i++)
		out[i] = log1p(growth_at(t, i)) + t->noise * draw_noise(t->kind, &before, rng);
}

#define EFFECT log(1.1)

static const struct scene scenes[] = {
	{ "well", 240, FLAT, 0, 0, 0, 0.03, WHITE, DRIFT_NONE },
	{ "well, noisy", 240, FLAT, 0, 0, 0, 0.08, WHITE, DRIFT_NONE },
	{ "well, heavy tails", 240, FLAT, 0, 0, 0, 0.05, HEAVY, DRIFT_NONE },
	{ "well, correlated", 240, FLAT, 0, 0, 0, 0.04, LASTING, DRIFT_NONE },
	{ "warm-up, slow", 240, BUMP, 0.6, 0, 5, 0.03, WHITE, DRIFT_NONE },
	{ "well, long", 480, FLAT, 0, 0, 0, 0.10, LASTING, DRIFT_NONE },
	{ "warm-up, fast", 240, BUMP, -0.3, 0, 5, 0.03, WHITE, DRIFT_NONE },
	{ "gets faster", 240, LINE, -0.3, 0, 0, 0.04, WHITE, DRIFT_NONE },
	{ "faster at once", 240, STEP, -0.4, 80, 0, 0.04, LASTING, DRIFT_NONE },
	{ "slow leak", 240, LINE, 0.3, 0, 0, 0.03, WHITE, DRIFT_GROWS },
	{ "slow leak, noisy", 240, LINE, 0.4, 0, 0, 0.10, WHITE, DRIFT_GROWS },
	{ "slow leak, heavy tails", 240, LINE, 0.5, 0, 0, 0.10, HEAVY, DRIFT_GROWS },
	{ "slow leak, correlated", 240, LINE, 0.5, 0, 0, 0.06, LASTING, DRIFT_GROWS },
	{ "leak", 240, LINE, 1.0, 0, 0, 0.05, WHITE, DRIFT_GROWS },
	{ "leak of 13 to 296 ms", 240, LINE, 21, 0, 0, 0.3, HEAVY, DRIFT_GROWS },
	{ "leak, short session", 64, LINE, 1.0, 0, 0, 0.05, WHITE, DRIFT_GROWS },
	{ "leak, long session", 480, LINE, 0.5, 0, 0, 0.10, LASTING, DRIFT_GROWS },
	{ "leak, without noise", 120, LINE, 0.5, 0, 0, 0, WHITE, DRIFT_GROWS },
	{ "leak from the middle on", 240, LINE, 0.8, 120, 0, 0.04, WHITE, DRIFT_GROWS },
	{ "step", 240, STEP, 0.3, 100, 0, 0.04, WHITE, DRIFT_GROWS },
	{ "late step", 240, STEP, 0.5, 200, 0, 0.04, WHITE, DRIFT_GROWS },
	{ "late step, correlated", 240, STEP, 0.8, 180, 0, 0.05, LASTING, DRIFT_GROWS },
	{ "saw, long teeth", 240, SAW, 1.0, 0, 80, 0.04, WHITE, UNTOLD },
	{ "saw, short teeth", 240, SAW, 0.5, 0, 12, 0.04, WHITE, UNTOLD },
	{ "saw, heavy tails", 360, SAW, 1.0, 0, 100, 0.06, HEAVY, UNTOLD },
	{ "saw that ends at its top", 239, SAW, 0.6, 0, 60, 0.04, LASTING, UNTOLD },
	{ "slow for a while", 300, BUMP, 0.8, 60, 100, 0.04, WHITE, UNTOLD },
	{ "memory leaks, no slowdown", 240, FLAT, 0, 0, 0, 0.04, WHITE, DRIFT_NONE },
	{ NULL, 240, LINE, 0.6, 0, 0, 0.01, LASTING, DRIFT_GROWS },
	{ "round trip grows, the floor does not", 240, FLAT, 0, 0, 0, 0.05, LASTING, DRIFT_NONE },
	{ NULL, 240, LINE, 3, 60, 0, 0.2, HEAVY, DRIFT_GROWS },
	{ "both grow", 240, LINE, 0.5, 100, 0, 0.05, WHITE, DRIFT_GROWS },
	{ NULL, 240, LINE, 0.6, 20, 0, 0.02, WHITE, DRIFT_GROWS },
};

#define DRAWS 20

TEST(thirty_scenes_are_told_right_or_not_told)
{
	int right = 0, open = 0, wrong = 0, wrong_first = 0, named = 0;

	for (size_t k = 0, n; k < COUNT(scenes); k += n) {
		named++;
		n = k + 1 < COUNT(scenes) && !scenes[k + 1].name ? 2 : 1;
		for (uint64_t draw = 0; draw < DRAWS; draw++) {
			double value[2][BLOCKS_MOST];
			struct drift_figure f[2] = { { .value = value[0], .effect = EFFECT },
						     { .value = value[1], .effect = EFFECT } };
			uint64_t rng = 100 * k + draw;

			for (size_t i = 0; i < n; i++)
				draw_blocks(&scenes[k + i], &rng, value[i]);
			drift_decide(f, n, (size_t)scenes[k].blocks, 0.05);
			for (size_t i = 0; i < n; i++) {
				int truth = scenes[k + i].truth, word = (int)f[i].word;
				bool told = truth == UNTOLD ? word != DRIFT_GROWS : word == truth;

				open += word == DRIFT_OPEN;
				right += told && word != DRIFT_OPEN;
				wrong += !told && word != DRIFT_OPEN;
				wrong_first += !told && word != DRIFT_OPEN && !draw;
			}
		}
	}
	print_message("right %d, not told %d, wrong %d\n", right, open, wrong);
	assert_int_equal(named, 30);
	assert_int_equal(wrong_first, 0);
	assert_true(100 * wrong <= right + open + wrong);
	assert_true(20 * open <= right + open + wrong);
}

TEST(a_session_that_is_well_is_seldom_called_slower)
{
	static const int lengths[] = { 60, 240, 480 };
	int wrong[3] = { 0 }, runs = 2000;
	uint64_t rng = 11;

	for (int i = 0; i < runs; i++) {
		struct scene well = { .blocks = lengths[i / 3 % 3], .noise = 0.2, .kind = (enum noise)(i % 3) };
		double value[BLOCKS_MOST];
		/* (nearly any growth matters, so that none is left out for being small) */
		struct drift_figure f = { .value = value, .effect = 1e-9 };

		draw_blocks(&well, &rng, value);
		drift_decide(&f, 1, (size_t)well.blocks, 0.05);
		wrong[well.kind] += f.told || f.returned;
	}
	print_message("false alarms: %d %d %d of %d each\n", wrong[WHITE], wrong[HEAVY], wrong[LASTING], runs / 3);
	assert_true(wrong[WHITE] + wrong[HEAVY] + wrong[LASTING] <= runs * 5 / 100);
	for (int kind = 0; kind < 3; kind++)
		assert_true(wrong[kind] <= runs / 3 * 5 / 100);
}

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

	/* the last look is after 16 * 26 blocks */
	for (int i = 0; i < 475; i++)
		value[i] = 0.01 * (i % 3) + (i < 16 * 26 ? 0 : log(2));
	drift_decide(&f, 1, 16 * 26, 0.05);
	assert_int_equal(f.word, DRIFT_NONE);
	drift_decide(&f, 1, 475, 0.05);
	assert_int_equal(f.word, DRIFT_OPEN);
	drift_decide(&f, 1, 16 * 26 + 10, 0.05);
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

TEST(the_begin_of_growth_is_a_bend_or_a_step)
{
	double value[100];
	struct drift_begin b;

	for (int i = 0; i < 100; i++)
		value[i] = i < 40 ? 5 : 5 + 0.5 * (i - 39);
	b = drift_find_begin(value, 100);
	assert_true(!b.step && b.block == 40);
	assert_near(b.growth, 0.5, 1e-9);
	for (int i = 0; i < 100; i++)
		value[i] = i < 70 ? 5 : 9;
	b = drift_find_begin(value, 100);
	assert_true(b.step && b.block == 70);
	assert_near(b.growth, 4, 1e-9);
}
