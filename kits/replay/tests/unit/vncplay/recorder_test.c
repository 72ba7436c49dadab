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

/* What went out. */
static struct {
	struct trace_event e;
	int64_t at_ns;
	int mask;
} sent[200], written[200];
static int n_sent, n_written, notes;

static int to_pointer(void *whose, int mask, int x, int y)
{
	(void)whose;
	sent[n_sent].e = (struct trace_event){ .x = x, .y = y };
	sent[n_sent].mask = mask;
	sent[n_sent++].at_ns = now;
	return 0;
}

static int to_key(void *whose, uint32_t keysym, bool down)
{
	(void)whose;
	sent[n_sent].e = (struct trace_event){ .keysym = keysym, .kind = down ? TRACE_KEY_DOWN : TRACE_KEY_UP };
	sent[n_sent++].at_ns = now;
	return 0;
}

static int to_log(void *whose, const struct trace_event *e)
{
	struct trace_event *kept = &written[n_written].e;
	size_t n = (size_t)e->box.w * (size_t)e->box.h * sizeof(*e->pixels);

	(void)whose;
	*kept = *e;
	if (e->pixels) {
		kept->pixels = malloc(n);
		memcpy(kept->pixels, e->pixels, n);
	}
	written[n_written++].at_ns = now;
	return 0;
}

static int to_notes(void *whose, const char *text)
{
	(void)whose;
	(void)text;
	notes++;
	return 0;
}

static const struct recorder_callbacks out = { to_pointer, to_key, to_log, to_notes };

static void texture(int x, int y, int w, int h, uint32_t seed)
{
	for (int k = y; k < y + h; k++)
		for (int i = x; i < x + w; i++)
			pixels[k * W + i] = ((uint32_t)(i * 7 + k * 13) * 2654435761u + seed) & 0xffffff;
}

static void begin(void)
{
	r = recorder_open(&cfg, &out, NULL, &screen, START);
	assert_non_null(r);
}

static int setup(void **state)
{
	(void)state;
	cfg = recorder_defaults;
	now = 0;
	n_sent = n_written = notes = 0;
	texture(0, 0, W, H, 1);
	begin();
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	for (int i = 0; i < n_written; i++)
		free(written[i].e.pixels);
	recorder_free(r);
	return 0;
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
	recorder_painted(r, START + ms * MS, (struct box){ x, y, w, h });
}

static int count(enum trace_event_kind kind)
{
	int n = 0;

	for (int i = 0; i < n_written; i++)
		n += written[i].e.kind == kind;
	return n;
}

static const struct trace_event *last_snapshot(void)
{
	for (int i = n_written - 1; i >= 0; i--)
		if (written[i].e.kind == TRACE_SNAPSHOT)
			return &written[i].e;
	fail_msg("no snapshot");
	return NULL;
}

static void is_box(struct box b, int x, int y, int w, int h)
{
	if (b.x != x || b.y != y || b.w != w || b.h != h)
		fail_msg("%d,%d %dx%d", b.x, b.y, b.w, b.h);
}

static void holds(struct box outer, int x, int y, int w, int h)
{
	if (x < outer.x || y < outer.y || x + w > outer.x + outer.w || y + h > outer.y + outer.h)
		fail_msg("%d,%d %dx%d does not hold %d,%d %dx%d", outer.x, outer.y, outer.w, outer.h, x, y, w, h);
}

/* --- clicks ---------------------------------------------------------------------------------------------------- */

