// SPDX-License-Identifier: GPL-3.0-or-later
/* Which keys a redraw answers, and when: small stories played by hand. Times are in milliseconds times MS. */
#include "refecho/echo.h"
#define AFTER_ALL drop_queue
#include "../unit.h"

#define MS 1000000LL
#define NEVER INT64_MAX

static struct echo_key gone[1000];
static size_t gone_n;

static void leave(const struct echo_key *k, void *arg)
{
	assert_ptr_equal(arg, gone);
	gone[gone_n++] = *k;
}

static struct echo_queue e;

static void start(size_t batch, bool per_key)
{
	const struct echo_queue_cfg cfg = { .batch = batch, .per_key = per_key, .room = 16 };

	gone_n = 0;
	echo_queue_free(&e);
	echo_queue_init(&e, &cfg);
}

static uint32_t key(int64_t at_ms, int64_t delay_ms)
{
	return echo_add_key(&e, at_ms * MS, delay_ms * MS, false, (unsigned char)('a' + e.received % 26));
}

static uint32_t dropped(int64_t at_ms)
{
	return echo_add_key(&e, at_ms * MS, 0, true, 'x');
}

/* Takes at from_ms, draws at draw_ms, flushes at once. The number shown, 0 when nothing was due. */
static uint32_t redraw(int64_t from_ms, int64_t draw_ms)
{
	uint32_t number;

	if (!echo_begin_redraw(&e, from_ms * MS))
		return 0;
	number = echo_end_redraw(&e, draw_ms * MS);
	echo_mark_flushed(&e, draw_ms * MS + 1, leave, gone);
	return number;
}

TEST(one_key_waits_for_its_delay)
{
	start(1, false);
	assert_true(echo_next_due_ns(&e) == NEVER);
	assert_int_equal(key(100, 20), 1);
	assert_true(echo_next_due_ns(&e) == 120 * MS);
	assert_int_equal(echo_begin_redraw(&e, 120 * MS - 1), 0);
	assert_int_equal(echo_begin_redraw(&e, 120 * MS), 1);
	assert_int_equal(echo_redraw_key(&e, 0)->character, 'a');
	assert_null(echo_redraw_key(&e, 1));
	assert_int_equal(echo_end_redraw(&e, 130 * MS), 1);
	assert_int_equal(gone_n, 0);
	echo_mark_flushed(&e, 131 * MS, leave, gone);
	assert_int_equal(gone_n, 1);
	assert_true(gone[0].received_ns == 100 * MS && gone[0].draw_ns == 130 * MS && gone[0].flushed_ns == 131 * MS);
	assert_false(gone[0].coalesced);
	assert_true(echo_next_due_ns(&e) == NEVER);
	echo_mark_flushed(&e, 140 * MS, leave, gone);
	assert_int_equal(e.flushes, 1); /* a flush with nothing drawn is none */
}

TEST(keys_become_ready_in_order)
{
	start(1, false);
	key(0, 100);
	key(10, 5); /* alone it would be due at 15 */
	key(95, 20);
	assert_int_equal(redraw(99, 99), 0);
	assert_int_equal(redraw(100, 101), 2); /* both at once */
	assert_int_equal(gone_n, 2);
	assert_true(gone[0].coalesced && !gone[1].coalesced);
	assert_int_equal(redraw(115, 115), 3);
	assert_int_equal(e.coalesced, 1);
	assert_int_equal(e.redraws, 2);
	assert_int_equal(e.answered, 3);
}

/* 20 keys a second and 120 ms of work a redraw: what is due when it begins is answered, what comes meanwhile is not. */
TEST(redraw_answers_what_was_due_when_it_began)
{
	start(1, false);
	key(0, 0);
	assert_int_equal(echo_begin_redraw(&e, 0), 1);
	key(50, 0);
	key(100, 0);
	assert_int_equal(echo_end_redraw(&e, 120 * MS), 1);
	echo_mark_flushed(&e, 120 * MS, leave, gone);
	assert_int_equal(redraw(120, 240), 3);
	assert_int_equal(gone_n, 3);
	assert_true(!gone[0].coalesced && gone[1].coalesced && !gone[2].coalesced);
}

