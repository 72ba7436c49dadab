// SPDX-License-Identifier: GPL-3.0-or-later
/* recorder - a user, a screen and a clock played by hand: what is sent when, what is written, and what the snapshots show. */

#include "clock.h"
#include "vncplay/record/recorder.h"
#include "../../../../../tests/unit/unit.h"

#define W 400
#define H 300
#define MS NS_PER_MS
#define START (7 * NS_PER_S)

static uint32_t pixels[W * H];
static struct screen screen = { W, H, pixels };
static struct recorder_cfg cfg;
static struct recorder *r;
static int64_t now; /* since the start */

/* What went out, each thing after ", ": when it was written, what, when the user did it, if that was earlier; after / what was sent
 * with it: the buttons, or the key and whether it is down. */
static char out[4096];
static struct trace_event shot; /* the last snapshot; pixels: its own */
static int count[TRACE_SNAPSHOT + 1], notes;

static void add(const char *format, ...)
{
	size_t n = strlen(out);
	va_list args;

	va_start(args, format);
	assert_in_range(vsnprintf(out + n, sizeof(out) - n, format, args), 1, sizeof(out) - n - 1);
	va_end(args);
}

static int to_pointer(void *whose, int mask, int x, int y)
{
	const struct trace_event *e = whose;

	assert_int_equal(x, e->x);
	assert_int_equal(y, e->y);
	add("/%d", mask);
	return 0;
}

static int to_key(void *whose, uint32_t keysym, bool down)
{
	(void)whose;
	add("/%c%d", (int)keysym, down);
	return 0;
}

static int to_log(void *whose, const struct trace_event *e)
{
	size_t n = (size_t)e->box.w * (size_t)e->box.h * sizeof(*e->pixels);

	add(", %lld %s", (long long)(now / MS), trace_event_words[e->kind]);
	if (e->kind == TRACE_MOVE)
		add(" %d,%d", e->x, e->y);
	if (e->kind == TRACE_SNAPSHOT) {
		add(" %s %d,%d %dx%d", trace_why_words[e->why], e->box.x, e->box.y, e->box.w, e->box.h);
		free(shot.pixels);
		shot = *e;
		shot.pixels = malloc(n);
		memcpy(shot.pixels, e->pixels, n);
	}
	if (e->at_ns != now)
		add(" (%lld)", (long long)(e->at_ns / MS));
	count[e->kind]++;
	*(struct trace_event *)whose = *e;
	return 0;
}

static int to_notes(void *whose, const char *text)
{
	(void)whose;
	(void)text;
	notes++;
	return 0;
}

static void texture(int x, int y, int w, int h, uint32_t seed)
{
	for (int k = y; k < y + h; k++)
		for (int i = x; i < x + w; i++)
			pixels[k * W + i] = ((uint32_t)(i * 7 + k * 13) * 2654435761u + seed) & 0xffffff;
}

static void begin(void)
{
	static const struct recorder_callbacks to = { to_pointer, to_key, to_log, to_notes };
	static struct trace_event last;

	r = recorder_open(&cfg, &to, &last, &screen, START);
	assert_non_null(r);
}

static int setup(void **state)
{
	(void)state;
	cfg = recorder_defaults;
	now = 0;
	notes = 0;
	*out = '\0';
	memset(count, 0, sizeof(count));
	texture(0, 0, W, H, 1);
	begin();
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	free(shot.pixels);
	shot.pixels = NULL;
	recorder_free(r);
	return 0;
}

/* That went out since the last call. */
static void went(const char *expected)
{
	assert_string_equal(*out ? out + 2 : out, expected);
	*out = '\0';
}

/* Time goes by, in steps of a millisecond. */
static void until(int64_t ms)
{
	int64_t wake;

	for (; now < ms * MS; now += MS)
		assert_int_equal(recorder_send_due(r, START + now, &wake), 0);
	assert_int_equal(recorder_send_due(r, START + now, &wake), 0);
}

static void pointer(int64_t ms, int mask, int x, int y)
{
	until(ms);
	assert_int_equal(recorder_accept_pointer(r, START + ms * MS, mask, x, y), 0);
	until(ms);
}

static void key(int64_t ms, uint32_t keysym, bool down)
{
	until(ms);
	assert_int_equal(recorder_accept_key(r, START + ms * MS, keysym, down), 0);
	until(ms);
}

