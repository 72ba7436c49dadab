// SPDX-License-Identifier: GPL-3.0-or-later
/* Pictures of a field painted here, in which a character is typed and erased: an update is from when a part of it shows until the
 * whole does. */
#include "../unit.h"
#include "clock.h"
#include "keyrepeat/observations.h"

#define WIDTH 60
#define HEIGHT 20
#define CELL_W 8
#define LINE_H 16
#define INK 0x202020u
#define PAPER 0xf0f0f0u
#define CARET 0x2040c0u

static uint32_t shown[WIDTH * HEIGHT], now[WIDTH * HEIGHT];
static struct observations seen;
static int64_t at_ns;

static void paint(int x, int y, int w, int h, uint32_t colour)
{
	for (int r = y; r < y + h; r++)
		for (int c = x; c < x + w; c++)
			now[r * WIDTH + c] = colour;
}

static int setup(void **state)
{
	(void)state;
	paint(0, 0, WIDTH, HEIGHT, PAPER);
	memcpy(shown, now, sizeof(now));
	observations_init(&seen, NS_PER_S, 100, 1, 0);
	seen.erases = true;
	observations_begin_picture(&seen, &(struct pixel_area){ 0, 0, WIDTH, HEIGHT });
	at_ns = NS_PER_S;
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	observations_free(&seen);
	return 0;
}

/* The next frame, 30 ms later. Returns how many updates there were until now. */
static size_t frame(void)
{
	at_ns += 30 * NS_PER_MS;
	observations_record_changes(&seen, at_ns, shown, now, WIDTH, &(struct pixel_area){ 0, 0, WIDTH, HEIGHT });
	return seen.updates;
}

static void caret(int n, bool on) /* a block; below it is what it covers */
{
	paint(n * CELL_W, 0, CELL_W, LINE_H, on ? CARET : PAPER);
}

static void letter(int n, uint32_t colour)
{
	paint(n * CELL_W + 1, 6, CELL_W - 3, 8, colour);
}

static void show(int letters)
{
	caret(0, !letters);
	caret(1, letters == 1);
	if (letters)
		letter(0, INK);
}

static void send(void)
{
	at_ns += NS_PER_MS;
	seen.sent_ns = at_ns;
	seen.phase = PHASE_KEYS;
}

static void rest(void)
{
	seen.phase = PHASE_IDLE;
	seen.rests = seen.rests + 1;
}

/* Two pairs from which is learned; a caret that blinks does so before them, and beside the first letter. */
static void teach(bool blinks)
{
	show(0);
	frame();
	for (int i = 0; i < 4 && blinks; i++) {
		caret(0, i % 2);
		frame();
	}
	assert_int_equal(seen.updates, 0);
	for (size_t i = 0; i < OBSERVATIONS_TAUGHT; i++) {
		send();
		show(i % 2 == 0);
		assert_int_equal(frame(), i + 1);
		for (int k = 0; k < 4 && blinks; k++) { /* twice before the field is at rest, twice after */
			if (k == 2)
				rest();
			at_ns += 100 * NS_PER_MS;
			caret(i % 2 == 0, k % 2);
			assert_int_equal(frame(), i + 1);
		}
		if (!blinks)
			rest();
	}
}

static void assert_update(size_t n, int64_t first_ns)
{
	assert_int_equal(seen.updates, n);
	assert_int_equal(seen.update[n - 1].first_ns, first_ns);
	assert_int_equal(seen.update[n - 1].last_ns, at_ns);
}

TEST_WITH(setup, teardown, a_screen_of_another_size_ends_the_keys_once_the_field_is_learned)
{
	struct pixel_area smaller = { 0, 0, WIDTH / 2, HEIGHT };

	observations_begin_picture(&seen, &smaller); /* while the target is opened */
	assert_null(seen.left);
	observations_begin_picture(&seen, &(struct pixel_area){ 0, 0, WIDTH, HEIGHT });
	teach(false);
	assert_null(seen.left);
	observations_begin_picture(&seen, &smaller);
	assert_non_null(seen.left);
}

TEST_WITH(setup, teardown, a_caret_that_blinks_is_no_update)
{
	teach(true);
	for (size_t i = 0; i < 6; i++) {
		send();
		for (int k = 0; k < 3; k++) { /* while the key is awaited */
			caret(i % 2, k % 2);
			assert_int_equal(frame(), OBSERVATIONS_TAUGHT + i);
		}
		show(i % 2 == 0);
		frame();
		assert_update(OBSERVATIONS_TAUGHT + i + 1, at_ns);
	}
}

