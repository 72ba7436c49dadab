// SPDX-License-Identifier: GPL-3.0-or-later
/* Changes of a terminal written by hand: cells of 6 x 13 pixels, cell c of line 0 covers columns 6c to 6c + 5. */
#include "../unit.h"
#include "keyrepeat/blink_filter.h"

#define MS 1000000LL

static struct caret_step box(int64_t ms, int left, int top, int width, int height)
{
	return (struct caret_step){ .at_ns = ms * MS,
				    .top = top,
				    .bottom = top + height - 1,
				    .top_left = left,
				    .left = left,
				    .right = left + width,
				    .all_left = left,
				    .all_right = left + width };
}

/* cells `from` to `to` of the first line */
static struct caret_step cells(int64_t ms, int from, int to)
{
	return box(ms, 6 * from, 0, 6 * (to - from + 1), 13);
}

static struct blink_filter l;

static int begin(void **state)
{
	l = (struct blink_filter){ 0 };
	return 0;
}

static void idle(struct caret_step step)
{
	blink_learn_change(&l, &step, false);
}

static enum change_verdict judge(struct caret_step step)
{
	enum change_verdict v = blink_judge_change(&l, &step);

	if (v == CHANGE_ECHO)
		blink_keep_echo(&l, &step);
	return v;
}

TEST_WITH(begin, NULL, a_first_blink_where_the_last_key_put_the_caret_is_in_doubt)
{
	assert_int_equal(judge(cells(3000, 3, 4)), CHANGE_ECHO);
	assert_int_equal(judge(cells(3400, 4, 4)), CHANGE_DOUBTFUL);
	assert_int_equal(judge(cells(3500, 4, 5)), CHANGE_ECHO);
	/* it had the time to blink and did not: then this is a key that goes back, or types in place */
	assert_int_equal(judge(cells(9000, 5, 5)), CHANGE_ECHO);
	/* a key that goes back (cells 4 and 5 again), soon after one that went on: only if nothing better follows */
	assert_int_equal(judge(cells(9100, 5, 6)), CHANGE_ECHO);
	assert_int_equal(judge(cells(9200, 5, 6)), CHANGE_DOUBTFUL);
	/* the same pixels, but the caret's edge is elsewhere: no blink */
	assert_int_equal(judge(cells(9300, 5, 5)), CHANGE_ECHO);
}

TEST_WITH(begin, NULL, seen_once_is_a_doubt_seen_twice_is_known)
{
	idle(cells(1000, 3, 3));
	assert_int_equal(judge(cells(1500, 3, 3)), CHANGE_DOUBTFUL);
	idle(cells(1600, 3, 3));
	assert_int_equal(judge(cells(2000, 3, 3)), CHANGE_WITHOUT_KEY);
}

TEST_WITH(begin, NULL, a_window_drawn_anew_does_not_make_all_of_it_restless)
{
	idle(box(1000, 0, 0, 480, 312));
	/* a caret blinks inside of it: that is its own place, not the window's second time */
	idle(cells(1500, 3, 3));
	idle(cells(2000, 3, 3));
	assert_int_equal(judge(cells(2100, 3, 3)), CHANGE_WITHOUT_KEY);
	assert_int_equal(judge(cells(2200, 7, 8)), CHANGE_ECHO);
	/* drawn anew once more: now it may be a film */
	idle(box(2300, 0, 0, 480, 312));
	assert_int_equal(judge(cells(2400, 8, 9)), CHANGE_WITHIN);
	assert_int_equal(judge(cells(12500, 8, 9)), CHANGE_ECHO);
}

TEST_WITH(begin, NULL, what_has_stopped_is_forgotten)
{
	for (int i = 0; i < 4; i++)
		idle(cells(1000 + 500 * i, 3, 3));
	assert_int_equal(judge(cells(12400, 3, 3)), CHANGE_WITHOUT_KEY);
	/* also while keys are under way it shows that it goes on */
	assert_int_equal(judge(cells(40000, 3, 3)), CHANGE_WITHOUT_KEY);
	assert_int_equal(judge(cells(130000, 3, 3)), CHANGE_ECHO);
}

TEST_WITH(begin, NULL, many_places_push_out_the_oldest)
{
	for (int i = 0; i < 2 * BLINK_PLACES; i++) {
		idle(box(1000 + i, 0, 20 * i, 6, 13));
		idle(box(1000 + i, 0, 20 * i, 6, 13));
	}
	assert_int_equal(l.alone.n, BLINK_PLACES);
	assert_int_equal(judge(box(2000, 0, 20 * (2 * BLINK_PLACES - 1), 6, 13)), CHANGE_WITHOUT_KEY);
	assert_int_equal(judge(box(2000, 0, 0, 6, 13)), CHANGE_ECHO);
}

static enum change_verdict answer(int64_t key_ms, struct caret_step step)
{
	enum change_verdict v = blink_judge_answer(&l, &step, key_ms * MS);

	if (v < CHANGE_DOUBTFUL)
		blink_keep_echo(&l, &step);
	return v;
}

TEST_WITH(begin, NULL, of_two_places_that_answer_only_a_caret_that_moves_on_is_an_echo)
{
	struct caret_step beside = box(1100, 300, 400, 80, 13);

	assert_int_equal(answer(1000, cells(1020, 0, 1)), CHANGE_FIRST);
	assert_true(blink_learn_between(&l, &beside, 1000 * MS));
	assert_int_equal(answer(5000, box(5010, 300, 400, 80, 13)), CHANGE_DOUBTFUL);
	assert_int_equal(answer(5000, cells(5020, 1, 2)), CHANGE_ECHO);
	/* both stay: not told, however often */
	l = (struct blink_filter){ 0 };
	for (int i = 0; i < 10; i++) {
		assert_int_equal(answer(1000 + 9000 * i, cells(1020 + 9000 * i, 0, 1)), i ? CHANGE_DOUBTFUL : CHANGE_FIRST);
		answer(1000 + 9000 * i, box(1100 + 9000 * i, 300, 400, 80, 13));
	}
}
