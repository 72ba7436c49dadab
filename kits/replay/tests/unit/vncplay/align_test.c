// SPDX-License-Identifier: GPL-3.0-or-later
/* align and unrest - what tiles do in several runs, written by hand: which changes are the same, and which go on by themselves. */

#include "vncplay/analyze/align.h"
#define AFTER_ALL end
#include "../../../../../tests/unit/unit.h"

#define MOST 400
#define INPUTS 10

/* Inputs each 1000 ms, from 1000; the end is at 11000. */
static const uint32_t press[INPUTS + 1] = { 1000, 2000, 3000, 4000, 5000, 6000, 7000, 8000, 9000, 10000, 11000 };
static const uint32_t *const all_press[] = { press, press, press, press, press };

static struct one {
	struct tile_change change[MOST];
	size_t n;
} run[5];
static struct tile_changes track[5];
static struct common_changes out;

static void clear(void)
{
	memset(run, 0, sizeof(run));
	common_changes_free(&out);
}

static void add(int r, uint32_t ms, uint64_t content)
{
	struct one *o = &run[r];

	o->change[o->n] = (struct tile_change){ .ms = ms,
						.content = content * 1000003,
						.change = content * 1000003 - (o->n ? o->change[o->n - 1].content : 0),
						.after = ms <= 1000 ? -1 : (int32_t)((ms - 1) / 1000) - 1,
						.update = (uint32_t)o->n };
	o->n++;
}

static void tracks(int runs)
{
	for (int r = 0; r < runs; r++)
		track[r] = (struct tile_changes){ run[r].n, run[r].change };
}

static void align(int runs)
{
	struct aligner *a = aligner_new(runs, all_press);

	tracks(runs);
	align_tile(a, 7, track, &out);
	aligner_free(a);
}

static size_t masked(int runs, int of)
{
	struct animation *u = animation_new(runs, INPUTS, all_press);
	size_t n = 0;

	tracks(runs);
	animation_mark_tile(u, track);
	animation_free(u);
	for (size_t i = 0; i < run[of].n; i++)
		n += run[of].change[i].masked != 0;
	return n;
}

static void is(size_t i, int32_t cause, uint32_t a, uint32_t b)
{
	assert_true(i < out.n);
	assert_int_equal(out.change[i].cause, cause);
	assert_int_equal(out.at[2 * i], a);
	assert_int_equal(out.at[2 * i + 1], b);
}

TEST(pictures_in_turn_with_one_missing)
{
	clear();
	for (uint32_t k = 0; k < 8; k++)
		add(0, 1100 + 1000 * k, 1 + k % 2);
	for (uint32_t k = 0; k < 8; k++)
		if (k != 3 && k != 4) /* a picture is missing, so the next one changes nothing */
			add(1, 1250 + 1000 * k, 1 + k % 2);
	align(2);
	assert_int_equal(out.n, 6);
	is(0, 0, 0, 0);
	is(1, 1, 1, 1);
	is(2, 2, 2, 2);
	is(3, 5, 5, 3);
	is(5, 7, 7, 5);
}

TEST(a_slow_run_answers_after_the_next_input)
{
	clear();
	for (uint32_t k = 0; k < 6; k++) {
		add(0, 1600 + 1000 * k, 100 + k);
		add(1, 2200 + 1000 * k, 100 + k);
	}
	align(2);
	assert_int_equal(out.n, 6);
	for (uint32_t k = 0; k < 6; k++)
		is(k, (int32_t)k, k, k);
}

TEST(what_one_run_has_alone_is_not_the_same_as_anything)
{
	clear();
	for (uint32_t k = 0; k < 9; k++) {
		add(0, 1100 + 1000 * k, 500 + k * k);
		add(1, 1100 + 1000 * k, 60000 + 1000 * k * k);
	}
	add(0, 10100, 9);
	add(1, 10100, 9);
	align(2);
	assert_int_equal(out.n, 1);
	is(0, 9, 9, 9);
}

TEST(an_equal_change_of_another_picture_is_the_same)
{
	clear();
	add(0, 1100, 5);
	add(0, 2100, 8); /* 3 more */
	add(1, 1100, 6);
	add(1, 2100, 9);
	align(2);
	assert_int_equal(out.n, 1);
	is(0, 1, 1, 1);
}