static void paint(int64_t ms, int x, int y, int w, int h, uint32_t seed)
{
	until(ms);
	texture(x, y, w, h, seed);
	recorder_note_painted(r, START + ms * MS, (struct pixel_area){ x, y, w, h });
}

static int left_out(void)
{
	int any = 0;

	for (int i = 0; i < shot.box.w * shot.box.h; i++)
		any += shot.pixels[i] == TRACE_ANY;
	return any;
}

/* --- clicks ---------------------------------------------------------------------------------------------------- */

TEST_WITH(setup, teardown, a_press_waits_until_the_screen_has_answered_to_the_move)
{
	pointer(1000, 0, 100, 90);
	pointer(1020, 1, 100, 90);
	pointer(1080, 0, 100, 90);
	assert_true(recorder_has_queued(r));
	until(1300);
	assert_false(recorder_has_queued(r));
	/* the release keeps its 60 ms, and the trace has the user's times */
	went("1000 move 100,90/0, 1150 snapshot click 95,85 11x11 (1020), 1150 press (1020)/1, 1210 release (1080)/0");
	for (int i = 0; i < 121; i++)
		assert_int_equal(shot.pixels[i], pixels[(85 + i / 11) * W + 95 + i % 11]);
	assert_int_equal(recorder_get_statistics(r)->quiesced, 1);
	assert_int_equal(recorder_get_statistics(r)->held_most_ns, 130 * MS);
}

TEST_WITH(setup, teardown, who_has_rested_is_not_held_back)
{
	pointer(1000, 0, 100, 90);
	pointer(1200, 1, 100, 90);
	went("1000 move 100,90/0, 1200 snapshot click 95,85 11x11, 1200 press/1");
	assert_int_equal(recorder_get_statistics(r)->quiesced, 0);
}

/* The same wherever it is, and nothing else is like it. */
static void button_at(int x, int y, uint32_t seed)
{
	for (uint32_t i = 0; i < 121; i++)
		pixels[(y + (int)(i / 11)) * W + x + (int)(i % 11)] = ((i * i + seed) * 2654435761u) >> 8;
}

TEST_WITH(setup, teardown, what_has_a_twin_nearby_is_marked)
{
	button_at(140, 60, 5);
	button_at(100, 60, 5);
	pointer(1000, 1, 105, 65);
	until(1300);
	assert_int_equal(shot.box.x, 100);
	assert_true(shot.twin);
	pointer(1300, 0, 105, 65);
	button_at(140, 60, 77777); /* the other one looks like another thing now */
	pointer(3000, 1, 105, 65);
	until(3300);
	assert_int_equal(count[TRACE_SNAPSHOT], 2);
	assert_false(shot.twin);
}

TEST_WITH(setup, teardown, three_clicks_are_three_presses_and_three_releases)
{
	pointer(500, 0, 100, 90);
	for (int i = 0; i < 3; i++) {
		pointer(1000 + 1000 * i, 1, 100, 90);
		pointer(1070 + 1000 * i, 0, 100, 90);
	}
	for (int i = 0; i < 3; i++) {
		pointer(5000 + 150 * i, 1, 100, 90);
		pointer(5050 + 150 * i, 0, 100, 90);
	}
	/* one snapshot for each slow click, one for the three quick ones */
	went("500 move 100,90/0, 1000 snapshot click 95,85 11x11, 1000 press/1, 1070 release/0, "
	     "2000 snapshot click 95,85 11x11, 2000 press/1, 2070 release/0, "
	     "3000 snapshot click 95,85 11x11, 3000 press/1, 3070 release/0, "
	     "5000 snapshot click 95,85 11x11, 5000 press/1, 5050 release/0, "
	     "5150 press/1, 5200 release/0, 5300 press/1, 5350 release/0");
}

/* The first press goes 140 ms late, and so does all that belongs to it. */
TEST_WITH(setup, teardown, a_double_click_keeps_its_distances)
{
	static const int64_t at[] = { 1010, 1070, 1180, 1235 };

	pointer(1000, 0, 100, 90);
	for (int i = 0; i < 4; i++)
		pointer(at[i], i % 2 == 0, 100 + i, 90); /* a hand is not quite still */
	until(3000);
	went("1000 move 100,90/0, 1150 snapshot click 95,85 11x11 (1010), 1150 press (1010)/1, "
	     "1210 move 101,90 (1070)/1, 1210 release (1070)/0, 1320 move 102,90 (1180)/0, 1320 press (1180)/1, "
	     "1375 move 103,90 (1235)/1, 1375 release (1235)/0");
}

