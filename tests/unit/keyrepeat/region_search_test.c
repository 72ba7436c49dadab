// SPDX-License-Identifier: GPL-3.0-or-later
/* The search on a virtual clock, in a screen painted here that may be painted anew before the first key. */
#include "../unit.h"
#include "clock.h"
#include "keyrepeat/region_search.h"
#include "proc.h"

#define WIDTH 320
#define HEIGHT 200
#define TILE_W 32
#define TILE_H 20
#define COLUMNS (WIDTH / TILE_W)
#define TILES (COLUMNS * HEIGHT / TILE_H)
#define FIELD_TILE (40 / TILE_H * COLUMNS + 40 / TILE_W)
#define MS NS_PER_MS

static int64_t now_ns;
static int64_t painted_ns, paint_until_ns; /* the session is painted at the first, and again and again until the second */
static int64_t tile_ns;			   /* it comes in tiles, each so long after the one before */
static int after;			   /* so many of them after that of the field, which is whole in one */
static int letters, late_letters;	   /* letters shown; the number that will be, at due_ns */
static int64_t due_ns, delay_ns, blink_ns; /* blink_ns: the caret changes so often, from its last key on */
static int noise;			   /* each picture is so far from the one that was sent, at most, as a lossy one is */
static _Atomic int64_t painted;
static int told;	  /* tiles that are in it */
static int64_t stop_ns;	  /* when a stop signal comes */
static int lost, least;	  /* keys that get lost, and the fewest letters there were: below 0, BackSpace took what was there before */
static bool opens, stays; /* the first key opens a frame about the field for good; BackSpace leaves the letter, as vi does */
static int most;	  /* letters shown at most */
static char said[sizeof(((struct why *)NULL)->text)];

int64_t __wrap_clock_now(void);
int64_t __wrap_clock_now(void)
{
	return now_ns;
}
void __wrap_proc_sleep(int64_t until_ns);
void __wrap_proc_sleep(int64_t until_ns)
{
	now_ns = until_ns > now_ns ? until_ns : now_ns;
	proc_stop = stop_ns && now_ns >= stop_ns;
}
int __wrap_clock_sleep(int64_t until_ns);
int __wrap_clock_sleep(int64_t until_ns)
{
	__wrap_proc_sleep(until_ns);
	return 0;
}

static void paint(uint32_t *pixels, int x, int y, int w, int h, uint32_t colour)
{
	for (int r = y; r < y + h; r++)
		for (int c = x; c < x + w; c++)
			pixels[r * WIDTH + c] = colour;
}

static int count_tiles(void)
{
	int64_t n = now_ns < painted_ns ? 0 : tile_ns ? (now_ns - painted_ns) / tile_ns + 1 : TILES;

	return n < TILES ? (int)n : TILES;
}

/* Grey, as a login; then black with a field of white letters and a caret. */
static bool read_screen(void *self, uint32_t *pixels, int w, int h)
{
	static uint32_t rng = 1;
	int tiles = count_tiles();

	(void)self;
	if (now_ns >= due_ns)
		letters = late_letters;
	most = letters > most ? letters : most;
	painted += (now_ns < paint_until_ns ? TILES : tiles - told) * TILE_W * TILE_H;
	told = tiles;
	paint(pixels, 0, 0, w, h, tiles ? 0 : 0x808080);
	if (tiles) {
		for (int i = 0; i < 2 && opens && !most; i++)
			paint(pixels, 34 + 78 * i, 36, 2, 22, 0x8080ff);
		paint(pixels, 40, 40, 8 * (stays ? most : letters), 14, 0xffffff);
		if (!blink_ns || now_ns / blink_ns % 2)
			paint(pixels, 40 + 8 * letters, 40, 8, 14, stays && most > letters ? 0xff00ff : 0x00ff00);
	}
	for (int i = tiles; i < TILES; i++) {
		int at = (FIELD_TILE + after + 1 + i) % TILES;

		paint(pixels, at % COLUMNS * TILE_W, at / COLUMNS * TILE_H, TILE_W, TILE_H, 0x808080);
	}
	for (int i = 0; i < w * h && noise; i++)
		pixels[i] ^= (rng = rng * 1664525 + 1013904223) >> 8 & (uint32_t)noise * 0x10101u;
	return true;
}

static int add_act(void *self, const struct input_act *act, struct why *why)
{
	(void)self;
	(void)why;
	return act->keysym == 'a' ? 0 : 1;
}

static bool type_key(void *self, int key, bool down)
{
	(void)self;
	if (down && lost-- > 0)
		return true;
	late_letters += !down ? 0 : key == 0 ? 1 : -1;
	least = late_letters < least ? late_letters : least;
	due_ns = down ? now_ns + delay_ns : due_ns;
	return true;
}