TEST(one_run_is_all_there_is)
{
	clear();
	add(0, 500, 1); /* before every input */
	add(0, 1100, 2);
	add(0, 3100, 3);
	align(1);
	assert_int_equal(out.n, 2);
	assert_int_equal(out.change[1].cause, 2);
}

TEST(a_caret_is_masked_and_what_is_typed_beside_it_is_not)
{
	clear();
	for (int r = 0; r < 3; r++) {
		uint64_t text = 0;
		uint32_t typed = 0;

		for (uint32_t t = 150 + 100 * (uint32_t)r; t < 11000; t += 250) {
			while (typed < INPUTS && 1060 + 1000 * typed < t) { /* the letter: the caret stays as it is */
				text += 1000 * (typed + 1);		    /* another one each time */
				add(r, 1060 + 1000 * typed,
				    text + (run[r].n ? run[r].change[run[r].n - 1].content / 1000003 % 2 : 0));
				typed++;
			}
			add(r, t, text + (t / 250) % 2);
		}
	}
	assert_in_range(masked(3, 0), 30, run[0].n);
	for (size_t i = 0; i < run[0].n; i++) {
		bool letter = run[0].change[i].ms % 1000 == 60 && run[0].change[i].ms > 1000;

		if (run[0].change[i].ms > 1000)
			assert_int_equal(run[0].change[i].masked != 0, !letter);
	}
}

TEST(noise_is_masked)
{
	uint64_t content = 0;

	clear();
	for (int r = 0; r < 5; r++)
		for (uint32_t t = 100; t < 11000; t += 170)
			add(r, t, ++content);
	assert_in_range(masked(5, 0), run[0].n - 7, run[0].n);
}

TEST(answers_are_not_masked_though_there_is_one_to_each_input)
{
	clear();
	for (int r = 0; r < 5; r++)
		for (uint32_t k = 0; k < INPUTS; k++)
			add(r, 1000 + 1000 * k + 90 * (uint32_t)(r + 1), 1 + k % 2);
	for (int r = 0; r < 5; r++)
		assert_int_equal(masked(5, r), 0);
}

/* Down with the press, up with the release: even, since the inputs are. */
TEST(a_button_at_even_distances_is_not_masked)
{
	clear();
	for (int r = 0; r < 3; r++)
		for (uint32_t k = 0; k < 9; k++) {
			add(r, 1050 + 1000 * k + 20 * (uint32_t)r, 77);
			add(r, 1350 + 1000 * k + 20 * (uint32_t)r, 78);
		}
	for (int r = 0; r < 3; r++)
		assert_int_equal(masked(3, r), 0);
}

/* Two tiles that touch change together, the second goes on by itself: how the first is judged. */
static uint8_t beside(uint8_t restless)
{
	uint32_t changed[] = { 5, 6 }, place[] = { 0, 1 };
	uint64_t content[] = { 1, 2 };
	struct tilelog_update update = { 100, 0 };
	struct tilelog tiles = {
		.columns = 10, .rows = 1, .changed = changed, .content = content, .n = 2, .update = &update, .n_updates = 1
	};
	struct tile_change change[] = { { .masked = 0 }, { .masked = restless } };

	animation_mask_groups(10, 1, &tiles, place, change);
	assert_int_equal(change[1].masked, restless);
	return change[0].masked;
}

TEST(the_tens_go_with_the_seconds_and_no_letter_with_its_caret)
{
	assert_int_equal(beside(MASKED_NEW), MASKED_NEW);
	assert_int_equal(beside(MASKED_REPEATED), 0);
}

TEST(an_animation_that_each_input_starts_is_its_answer)
{
	clear();
	for (int r = 0; r < 2; r++)
		for (uint32_t k = 0; k < INPUTS; k++)
			for (uint32_t i = 0; i < 10; i++)
				add(r, 1050 + 1000 * k + 45 * i, 1 + i);
	assert_int_equal(masked(2, 0), 0);
}

static int end(void **state)
{
	(void)state;
	common_changes_free(&out);
	return 0;
}