TEST_WITH(setup, teardown, what_is_late_catches_up_in_pauses)
{
	pointer(1000, 0, 100, 90);
	pointer(1000, 1, 100, 90);
	pointer(1060, 0, 100, 90);
	pointer(1300, 0, 120, 90); /* 240 later */
	pointer(1890, 0, 130, 90); /* 590 later: 500 is kept */
	pointer(2900, 0, 140, 90); /* in time */
	went("1000 move 100,90/0, 1150 snapshot click 95,85 11x11 (1000), 1150 press (1000)/1, 1210 release (1060)/0, "
	     "1450 move 120,90 (1300)/0, 1950 move 130,90 (1890)/0, 2900 move 140,90/0");
}

TEST_WITH(setup, teardown, only_changes_around_the_pointer_matter)
{
	pointer(1000, 0, 100, 90);
	pointer(1140, 1, 100, 90);
	paint(1145, 300, 200, 50, 50, 5); /* elsewhere */
	until(1148);
	texture(100, 90, 10, 10, 1); /* painted, but the same as before */
	recorder_note_painted(r, START + now, (struct pixel_area){ 100, 90, 10, 10 });
	pointer(1160, 0, 100, 90);
	until(1170);
	went("1000 move 100,90/0, 1150 snapshot click 95,85 11x11 (1140), 1150 press (1140)/1, 1170 release (1160)/0");
	pointer(3000, 0, 200, 200);
	pointer(3010, 1, 200, 200);
	paint(3100, 218, 200, 2, 2, 5); /* within the margin */
	until(3249);
	assert_true(recorder_has_queued(r));
	until(3251);
	assert_false(recorder_has_queued(r));
}

TEST_WITH(setup, teardown, what_never_rests_is_left_out_after_a_while)
{
	pointer(1000, 0, 100, 90);
	pointer(1010, 1, 100, 90);
	for (int i = 0; i < 30; i++)
		paint(1020 + i * 100, 95 + i % 11, 85 + i / 11, 1, 1, 7); /* each once: none of them blinks */
	/* --settle-timeout */
	went("1000 move 100,90/0, 3010 snapshot click 95,85 11x11 (1010), 3010 press (1010)/1");
	assert_int_equal(notes, 1);
	assert_int_equal(recorder_get_statistics(r)->restless, 1);
	assert_int_equal(left_out(), 20);
}

TEST_WITH(setup, teardown, a_caret_that_blinks_neither_delays_nor_counts)
{
	pointer(1000, 0, 100, 90);
	for (int i = 0; i < 8; i++)
		paint(2000 + i * 500, 102, 85, 1, 11, i % 2 ? 1 : 77);
	pointer(5560, 1, 100, 90); /* 60 ms after the last blink */
	went("1000 move 100,90/0, 5560 snapshot click 95,85 11x11, 5560 press/1");
	assert_int_equal(left_out(), 11);
	assert_int_equal(shot.pixels[7], TRACE_ANY); /* 102 - 95 */
}

TEST_WITH(setup, teardown, snapshots_end_at_the_edge)
{
	pointer(1000, 0, 0, 0);
	pointer(2000, 1, 0, 0);
	pointer(2100, 0, 0, 0);
	went("1000 move 0,0/0, 2000 snapshot click 0,0 6x6, 2000 press/1, 2100 release/0");
	pointer(3000, 0, 999, 999); /* dragged beyond the window */
	pointer(4000, 1, 999, 999);
	went("3000 move 399,299/0, 4000 snapshot click 394,294 6x6, 4000 press/1");
}

TEST_WITH(setup, teardown, a_spot_of_one_colour_has_a_second_snapshot)
{
	for (int i = 0; i < 50 * 60; i++)
		pixels[(70 + i / 60) * W + 70 + i % 60] = 0xc0c0c0;
	recorder_note_painted(r, START, (struct pixel_area){ 70, 70, 60, 50 });
	pointer(1000, 0, 100, 90);
	pointer(2000, 1, 100, 90);
	assert_int_equal(count[TRACE_SNAPSHOT], 2);
	assert_non_null(strstr(out, "2000 snapshot click 95,85 11x11, 2000 snapshot click "));
	assert_int_equal(shot.box.w, 11);
	assert_true(abs(shot.box.x + 5 - 100) <= 36 && abs(shot.box.y + 5 - 90) <= 36);
	assert_false(shot.box.x >= 70 && shot.box.x + 11 <= 130 && shot.box.y >= 70 && shot.box.y + 11 <= 120);
}