TEST(batch_of_three)
{
	start(3, false);
	key(0, 5);
	key(50, 5);
	assert_true(echo_next_due_ns(&e) == 1050 * MS); /* one second after the last */
	assert_int_equal(redraw(200, 200), 0);
	key(100, 5);
	assert_true(echo_next_due_ns(&e) == 105 * MS);
	assert_int_equal(redraw(105, 105), 3);
	key(150, 5);
	assert_true(echo_next_due_ns(&e) == 1150 * MS);
	assert_int_equal(redraw(1149, 1149), 0);
	assert_int_equal(redraw(1150, 1150), 4); /* the rest drains */
	assert_int_equal(e.coalesced, 2);
	/* a delay longer than the second: not before it is due */
	key(2000, 3000);
	assert_true(echo_next_due_ns(&e) == 5000 * MS);
	assert_int_equal(redraw(5000, 5000), 5);
}

TEST(batch_per_key_is_exact_under_backlog)
{
	start(3, true);
	for (int i = 0; i < 7; i++)
		key(10 * i, 0);
	assert_int_equal(echo_begin_redraw(&e, 500 * MS), 3);
	assert_int_equal(echo_end_redraw(&e, 510 * MS), 3);
	assert_int_equal(redraw(520, 520), 6);
	assert_int_equal(redraw(530, 530), 0);
	assert_int_equal(redraw(1060, 1060), 7);
	/* per redraw the same backlog is one batch */
	start(3, false);
	for (int i = 0; i < 7; i++)
		key(10 * i, 0);
	assert_int_equal(redraw(500, 510), 7);
	assert_int_equal(e.coalesced, 6);
}

TEST(dropped_is_only_overtaken)
{
	start(1, false);
	assert_int_equal(dropped(0), 1);
	assert_true(echo_next_due_ns(&e) == NEVER);
	assert_int_equal(redraw(5000, 5000), 0);
	assert_int_equal(key(6000, 0), 2);
	assert_int_equal(dropped(6001), 3);
	assert_int_equal(redraw(6002, 6003), 2);
	assert_int_equal(gone_n, 2); /* 1 was overtaken, 3 still waits */
	assert_true(gone[0].dropped && !gone[0].coalesced && gone[0].flushed_ns == 6003 * MS + 1);
	assert_true(echo_next_due_ns(&e) == NEVER);
	echo_drop_unshown(&e, leave, gone);
	assert_int_equal(gone_n, 3);
	assert_true(gone[2].seq == 3 && gone[2].dropped && !gone[2].draw_ns && !gone[2].flushed_ns);
	assert_int_equal(e.dropped, 2);
	assert_int_equal(e.answered, 1);
	assert_int_equal(e.waiting, 0);
}

static void start_presented(void)
{
	const struct echo_queue_cfg cfg = { .batch = 1, .room = 2 * ECHO_UNTOLD, .presents = true };

	start(1, false);
	echo_queue_free(&e);
	echo_queue_init(&e, &cfg);
}

TEST(flushed_keys_wait_for_their_presentation)
{
	start_presented();
	for (int i = 1; i <= 3; i++) {
		key(i * 10, 0);
		assert_int_equal(redraw(i * 10, i * 10), i);
	}
	assert_int_equal(gone_n, 0);
	assert_int_equal(e.answered, 3);
	echo_mark_presented(&e, 2, 25 * MS, leave, gone); /* 1 was never presented itself */
	assert_int_equal(gone_n, 2);
	assert_true(gone[0].presented_ns == 25 * MS && gone[1].presented_ns == 25 * MS && gone[1].flushed_ns == 20 * MS + 1);
	echo_mark_presented(&e, 1, 26 * MS, leave, gone); /* told late, of a number that has left */
	assert_int_equal(gone_n, 2);
	key(40, 0);
	echo_drop_unshown(&e, leave, gone);
	assert_int_equal(gone_n, 4);
	assert_true(!gone[2].presented_ns && gone[2].flushed_ns);
	assert_int_equal(e.waiting, 1); /* 4; not 3, which was answered */
}