TEST_WITH(setup, teardown, what_comes_in_parts_is_one_update_from_the_first_to_the_last)
{
	int64_t first;

	teach(false);
	for (size_t i = 0; i < 6; i++) {
		send();
		caret(0, i % 2); /* the caret goes first */
		caret(1, i % 2 == 0);
		if (i % 2)
			letter(0, INK);
		assert_int_equal(frame(), OBSERVATIONS_TAUGHT + i);
		first = at_ns;
		show(i % 2 == 0);
		frame();
		assert_update(OBSERVATIONS_TAUGHT + i + 1, first);
	}
}

TEST_WITH(setup, teardown, a_caret_of_another_colour_shows_nothing_of_a_key)
{
	teach(false);
	for (size_t i = 0; i < 6; i++) {
		send();
		paint(i % 2 * CELL_W, 0, CELL_W, 3, 0xff00ff);
		assert_int_equal(frame(), OBSERVATIONS_TAUGHT + i);
		show(i % 2 == 0);
		frame();
		assert_update(OBSERVATIONS_TAUGHT + i + 1, at_ns);
	}
}

TEST_WITH(setup, teardown, what_changed_before_a_key_is_not_its_answer)
{
	teach(false);
	for (size_t i = 0; i < 6; i++) {
		send();
		show(i % 2 == 0);
		frame();
		assert_update(OBSERVATIONS_TAUGHT + i + 1, at_ns);
		caret(i % 2 == 0, false); /* so soon that the next key is not sent yet */
		assert_int_equal(frame(), OBSERVATIONS_TAUGHT + i + 1);
	}
}

/* Each picture is some way from what was painted, and comes right later, or never. */
TEST_WITH(setup, teardown, a_coarse_picture_is_as_good_as_the_one_it_becomes)
{
	static uint32_t exact[WIDTH * HEIGHT];
	int64_t first;

	teach(false);
	for (size_t i = 0; i < 6; i++) {
		send();
		show(i % 2 == 0);
		memcpy(exact, now, sizeof(now));
		for (size_t k = 0; k < WIDTH * HEIGHT; k++)
			now[k] ^= (uint32_t)(k * 2654435761u >> 8) & 0x0f0f0f;
		frame();
		assert_update(OBSERVATIONS_TAUGHT + i + 1, at_ns);
		first = at_ns;
		if (i < 4) {
			memcpy(now, exact, sizeof(now));
			frame();
		}
		assert_int_equal(seen.updates, OBSERVATIONS_TAUGHT + i + 1);
		assert_int_equal(seen.update[seen.updates - 1].last_ns, first);
	}
}

TEST_WITH(setup, teardown, what_follows_a_character_and_goes_with_it_is_not_waited_for)
{
	show(0);
	frame();
	for (size_t i = 0; i < 10; i++) {
		bool typed = i % 2 == 0;

		send();
		show(typed);
		paint(2 * CELL_W, 4, 4 * CELL_W, 8, PAPER);
		frame();
		assert_update(i + 1, at_ns);
		if (typed && i != 6) { /* but for one, as where the next key comes before it; one has come with the letter */
			at_ns += 120 * NS_PER_MS;
			paint(2 * CELL_W, 4, 4 * CELL_W, 8, 0xa0a0a0); /* a completion */
			assert_int_equal(frame(), i + 1);
		}
		if (i < OBSERVATIONS_TAUGHT)
			rest();
	}
}

TEST_WITH(setup, teardown, a_clock_is_not_compared)
{
	for (uint32_t second = 1; second < 4; second++) {
		paint(40, 0, 5, 5, second * 0x3377bb);
		assert_int_equal(frame(), 0);
	}
	teach(false);
	send();
	paint(40, 0, 5, 5, 0x123456);
	assert_int_equal(frame(), OBSERVATIONS_TAUGHT);
	show(1);
	assert_int_equal(frame(), OBSERVATIONS_TAUGHT + 1);
	send();
	paint(40, 0, 5, 5, 0x654321);
	show(0);
	assert_int_equal(frame(), OBSERVATIONS_TAUGHT + 2);
}