/* --- drags ----------------------------------------------------------------------------------------------------- */

TEST_WITH(setup, teardown, a_drag_is_looked_after_where_it_ends)
{
	pointer(1000, 0, 100, 90);
	pointer(2000, 1, 100, 90);
	pointer(2100, 1, 150, 90);
	pointer(2200, 1, 200, 90);
	paint(2230, 195, 80, 20, 20, 4); /* what is dragged comes along */
	went("1000 move 100,90/0, 2000 snapshot click 95,85 11x11, 2000 press/1, 2100 move 150,90/1, 2200 move 200,90/1");
	pointer(2250, 0, 200, 90);
	assert_true(recorder_has_queued(r));
	until(2381);
	assert_false(recorder_has_queued(r));
	assert_non_null(strstr(out, " snapshot click 195,85 11x11 (2250), "));
	assert_non_null(strstr(out, " release (2250)/0"));
	*out = '\0';
	pointer(4000, 1, 200, 90);
	pointer(4100, 1, 100, 90);
	pointer(4110, 0, 100, 90); /* nothing changed there */
	went("4000 snapshot click 195,85 11x11, 4000 press/1, 4100 move 100,90/1, 4110 release/0");
}

/* --- keys ------------------------------------------------------------------------------------------------------ */

static void click(void)
{
	pointer(500, 0, 100, 90);
	pointer(1000, 1, 100, 90);
	pointer(1050, 0, 100, 90);
	went("500 move 100,90/0, 1000 snapshot click 95,85 11x11, 1000 press/1, 1050 release/0");
}

static void strike(int64_t ms, uint32_t keysym)
{
	key(ms, keysym, true);
	key(ms + 40, keysym, false);
}

TEST_WITH(setup, teardown, keys_wait_for_what_the_click_lit_up)
{
	click();
	paint(1100, 60, 80, 80, 20, 8); /* the field */
	strike(1180, 'a');		/* within 150 ms of it */
	assert_true(recorder_has_queued(r));
	strike(1300, 'b');
	until(2000);
	assert_int_equal(recorder_get_statistics(r)->snapshots[TRACE_FOR_KEY], 1);
	assert_non_null(strstr(out, " snapshot key 60,80 80x20 (1180), "));
	assert_int_equal(count[TRACE_KEY_DOWN], 2);
	assert_int_equal(count[TRACE_KEY_UP], 2);
}

TEST_WITH(setup, teardown, keys_after_a_pause_wait_for_what_the_keys_before_typed)
{
	click();
	strike(2000, 'a'); /* nothing is known: around the click */
	went("2000 snapshot key 84,74 33x33, 2000 keydown/a1, 2040 keyup/a0");
	paint(2060, 200, 150, 8, 12, 3);
	strike(2200, 'b');
	paint(2260, 208, 150, 8, 12, 3);
	paint(3400, 10, 10, 12, 12, 4); /* a clock elsewhere, long after */
	strike(4000, 'c');
	/* 200,150 16x12, and what is next to it */
	went("2200 keydown/b1, 2240 keyup/b0, 4000 snapshot key 184,148 48x16, 4000 keydown/c1, 4040 keyup/c0");
}

/* A key that changes a title as well: what is waited for is where the last one went. */
TEST_WITH(setup, teardown, keys_wait_for_the_last_one_where_much_has_changed)
{
	click();
	strike(2000, 'a');
	paint(2050, 50, 0, 300, 20, 3);
	paint(2050, 200, 150, 8, 12, 3);
	strike(2200, 'b');
	paint(2260, 208, 150, 8, 12, 3);
	strike(4000, 'c');
	assert_non_null(strstr(out, ", 4000 snapshot key 188,148 48x16, "));
}