static int search_area(struct pixel_area *found)
{
	struct input_act a = { .kind = ACT_KEY, .keysym = 'a' }, back = { .kind = ACT_KEY, .keysym = 0xff08 };
	struct target_cfg target = { .first_key = &a, .back = &back };
	struct region_search cfg = { .target = &target,
				     .w = WIDTH,
				     .h = HEIGHT,
				     .act = add_act,
				     .read = read_screen,
				     .painted = &painted,
				     .type = type_key };
	struct why why = { "" };

	int err;

	now_ns = due_ns = letters = late_letters = most = least = told = proc_stop = 0;
	painted = 0;
	*found = (struct pixel_area){ 0 };
	err = region_search(&cfg, found, &why);
	memcpy(said, why.text, sizeof(said));
	return err;
}

static void assert_field(const struct pixel_area *found)
{
	assert_in_range(found->x, 30, 48);
	assert_in_range(found->y, 30, 40);
	assert_true(found->x + found->w >= 48 && found->x + found->w <= 70);
	assert_int_equal(letters, 0);
}

TEST(a_session_painted_while_no_key_is_typed_does_not_hide_its_field)
{
	struct pixel_area found;

	for (painted_ns = 0; painted_ns < 2400 * MS; painted_ns += 200 * MS) {
		assert_int_equal(search_area(&found), 0);
		assert_field(&found);
	}
}

/* Nor does a picture that is painted for ever keep the search from typing. */
TEST(a_picture_painted_all_the_time_is_not_waited_for)
{
	struct pixel_area found;

	painted_ns = 0;
	paint_until_ns = INT64_MAX;
	assert_int_equal(search_area(&found), 0);
	assert_field(&found);
	assert_true(now_ns < 25000 * MS);
}

static void assert_found(void)
{
	struct pixel_area found;

	painted_ns = paint_until_ns = 0;
	assert_int_equal(search_area(&found), 0);
	assert_field(&found);
}

static int reset(void **state)
{
	(void)state;
	painted_ns = paint_until_ns = delay_ns = blink_ns = stop_ns = tile_ns = 0;
	noise = after = 0;
	opens = false;
	stays = false;
	lost = 0;
	return 0;
}

/* Also where what comes last is little, wherever the field is. */
TEST_WITH(NULL, reset, a_session_that_comes_in_tiles_does_not_hide_its_field)
{
	struct pixel_area found;

	painted_ns = 300 * MS;
	paint_until_ns = 0;
	for (tile_ns = 10 * MS; tile_ns < 100 * MS; tile_ns += 20 * MS)
		for (after = 0; after < 8; after++) {
			assert_int_equal(search_area(&found), 0);
			assert_field(&found);
		}
}

/* As JPEG comes back: no pixel exactly as it was. */
TEST_WITH(NULL, reset, a_lossy_picture_hides_no_field)
{
	for (noise = 1; noise < 16; noise = 2 * noise + 1)
		assert_found();
}

TEST_WITH(NULL, reset, a_key_that_takes_seconds_is_waited_for)
{
	for (delay_ns = 500 * MS; delay_ns < 10000 * MS; delay_ns *= 2)
		assert_found();
}

TEST_WITH(NULL, reset, a_caret_that_blinks_while_a_key_is_awaited_is_no_answer)
{
	for (blink_ns = 330 * MS; blink_ns < 1000 * MS; blink_ns += 100 * MS)
		for (delay_ns = 100 * MS; delay_ns < 2000 * MS; delay_ns += 250 * MS)
			assert_found();
}

/* Whenever the signal comes, after a second key too; but what was lost is not taken away. */
TEST_WITH(NULL, reset, a_signal_leaves_no_letter_and_takes_no_text)
{
	struct pixel_area found;

	for (int none = 0; none < 2; none++) {
		for (stop_ns = 2000 * MS; stop_ns < 9000 * MS; stop_ns += 70 * MS) {
			lost = none;
			delay_ns = 600 * MS;
			search_area(&found);
			assert_int_equal(late_letters, 0);
			assert_int_equal(least, 0);
		}
	}
	proc_stop = 0;
}

/* As a cell of a table becomes a field: what the first key changes beside its letter does not come back. */
TEST_WITH(NULL, reset, a_first_key_that_opens_the_field_is_not_judged)
{
	opens = true;
	for (blink_ns = 0; blink_ns < 1000 * MS; blink_ns += 330 * MS)
		assert_found();
}

/* As vi does: the caret goes back, the letter stays under it, so that a second pair comes and goes. (Not told where it blinks.) */
TEST_WITH(NULL, reset, a_letter_that_stays_is_refused_with_its_reason)
{
	struct pixel_area found;

	stays = true;
	assert_int_equal(search_area(&found), -1);
	assert_non_null(strstr(said, "BackSpace"));
}
