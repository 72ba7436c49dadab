// SPDX-License-Identifier: GPL-3.0-or-later
/* Pictures of a field painted here, in which a character is typed and erased: an update is what shows it or takes it away. */
#include "../unit.h"
#include "clock.h"
#include "keyrepeat/observations.h"

#define WIDTH 60
#define HEIGHT 20
#define CELL_W 8
#define LINE_H 16

static uint32_t shown[WIDTH * HEIGHT], now[WIDTH * HEIGHT];
static struct observations seen;
static int64_t at_ns;

static int setup(void **state)
{
	memset(shown, 0, sizeof(shown));
	memset(now, 0, sizeof(now));
	observations_init(&seen, NS_PER_S, 100, 1, 0);
	seen.erases = true;
	observations_begin_picture(&seen, WIDTH * HEIGHT, WIDTH * HEIGHT);
	at_ns = NS_PER_S;
	return 0;
}

static int teardown(void **state)
{
	observations_free(&seen);
	return 0;
}

static void paint(int x, int y, int w, int h, uint32_t colour)
{
	for (int r = y; r < y + h; r++)
		for (int c = x; c < x + w; c++)
			now[r * WIDTH + c] = colour;
}

/* The next frame, 30 ms later. Returns how many updates there were until now. */
static size_t frame(void)
{
	at_ns += 30 * NS_PER_MS;
	observations_record_changes(&seen, at_ns, shown, now, WIDTH, &(struct pixel_area){ 0, 0, WIDTH, HEIGHT });
	return seen.updates;
}

static void caret(int n, bool on) /* a block, in the colour of the letters */
{
	paint(n * CELL_W, 0, CELL_W, LINE_H, on);
}

static void letter(void)
{
	caret(0, false);
	paint(1, 6, CELL_W - 3, 8, 1);
}

static void wait_for_keys(void)
{
	for (int i = 0; i < 5; i++) {
		caret(0, i % 2);
		assert_int_equal(frame(), 0);
	}
	seen.phase = PHASE_KEYS;
}

TEST_WITH(setup, teardown, a_caret_that_blinks_is_no_update)
{
	wait_for_keys();
	for (size_t pair = 1; pair <= 3; pair++) {
		letter();
		caret(1, true);
		assert_int_equal(frame(), 2 * pair - 1);
		for (int i = 0; i < 4; i++) {
			caret(1, i % 2);
			assert_int_equal(frame(), 2 * pair - 1);
		}
		caret(1, false);
		caret(0, pair % 2);
		assert_int_equal(frame(), 2 * pair);
		caret(0, !(pair % 2));
		assert_int_equal(frame(), 2 * pair);
	}
}

TEST_WITH(setup, teardown, what_comes_in_parts_is_one_update)
{
	observations_clear(&seen);
	seen.phase = PHASE_KEYS;
	letter();
	assert_int_equal(frame(), 1);
	caret(1, true); /* after BackSpace was sent */
	assert_int_equal(frame(), 1);
	paint(1, 6, CELL_W - 3, 8, 0);
	assert_int_equal(frame(), 1);
	caret(1, false);
	assert_int_equal(frame(), 2);
	assert_int_equal(seen.update[1].first_ns, at_ns);
}

TEST_WITH(setup, teardown, a_clock_is_not_compared)
{
	wait_for_keys();
	seen.phase = PHASE_BEFORE;
	for (uint32_t second = 1; second < 4; second++) {
		paint(40, 0, 5, 5, second);
		assert_int_equal(frame(), 0);
	}
	seen.phase = PHASE_KEYS;
	paint(40, 0, 5, 5, 9);
	assert_int_equal(frame(), 0);
	letter();
	assert_int_equal(frame(), 1);
	paint(40, 0, 5, 5, 10);
	paint(1, 6, CELL_W - 3, 8, 0);
	assert_int_equal(frame(), 2);
}