/* Else the log of a compositor that tells nothing would only be written at the end. */
TEST(keys_wait_for_no_compositor_that_tells_nothing)
{
	for (int told = 0; told < 2; told++) {
		start_presented();
		if (told)
			echo_mark_presented(&e, 0, MS, leave, gone); /* the first picture, before any key */
		for (int i = 1; i < ECHO_UNTOLD; i++) {
			key(i * 10, 0);
			redraw(i * 10, i * 10);
		}
		assert_int_equal(gone_n, 0);
		key(ECHO_UNTOLD * 10, 0);
		redraw(ECHO_UNTOLD * 10, ECHO_UNTOLD * 10);
		assert_int_equal(gone_n, told ? 0 : ECHO_UNTOLD);
		key(ECHO_UNTOLD * 10 + 1, 0);
		redraw(ECHO_UNTOLD * 10 + 1, ECHO_UNTOLD * 10 + 1);
		assert_int_equal(gone_n, told ? 0 : ECHO_UNTOLD + 1);
	}
}

TEST(dropped_counts_for_no_batch)
{
	start(2, false);
	key(0, 0);
	dropped(1);
	dropped(2);
	assert_int_equal(redraw(10, 10), 0);
	key(11, 0);
	assert_int_equal(echo_begin_redraw(&e, 11 * MS), 2);
	assert_true(echo_redraw_key(&e, 1)->dropped);
	assert_int_equal(echo_redraw_key(&e, 3)->seq, 4);
	assert_int_equal(echo_end_redraw(&e, 12 * MS), 4);
}

/* A VNC client that asks late: two numbers are drawn before one is sent. The first was never seen. */
TEST(drawn_over_before_the_flush_is_coalesced)
{
	start(1, false);
	key(0, 0);
	echo_begin_redraw(&e, 0);
	echo_end_redraw(&e, 1 * MS);
	key(10, 0);
	echo_begin_redraw(&e, 10 * MS);
	echo_mark_flushed(&e, 10 * MS + 1, leave, gone); /* while the second is being drawn: only the first is out */
	assert_int_equal(gone_n, 1);
	assert_false(gone[0].coalesced);
	echo_end_redraw(&e, 11 * MS);
	key(20, 0);
	echo_begin_redraw(&e, 20 * MS);
	echo_end_redraw(&e, 21 * MS);
	echo_mark_flushed(&e, 30 * MS, leave, gone);
	assert_int_equal(gone_n, 3);
	assert_true(gone[1].seq == 2 && gone[1].coalesced && gone[1].draw_ns == 11 * MS && gone[1].flushed_ns == 30 * MS);
	assert_false(gone[2].coalesced);
	assert_int_equal(e.redraws, 3);
	assert_int_equal(e.flushes, 2);
}

TEST(a_full_queue_loses_and_counts)
{
	start(1, false);
	for (int i = 0; i < 16; i++)
		assert_int_equal(key(i, 0), i + 1);
	assert_int_equal(key(16, 0), 0);
	assert_int_equal(e.lost, 1);
	assert_int_equal(redraw(20, 20), 16);
	assert_int_equal(key(30, 0), 18); /* the lost one had its number: a reader sees it overtaken */
	for (int i = 0; i < 100; i++) {
		assert_int_equal(redraw(31 + i, 31 + i), 18 + i);
		assert_int_equal(key(31 + i, 0), 19 + i);
	}
	assert_int_equal(gone_n, 116);
	echo_drop_unshown(&e, leave, gone);
	assert_int_equal(gone_n, 117);
	assert_int_equal(e.waiting, 1);
}

static int drop_queue(void **state)
{
	echo_queue_free(&e);
	return 0;
}
