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
static const struct snapshot_wait_cfg plain = { .match = { .tolerance = 8, .share = 3 },
						.timeout_ns = 5000 * MS,
						.settle_ns = 50 * MS,
						.patience_ns = 1000 * MS,
						.wiggle_ns = 300 * MS,
						.wiggle_each_ns = 1000 * MS };

static struct snapshot_wait a;
static int64_t wake; /* when it wants to be asked again, ms */

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

static void begin(const struct snapshot_wait_cfg *cfg)
{
	snapshot_wait_begin(&a, cfg, &shot, false, 0, 0);
	a.may_wiggle = true;
}

static enum await_word step(int64_t ms)
{
	enum await_word word = snapshot_wait_step(&a, &screen, ms * MS, 25, 25, false, &wake);

	wake /= MS;
	return word;
}

static void paint(void)
{
	snapshot_wait_painted(&a, (struct box){ 0, 0, W, H });
}

TEST_WITH(set_up, NULL, test_there_before_it_is_due)
{
	show(20, 20);
	begin(&plain);
	assert_int_equal(step(1000), AWAIT_NOT_YET);
	snapshot_wait_due(&a, 2000 * MS);
	assert_int_equal(step(2000), AWAIT_OK);
	assert_int_equal(a.seen.mismatched, 0);
	assert_int_equal(a.seen.of, 121);
}

TEST_WITH(set_up, NULL, test_late_and_settled)
{
	begin(&plain);
	snapshot_wait_due(&a, 1000 * MS);
	assert_int_equal(step(1000), AWAIT_NOT_YET);
	assert_int_equal(wake, 1300);
	show(20, 20);
	assert_int_equal(step(1100), AWAIT_NOT_YET); /* nobody said that something was painted */
	paint();
	assert_int_equal(step(1100), AWAIT_NOT_YET);
	assert_int_equal(wake, 1150);
	blank(); /* a picture in between */
	paint();
	assert_int_equal(step(1140), AWAIT_NOT_YET);
	assert_int_equal(wake, 1300);
	show(20, 20);
	paint();
	assert_int_equal(step(1200), AWAIT_NOT_YET);
	assert_int_equal(step(1249), AWAIT_NOT_YET);
	assert_int_equal(step(1250), AWAIT_OK);
}

TEST_WITH(set_up, NULL, test_wiggles_and_gives_up)
{
	static const struct {
		int64_t ms;
		enum await_word word;
	} expected[] = { { 1300, AWAIT_OUT }, { 1320, AWAIT_BACK }, { 2320, AWAIT_OUT },    { 2340, AWAIT_BACK },
			 { 3340, AWAIT_OUT }, { 3360, AWAIT_BACK }, { 4360, AWAIT_OUT },    { 4380, AWAIT_BACK },
			 { 5380, AWAIT_OUT }, { 5400, AWAIT_BACK }, { 6000, AWAIT_TIMEOUT } };
	int64_t now = 1000;

	begin(&plain);
	snapshot_wait_due(&a, 1000 * MS);
	for (size_t i = 0; i < sizeof(expected) / sizeof(*expected); now = wake) {
		enum await_word word = step(now);

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
	begin(&plain);
	snapshot_wait_due(&a, 0);
	assert_int_equal(step(300), AWAIT_OUT);
	show(20, 20);
	paint();
	assert_int_equal(step(305), AWAIT_BACK);
	assert_int_equal(step(305), AWAIT_NOT_YET);
	assert_int_equal(wake, 355);
	assert_int_equal(step(355), AWAIT_OK);
}

TEST_WITH(set_up, NULL, test_moved)
{
	struct snapshot_wait_cfg cfg = plain;
	cfg.radius = 24;
	show(35, 12);
	begin(&cfg);
	a.may_wiggle = false;
	snapshot_wait_due(&a, 0);
	assert_int_equal(step(0), AWAIT_NOT_YET);
	assert_int_equal(wake, 1000); /* patience */
	assert_int_equal(step(1000), AWAIT_THERE);
	assert_int_equal(a.dx, 15);
	assert_int_equal(a.dy, -8);
	assert_int_equal(step(1001), AWAIT_NOT_YET);
	assert_int_equal(step(1050), AWAIT_OK);
	assert_int_equal(a.dx, 15);
	show(20, 20); /* two of them: its own place is the better one */
	paint();
	step(1060);
	assert_int_equal(step(1110), AWAIT_OK);
	assert_int_equal(a.dx, 0);
}

/* A drag of what had moved: only where it was found can its end be seen. */
TEST_WITH(set_up, NULL, test_held)
{
	show(20, 20);
	snapshot_wait_begin(&a, &plain, &shot, true, 15, -8);
	snapshot_wait_due(&a, 0);
	step(0);
	assert_int_equal(step(60), AWAIT_NOT_YET);
	show(35, 12);
	paint();
	step(100);
	assert_int_equal(step(150), AWAIT_OK);
	assert_int_equal(a.dx, 15);
}

TEST_WITH(set_up, NULL, test_pointer_in_the_picture)
{
	struct snapshot_wait_cfg cfg = plain;
	show(20, 20);
	for (int j = 25; j < 31; j++) /* drawn by the server, right of and below the spot at 25,25 */
		for (int i = 25; i < 25 + (31 - j); i++)
			pixels[j * W + i] = 0x00ff00;
	begin(&cfg);
	a.may_wiggle = false;
	snapshot_wait_due(&a, 0);
	assert_int_equal(snapshot_wait_step(&a, &screen, 900 * MS, 25, 25, true, &wake), AWAIT_NOT_YET);
	assert_int_equal(wake, 1000 * MS);
	snapshot_wait_step(&a, &screen, 1000 * MS, 25, 25, true, &wake);
	assert_int_equal(snapshot_wait_step(&a, &screen, 1050 * MS, 25, 25, true, &wake), AWAIT_OK);
	assert_true(a.pointer_masked);
	assert_true(a.seen.of >= 121 / 2); /* the rest still has to be right */

	begin(&cfg); /* a server that sends a shape does not draw it */
	snapshot_wait_due(&a, 0);
	a.may_wiggle = false;
	snapshot_wait_step(&a, &screen, 1000 * MS, 25, 25, false, &wake);
	assert_int_equal(snapshot_wait_step(&a, &screen, 4000 * MS, 25, 25, false, &wake), AWAIT_NOT_YET);
	cfg.pointer = AWAIT_POINTER_NEVER;
	begin(&cfg);
	a.may_wiggle = false;
	snapshot_wait_due(&a, 0);
	assert_int_equal(snapshot_wait_step(&a, &screen, 4000 * MS, 25, 25, true, &wake), AWAIT_NOT_YET);
}