TEST_WITH(setup, teardown, a_press_waits_until_the_screen_has_answered_to_the_move)
{
	pointer(1000, 0, 100, 90);
	assert_int_equal(n_sent, 1);
	pointer(1020, 1, 100, 90);
	pointer(1080, 0, 100, 90);
	until(1149);
	assert_int_equal(n_sent, 1);
	assert_true(recorder_has_queued(r));
	until(1150);
	assert_int_equal(n_sent, 2);
	assert_int_equal(sent[1].mask, 1);
	until(1209); /* the release keeps its 60 ms */
	assert_int_equal(n_sent, 2);
	until(1210);
	assert_int_equal(n_sent, 3);
	assert_false(recorder_has_queued(r));
	/* and the trace has the user's times */
	assert_int_equal(n_written, 4);
	assert_int_equal(written[1].e.kind, TRACE_SNAPSHOT);
	assert_int_equal(written[1].e.why, TRACE_FOR_CLICK);
	assert_int_equal(written[1].e.at_ns, 1020 * MS);
	is_box(written[1].e.box, 95, 85, 11, 11);
	for (int i = 0; i < 121; i++)
		assert_int_equal(written[1].e.pixels[i], pixels[(85 + i / 11) * W + 95 + i % 11]);
	assert_int_equal(written[2].e.kind, TRACE_PRESS);
	assert_int_equal(written[2].e.at_ns, 1020 * MS);
	assert_int_equal(written[2].e.button, 1);
	assert_int_equal(written[3].e.kind, TRACE_RELEASE);
	assert_int_equal(written[3].e.at_ns, 1080 * MS);
	assert_int_equal(recorder_get_statistics(r)->quiesced, 1);
	assert_int_equal(recorder_get_statistics(r)->held_most_ns, 130 * MS);
}

TEST_WITH(setup, teardown, who_has_rested_is_not_held_back)
{
	pointer(1000, 0, 100, 90);
	pointer(1200, 1, 100, 90);
	assert_int_equal(n_sent, 2);
	assert_int_equal(count(TRACE_SNAPSHOT), 1);
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
	assert_int_equal(last_snapshot()->box.x, 100);
	assert_true(last_snapshot()->twin);
	pointer(1300, 0, 105, 65);
	button_at(140, 60, 77777); /* the other one looks like another thing now */
	pointer(3000, 1, 105, 65);
	until(3300);
	assert_int_equal(count(TRACE_SNAPSHOT), 2);
	assert_false(last_snapshot()->twin);
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
	until(7000);
	assert_int_equal(count(TRACE_PRESS), 6);
	assert_int_equal(count(TRACE_RELEASE), 6);
	assert_int_equal(n_sent, 13);
	assert_int_equal(count(TRACE_SNAPSHOT), 4); /* one for each slow click, one for the three quick ones */
}

TEST_WITH(setup, teardown, a_double_click_keeps_its_distances)
{
	static const int64_t at[] = { 1010, 1070, 1180, 1235 };
	int64_t first;

	pointer(1000, 0, 100, 90);
	for (int i = 0; i < 4; i++)
		pointer(at[i], i % 2 == 0, 100 + i, 90); /* a hand is not quite still */
	paint(1075, 100, 90, 5, 5, 9);
	until(3000);
	assert_int_equal(count(TRACE_SNAPSHOT), 1);
	assert_int_equal(count(TRACE_PRESS), 2);
	assert_int_equal(count(TRACE_RELEASE), 2);
	first = 0;
	for (int i = 0, k = 0; i < n_written; i++) {
		if (written[i].e.kind != TRACE_PRESS && written[i].e.kind != TRACE_RELEASE)
			continue;
		first = k ? first : written[i].at_ns;
		assert_int_equal(written[i].at_ns - first, (at[k] - at[0]) * MS);
		assert_int_equal(written[i].e.at_ns, at[k] * MS);
		k++;
	}
}

TEST_WITH(setup, teardown, what_is_late_catches_up_in_pauses)
{
	pointer(1000, 0, 100, 90);
	pointer(1000, 1, 100, 90); /* goes at 1150 */
	pointer(1060, 0, 100, 90); /* 1210 */
	pointer(1300, 0, 120, 90); /* 240 later: 1450 */
	pointer(1890, 0, 130, 90); /* 590 later: 500 is kept, 1950 */
	pointer(2900, 0, 140, 90); /* in time */
	until(4000);
	assert_int_equal(n_sent, 6);
	assert_int_equal(sent[2].at_ns, 1210 * MS);
	assert_int_equal(sent[3].at_ns, 1450 * MS);
	assert_int_equal(sent[4].at_ns, 1950 * MS);
	assert_int_equal(sent[5].at_ns, 2900 * MS);
}

