// SPDX-License-Identifier: GPL-3.0-or-later
/* align and unrest - what tiles do in several runs, written by hand: which changes are the same, and which go on by themselves. */

#include "vncplay/analyze/analyze.h"
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

/* The changes of a run, MS=CONTENT each; those of run 0 come first. */
static void run_has(int r, const char *text)
{
	unsigned ms, content;
	int end;

	if (!r)
		clear();
	for (; sscanf(text, " %u=%u%n", &ms, &content, &end) == 2; text += end)
		add(r, ms, content);
}

/* The common changes, CAUSE:UPDATE,UPDATE each, an update for each run. */
static void aligned(int runs, const char *expected)
{
	char text[400] = "";
	size_t n = 0;

	align(runs);
	for (size_t i = 0; i < out.n; i++) {
		n += (size_t)sprintf(text + n, "%s%d", i ? " " : "", out.change[i].cause);
		for (int r = 0; r < runs; r++)
			n += (size_t)sprintf(text + n, "%c%u", r ? ',' : ':', out.at[i * (size_t)runs + (size_t)r]);
	}
	assert_string_equal(text, expected);
}

/* Where two pictures are missing, the next one changes nothing. */
TEST(pictures_in_turn_with_one_missing)
{
	run_has(0, "1100=1 2100=2 3100=1 4100=2 5100=1 6100=2 7100=1 8100=2");
	run_has(1, "1250=1 2250=2 3250=1 6250=2 7250=1 8250=2");
	aligned(2, "0:0,0 1:1,1 2:2,2 5:5,3 6:6,4 7:7,5");
}

TEST(a_slow_run_answers_after_the_next_input)
{
	run_has(0, "1600=100 2600=101 3600=102 4600=103 5600=104 6600=105");
	run_has(1, "2200=100 3200=101 4200=102 5200=103 6200=104 7200=105");
	aligned(2, "0:0,0 1:1,1 2:2,2 3:3,3 4:4,4 5:5,5");
}

TEST(what_one_run_has_alone_is_not_the_same_as_anything)
{
	run_has(0, "1100=500 2100=501 3100=504 4100=509 5100=516 6100=525 7100=536 10100=9");
	run_has(1, "1100=60000 2100=61000 3100=64000 4100=69000 5100=76000 6100=85000 7100=96000 10100=9");
	aligned(2, "9:7,7");
}

TEST(an_equal_change_of_another_picture_is_the_same)
{
	run_has(0, "1100=5 2100=8"); /* 3 more */
	run_has(1, "1100=6 2100=9");
	aligned(2, "1:1,1");
}

/* The first change is before every input. */
TEST(one_run_is_all_there_is)
{
	run_has(0, "500=1 1100=2 3100=3");
	aligned(1, "0:1 2:2");
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
	struct tilelog_update update = { .us = 100000, .ms = 100 };
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
