// SPDX-License-Identifier: GPL-3.0-or-later
/* Waiting for a snapshot, with a clock of our own. */
#include "vncplay/play/await.h"

#include "clock.h"
#include "../../../../../tests/unit/unit.h"

#define MS NS_PER_MS
#define W 64
#define H 48

static uint32_t pixels[W * H], shot_pixels[11 * 11];
static struct screen screen = { W, H, pixels };
static struct trace_event shot = { .kind = TRACE_SNAPSHOT, .box = { 20, 20, 11, 11 }, .pixels = shot_pixels };
static const struct snapshot_wait_cfg plain = { .match = { .tolerance = 8, .share = 3 }, .timeout_ns = 5000 * MS,
					.settle_ns = 50 * MS, .patience_ns = 1000 * MS, .wiggle_ns = 300 * MS, .wiggle_each_ns = 1000 * MS };

static void blank(void)
{
	memset(pixels, 0, sizeof(pixels));
}

/* A button with a cross on it. */
static uint32_t button(int i, int j)
{
	return i == j || i + j == 10 || (j < 2 && i < 7) ? 0xffffff : 0x606060;
}

static void show(int x, int y)
{
	for (int j = 0; j < 11; j++)
		for (int i = 0; i < 11; i++)
			pixels[(y + j) * W + x + i] = button(i, j);
}

static int set_up(void **state)
{
	(void)state;
	for (int i = 0; i < 121; i++)
		shot_pixels[i] = button(i % 11, i / 11);
	blank();
	return 0;
}

static void begin(struct snapshot_wait_state *a, const struct snapshot_wait_cfg *cfg)
{
	snapshot_wait_begin(a, cfg, &shot, false, 0, 0);
	a->may_wiggle = true;
}

static enum await_word step(struct snapshot_wait_state *a, int64_t ms, int64_t *wake_ms)
{
	enum await_word word = snapshot_wait_next_action(a, &screen, ms * MS, 25, 25, false, wake_ms);

	*wake_ms /= MS;
	return word;
}

static void paint(struct snapshot_wait_state *a)
{
	snapshot_wait_on_painted(a, (struct box){ 0, 0, W, H });
}

TEST_WITH(set_up, NULL, test_there_before_it_is_due)
{
	struct snapshot_wait_state a;
	int64_t wake;

	show(20, 20);
	begin(&a, &plain);
	assert_int_equal(step(&a, 1000, &wake), AWAIT_NOT_YET);
	snapshot_wait_on_input_due(&a, 2000 * MS);
	assert_int_equal(step(&a, 2000, &wake), AWAIT_OK);
	assert_int_equal(a.seen.mismatched, 0);
	assert_int_equal(a.seen.of, 121);
}

TEST_WITH(set_up, NULL, test_late_and_settled)
{
	struct snapshot_wait_state a;
	int64_t wake;

	begin(&a, &plain);
	snapshot_wait_on_input_due(&a, 1000 * MS);
	assert_int_equal(step(&a, 1000, &wake), AWAIT_NOT_YET);
	assert_int_equal(wake, 1300);
	show(20, 20);
	assert_int_equal(step(&a, 1100, &wake), AWAIT_NOT_YET);	/* nobody said that something was painted */
	paint(&a);
	assert_int_equal(step(&a, 1100, &wake), AWAIT_NOT_YET);
	assert_int_equal(wake, 1150);
	blank();	/* a picture in between */
	paint(&a);
	assert_int_equal(step(&a, 1140, &wake), AWAIT_NOT_YET);
	assert_int_equal(wake, 1300);
	show(20, 20);
	paint(&a);
	assert_int_equal(step(&a, 1200, &wake), AWAIT_NOT_YET);
	assert_int_equal(step(&a, 1249, &wake), AWAIT_NOT_YET);
	assert_int_equal(step(&a, 1250, &wake), AWAIT_OK);
}

TEST_WITH(set_up, NULL, test_wiggles_and_gives_up)
{
	static const struct {
		int64_t ms;
		enum await_word word;
	} expected[] = { { 1300, AWAIT_OUT }, { 1320, AWAIT_BACK }, { 2320, AWAIT_OUT }, { 2340, AWAIT_BACK },
			 { 3340, AWAIT_OUT }, { 3360, AWAIT_BACK }, { 4360, AWAIT_OUT }, { 4380, AWAIT_BACK }, { 5380, AWAIT_OUT },
			 { 5400, AWAIT_BACK }, { 6000, AWAIT_TIMEOUT } };
	struct snapshot_wait_state a;
	int64_t wake, now = 1000;

	begin(&a, &plain);
	snapshot_wait_on_input_due(&a, 1000 * MS);
	for (size_t i = 0; i < sizeof(expected) / sizeof(*expected); now = wake) {
		enum await_word word = step(&a, now, &wake);

		if (word == AWAIT_NOT_YET)
			continue;
		assert_int_equal(word, expected[i].word);
		assert_int_equal(now, expected[i].ms);
		i++;
		wake = now;
	}
}