TEST_WITH(setup, teardown, only_changes_around_the_pointer_matter)
{
	pointer(1000, 0, 100, 90);
	pointer(1140, 1, 100, 90);
	paint(1145, 300, 200, 50, 50, 5); /* elsewhere */
	until(1148);
	texture(100, 90, 10, 10, 1); /* painted, but the same as before */
	recorder_painted(r, START + now, (struct box){ 100, 90, 10, 10 });
	until(1150);
	assert_int_equal(n_sent, 2);
	pointer(1160, 0, 100, 90);
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
	const struct trace_event *e;
	int any = 0;

	pointer(1000, 0, 100, 90);
	pointer(1010, 1, 100, 90);
	for (int i = 0; i < 30; i++)
		paint(1020 + i * 100, 95 + i % 11, 85 + i / 11, 1, 1, 7); /* each once: none of them blinks */
	assert_int_equal(n_sent, 2);
	assert_int_equal(sent[1].at_ns, 3010 * MS); /* --settle-timeout */
	assert_int_equal(notes, 1);
	assert_int_equal(recorder_get_statistics(r)->restless, 1);
	e = last_snapshot();
	for (int i = 0; i < 121; i++)
		any += e->pixels[i] == TRACE_ANY;
	assert_int_equal(any, 20);
}

TEST_WITH(setup, teardown, a_caret_that_blinks_neither_delays_nor_counts)
{
	const struct trace_event *e;
	int any = 0;

	pointer(1000, 0, 100, 90);
	for (int i = 0; i < 8; i++)
		paint(2000 + i * 500, 102, 85, 1, 11, i % 2 ? 1 : 77);
	pointer(5560, 1, 100, 90); /* 60 ms after the last blink */
	assert_int_equal(n_sent, 2);
	e = last_snapshot();
	for (int i = 0; i < 121; i++)
		any += e->pixels[i] == TRACE_ANY;
	assert_int_equal(any, 11);
	assert_int_equal(e->pixels[7], TRACE_ANY); /* 102 - 95 */
}

TEST_WITH(setup, teardown, snapshots_end_at_the_edge)
{
	pointer(1000, 0, 0, 0);
	pointer(2000, 1, 0, 0);
	is_box(last_snapshot()->box, 0, 0, 6, 6);
	pointer(2100, 0, 0, 0);
	pointer(3000, 0, 999, 999); /* dragged beyond the window */
	pointer(4000, 1, 999, 999);
	is_box(last_snapshot()->box, W - 6, H - 6, 6, 6);
	assert_int_equal(sent[n_sent - 1].e.x, W - 1);
}

TEST_WITH(setup, teardown, a_spot_of_one_colour_has_a_second_snapshot)
{
	for (int i = 0; i < 50 * 60; i++)
		pixels[(70 + i / 60) * W + 70 + i % 60] = 0xc0c0c0;
	recorder_painted(r, START, (struct box){ 70, 70, 60, 50 });
	pointer(1000, 0, 100, 90);
	pointer(2000, 1, 100, 90);
	assert_int_equal(count(TRACE_SNAPSHOT), 2);
	is_box(written[1].e.box, 95, 85, 11, 11);
	assert_int_equal(written[2].e.kind, TRACE_SNAPSHOT);
	assert_int_equal(written[2].e.box.w, 11);
	assert_true(abs(written[2].e.box.x + 5 - 100) <= 36 && abs(written[2].e.box.y + 5 - 90) <= 36);
	assert_false(written[2].e.box.x >= 70 && written[2].e.box.x + 11 <= 130 && written[2].e.box.y >= 70 &&
		     written[2].e.box.y + 11 <= 120);
}

/* --- drags ----------------------------------------------------------------------------------------------------- */