TEST_WITH(setup, teardown, keys_wait_for_a_window_that_took_its_time)
{
	const struct pixel_area *b = &shot.box;

	click();
	strike(2000, 'o');
	paint(2050, 0, 0, 20, 10, 6);	    /* the menu's title */
	paint(3500, 100, 100, 200, 150, 6); /* the dialog */
	strike(5000, 'x');
	assert_int_equal(shot.why, TRACE_FOR_KEY);
	assert_in_range(b->w * b->h, 1024, 4096);
	assert_true(b->x >= 100 && b->y >= 100 && b->x + b->w <= 300 && b->y + b->h <= 250);
}

TEST_WITH(setup, teardown, a_marked_area_is_taken_as_it_is)
{
	recorder_free(r);
	cfg.key_area = (struct pixel_area){ 390, 20, 30, 5 };
	begin();
	strike(1000, 'a');
	went("1000 snapshot key 390,20 10x5, 1000 keydown/a1, 1040 keyup/a0");
}

TEST_WITH(setup, teardown, a_key_that_repeats_is_not_torn_apart)
{
	pointer(500, 0, 100, 90);
	key(1000, 'a', true);
	key(1600, 'a', true);
	key(1630, 'a', true);
	key(1650, 'a', false);
	went("500 move 100,90/0, 1000 snapshot key 84,74 33x33, 1000 keydown/a1, 1600 keydown/a1, 1630 keydown/a1, 1650 keyup/a0");
	assert_int_equal(recorder_get_statistics(r)->keys, 3);
}

/* --- moves ----------------------------------------------------------------------------------------------------- */

TEST_WITH(setup, teardown, a_submenu_that_comes_up_is_waited_for)
{
	for (int i = 0; i <= 10; i++)
		pointer(1000 + 20 * i, 0, 100 + i, 90);
	paint(1400, 150, 85, 60, 30, 3);
	*out = '\0';
	pointer(1900, 0, 130, 90);
	went("1900 snapshot hover 150,85 60x30, 1900 move 130,90/0"); /* nobody waited */

	/* in motion, at rest without a change, and what comes much later: nothing */
	for (int i = 0; i < 5; i++) {
		pointer(2000 + 40 * i, 0, 140 + i, 90);
		paint(2010 + 40 * i, 120, 85, 60, 30, (uint32_t)i + 20);
	}
	pointer(2700, 0, 150, 90);
	until(4000);
	pointer(5000, 0, 160, 90);
	paint(6500, 120, 85, 60, 30, 40);
	pointer(7000, 0, 170, 90);
	/* the rest after the motion changed something */
	assert_int_equal(recorder_get_statistics(r)->snapshots[TRACE_FOR_HOVER], 2);
}

TEST_WITH(setup, teardown, a_pointer_that_the_server_draws_is_no_submenu)
{
	pointer(1000, 0, 100, 90);
	pointer(1020, 0, 120, 90);
	paint(1050, 95, 85, 50, 25, 9); /* away from there, and here */
	pointer(1500, 0, 140, 90);
	went("1000 move 100,90/0, 1020 move 120,90/0, 1500 move 140,90/0");
}

/* --- the end --------------------------------------------------------------------------------------------------- */

TEST_WITH(setup, teardown, nothing_that_is_held_is_lost_at_the_end)
{
	pointer(1000, 0, 100, 90);
	pointer(1000, 5, 100, 90);
	assert_int_equal(recorder_accept_key(r, START + 1000 * MS, 'a', true), 0);
	went("1000 move 100,90/0");
	assert_int_equal(recorder_finish(r, START + 1001 * MS), 0);
	assert_int_equal(count[TRACE_PRESS], 2);
	assert_int_equal(count[TRACE_RELEASE], 2);
	assert_non_null(strstr(out, " keydown/a1"));
	assert_non_null(strstr(out, " release (1001)/0, 1000 keyup (1001)/a0"));
	assert_false(recorder_has_queued(r));
}

TEST_WITH(setup, teardown, a_screen_of_another_size_goes_on)
{
	pointer(1000, 0, 399, 299);
	pointer(1010, 1, 399, 299);
	screen.width = 200;
	screen.height = 150;
	assert_int_equal(recorder_note_resized(r), 0);
	until(2000);
	assert_int_equal(count[TRACE_PRESS], 1);
	strike(3000, 'a');
	screen.width = W;
	screen.height = H;
	assert_int_equal(recorder_finish(r, START + 4000 * MS), 0);
}