/* Back first, and what the pointer's way back changes on the screen is waited for. */
TEST_WITH(set_up, NULL, test_matches_while_the_pointer_is_out)
{
	struct snapshot_wait_state a;
	int64_t wake;

	begin(&a, &plain);
	snapshot_wait_on_input_due(&a, 0);
	assert_int_equal(step(&a, 300, &wake), AWAIT_OUT);
	show(20, 20);
	paint(&a);
	assert_int_equal(step(&a, 305, &wake), AWAIT_BACK);
	assert_int_equal(step(&a, 305, &wake), AWAIT_NOT_YET);
	assert_int_equal(wake, 355);
	assert_int_equal(step(&a, 355, &wake), AWAIT_OK);
}

TEST_WITH(set_up, NULL, test_moved)
{
	struct snapshot_wait_cfg cfg = plain;
	struct snapshot_wait_state a;
	int64_t wake;

	cfg.radius = 24;
	show(35, 12);
	begin(&a, &cfg);
	a.may_wiggle = false;
	snapshot_wait_on_input_due(&a, 0);
	assert_int_equal(step(&a, 0, &wake), AWAIT_NOT_YET);
	assert_int_equal(wake, 1000);	/* patience */
	assert_int_equal(step(&a, 1000, &wake), AWAIT_THERE);
	assert_int_equal(a.dx, 15);
	assert_int_equal(a.dy, -8);
	assert_int_equal(step(&a, 1001, &wake), AWAIT_NOT_YET);
	assert_int_equal(step(&a, 1050, &wake), AWAIT_OK);
	assert_int_equal(a.dx, 15);
	show(20, 20);	/* two of them: its own place is the better one */
	paint(&a);
	step(&a, 1060, &wake);
	assert_int_equal(step(&a, 1110, &wake), AWAIT_OK);
	assert_int_equal(a.dx, 0);
}

/* A drag of what had moved: only where it was found can its end be seen. */
TEST_WITH(set_up, NULL, test_held)
{
	struct snapshot_wait_state a;
	int64_t wake;

	show(20, 20);
	snapshot_wait_begin(&a, &plain, &shot, true, 15, -8);
	snapshot_wait_on_input_due(&a, 0);
	step(&a, 0, &wake);
	assert_int_equal(step(&a, 60, &wake), AWAIT_NOT_YET);
	show(35, 12);
	paint(&a);
	step(&a, 100, &wake);
	assert_int_equal(step(&a, 150, &wake), AWAIT_OK);
	assert_int_equal(a.dx, 15);
}

TEST_WITH(set_up, NULL, test_pointer_in_the_picture)
{
	struct snapshot_wait_cfg cfg = plain;
	struct snapshot_wait_state a;
	int64_t wake;

	show(20, 20);
	for (int j = 25; j < 31; j++)	/* drawn by the server, right of and below the spot at 25,25 */
		for (int i = 25; i < 25 + (31 - j); i++)
			pixels[j * W + i] = 0x00ff00;
	begin(&a, &cfg);
	a.may_wiggle = false;
	snapshot_wait_on_input_due(&a, 0);
	assert_int_equal(snapshot_wait_next_action(&a, &screen, 900 * MS, 25, 25, true, &wake), AWAIT_NOT_YET);
	assert_int_equal(wake, 1000 * MS);
	snapshot_wait_next_action(&a, &screen, 1000 * MS, 25, 25, true, &wake);
	assert_int_equal(snapshot_wait_next_action(&a, &screen, 1050 * MS, 25, 25, true, &wake), AWAIT_OK);
	assert_true(a.pointer_masked);
	assert_true(a.seen.of >= 121 / 2);	/* the rest still has to be right */

	begin(&a, &cfg);	/* a server that sends a shape does not draw it */
	snapshot_wait_on_input_due(&a, 0);
	a.may_wiggle = false;
	snapshot_wait_next_action(&a, &screen, 1000 * MS, 25, 25, false, &wake);
	assert_int_equal(snapshot_wait_next_action(&a, &screen, 4000 * MS, 25, 25, false, &wake), AWAIT_NOT_YET);
	cfg.pointer = AWAIT_POINTER_NEVER;
	begin(&a, &cfg);
	a.may_wiggle = false;
	snapshot_wait_on_input_due(&a, 0);
	assert_int_equal(snapshot_wait_next_action(&a, &screen, 4000 * MS, 25, 25, true, &wake), AWAIT_NOT_YET);
}