TEST_WITH(setup, teardown, a_drag_is_looked_after_where_it_ends)
{
	pointer(1000, 0, 100, 90);
	pointer(2000, 1, 100, 90);
	pointer(2100, 1, 150, 90);
	pointer(2200, 1, 200, 90);
	paint(2230, 195, 80, 20, 20, 4); /* what is dragged comes along */
	pointer(2250, 0, 200, 90);
	assert_true(recorder_has_queued(r));
	until(2381);
	assert_false(recorder_has_queued(r));
	assert_int_equal(count(TRACE_SNAPSHOT), 2);
	is_box(last_snapshot()->box, 195, 85, 11, 11);
	assert_int_equal(written[n_written - 1].e.kind, TRACE_RELEASE);
	assert_int_equal(written[n_written - 1].e.at_ns, 2250 * MS);

	pointer(4000, 1, 200, 90);
	pointer(4100, 1, 100, 90);
	pointer(4110, 0, 100, 90); /* nothing changed there */
	assert_false(recorder_has_queued(r));
	assert_int_equal(count(TRACE_SNAPSHOT), 3);
}

/* --- keys ------------------------------------------------------------------------------------------------------ */

static void click(void)
{
	pointer(500, 0, 100, 90);
	pointer(1000, 1, 100, 90);
	pointer(1050, 0, 100, 90);
}

static void strike(int64_t ms, uint32_t keysym)
{
	key(ms, keysym, true);
	key(ms + 40, keysym, false);
}

TEST_WITH(setup, teardown, keys_wait_for_what_the_click_lit_up)
{
	const struct trace_event *e;

	click();
	paint(1100, 60, 80, 80, 20, 8); /* the field */
	strike(1180, 'a');		/* within 150 ms of it */
	assert_true(recorder_has_queued(r));
	strike(1300, 'b');
	until(2000);
	assert_int_equal(recorder_get_statistics(r)->snapshots[TRACE_FOR_KEY], 1);
	e = last_snapshot();
	assert_int_equal(e->why, TRACE_FOR_KEY);
	assert_int_equal(e->at_ns, 1180 * MS);
	is_box(e->box, 60, 80, 80, 20);
	assert_int_equal(count(TRACE_KEY_DOWN), 2);
	assert_int_equal(count(TRACE_KEY_UP), 2);
}

TEST_WITH(setup, teardown, keys_after_a_pause_wait_for_what_the_keys_before_typed)
{
	click();
	strike(2000, 'a'); /* nothing is known: around the click */
	assert_int_equal(recorder_get_statistics(r)->snapshots[TRACE_FOR_KEY], 1);
	holds(last_snapshot()->box, 95, 85, 11, 11);
	paint(2060, 200, 150, 8, 12, 3);
	strike(2200, 'b');
	paint(2260, 208, 150, 8, 12, 3);
	assert_int_equal(recorder_get_statistics(r)->snapshots[TRACE_FOR_KEY], 1);
	paint(3400, 10, 10, 12, 12, 4); /* a clock elsewhere, long after */
	strike(4000, 'c');
	assert_int_equal(recorder_get_statistics(r)->snapshots[TRACE_FOR_KEY], 2);
	is_box(last_snapshot()->box, 184, 148, 48, 16); /* 200,150 16x12, and what is next to it */
	assert_int_equal(count(TRACE_KEY_DOWN), 3);
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
	is_box(last_snapshot()->box, 188, 148, 48, 16);
}

TEST_WITH(setup, teardown, keys_wait_for_a_window_that_took_its_time)
{
	const struct trace_event *e;

	click();
	strike(2000, 'o');
	paint(2050, 0, 0, 20, 10, 6);	    /* the menu's title */
	paint(3500, 100, 100, 200, 150, 6); /* the dialog */
	strike(5000, 'x');
	e = last_snapshot();
	assert_int_equal(e->why, TRACE_FOR_KEY);
	assert_true(e->box.w * e->box.h <= 4096 && e->box.w * e->box.h >= 1024);
	holds((struct box){ 100, 100, 200, 150 }, e->box.x, e->box.y, e->box.w, e->box.h);
}

TEST_WITH(setup, teardown, a_marked_area_is_taken_as_it_is)
{
	recorder_free(r);
	cfg.key_area = (struct box){ 390, 20, 30, 5 };
	begin();
	strike(1000, 'a');
	is_box(last_snapshot()->box, 390, 20, 10, 5);
}

TEST_WITH(setup, teardown, a_key_that_repeats_is_not_torn_apart)
{
	static const int64_t at[] = { 1000, 1600, 1630, 1650 };

	pointer(500, 0, 100, 90);
	key(1000, 'a', true);
	key(1600, 'a', true);
	key(1630, 'a', true);
	key(1650, 'a', false);
	assert_int_equal(recorder_get_statistics(r)->snapshots[TRACE_FOR_KEY], 1);
	assert_int_equal(recorder_get_statistics(r)->keys, 3);
	for (int i = 0; i < 4; i++)
		assert_int_equal(sent[i + 1].at_ns, at[i] * MS);
}

/* --- moves ----------------------------------------------------------------------------------------------------- */

TEST_WITH(setup, teardown, a_submenu_that_comes_up_is_waited_for)
{
	for (int i = 0; i <= 10; i++)
		pointer(1000 + 20 * i, 0, 100 + i, 90);
	paint(1400, 150, 85, 60, 30, 3);
	pointer(1900, 0, 130, 90);
	assert_int_equal(recorder_get_statistics(r)->snapshots[TRACE_FOR_HOVER], 1);
	assert_int_equal(last_snapshot()->why, TRACE_FOR_HOVER);
	is_box(last_snapshot()->box, 150, 85, 60, 30);
	assert_int_equal(written[n_written - 1].e.kind, TRACE_MOVE);
	assert_int_equal(sent[n_sent - 1].at_ns, 1900 * MS); /* nobody waited */

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
	assert_int_equal(recorder_get_statistics(r)->snapshots[TRACE_FOR_HOVER],
			 2); /* the rest after the motion changed something */
}

TEST_WITH(setup, teardown, a_pointer_that_the_server_draws_is_no_submenu)
{
	pointer(1000, 0, 100, 90);
	pointer(1020, 0, 120, 90);
	paint(1050, 95, 85, 50, 25, 9); /* away from there, and here */
	pointer(1500, 0, 140, 90);
	assert_int_equal(count(TRACE_SNAPSHOT), 0);
}

/* --- the end --------------------------------------------------------------------------------------------------- */

TEST_WITH(setup, teardown, nothing_that_is_held_is_lost_at_the_end)
{
	pointer(1000, 0, 100, 90);
	pointer(1000, 5, 100, 90);
	assert_int_equal(recorder_accept_key(r, START + 1000 * MS, 'a', true), 0);
	assert_int_equal(n_sent, 1);
	assert_int_equal(recorder_finish(r, START + 1001 * MS), 0);
	assert_int_equal(count(TRACE_PRESS), 2);
	assert_int_equal(count(TRACE_RELEASE), 2);
	assert_int_equal(count(TRACE_KEY_DOWN), 1);
	assert_int_equal(count(TRACE_KEY_UP), 1);
	assert_int_equal(sent[n_sent - 2].mask, 0);
	assert_false(recorder_has_queued(r));
}

TEST_WITH(setup, teardown, a_screen_of_another_size_goes_on)
{
	pointer(1000, 0, 399, 299);
	pointer(1010, 1, 399, 299);
	screen.width = 200;
	screen.height = 150;
	assert_int_equal(recorder_resized(r), 0);
	until(2000);
	assert_int_equal(count(TRACE_PRESS), 1);
	strike(3000, 'a');
	screen.width = W;
	screen.height = H;
	assert_int_equal(recorder_finish(r, START + 4000 * MS), 0);
}
