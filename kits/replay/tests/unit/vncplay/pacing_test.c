// SPDX-License-Identifier: GPL-3.0-or-later
/* When inputs of a replay are due. */
#include "vncplay/play/play.h"

#include "clock.h"
#include "../../../../../tests/unit/unit.h"

#define MS NS_PER_MS
#define START (1000 * NS_PER_S)

static struct trace_event at(int64_t ms, enum trace_event_kind kind, int what)
{
	struct trace_event e = { .kind = kind, .at_ns = ms * MS, .x = 100, .y = 50, .button = what, .keysym = (uint32_t)what };

	return e;
}

static int64_t due_ms(struct pacing *t, struct trace_event e)
{
	return (pacing_compute_due(t, &e) - START) / MS;
}

TEST(test_distances_are_kept)
{
	struct pacing t;

	pacing_start(&t, 1, 0, 1, START);
	assert_int_equal(due_ms(&t, at(500, TRACE_MOVE, 0)), 500);
	assert_int_equal(due_ms(&t, at(700, TRACE_PRESS, 1)), 700);
	assert_int_equal(pacing_shift(&t, START + 2700 * MS), 2000 * MS); /* it had to wait */
	assert_int_equal(due_ms(&t, at(780, TRACE_RELEASE, 1)), 2780);
	assert_int_equal(pacing_shift(&t, START + 2000 * MS), 0); /* it is not due yet */
	assert_int_equal(due_ms(&t, at(5000, TRACE_KEY_DOWN, 'a')), 7000);
}

TEST(test_speed_is_of_thinking)
{
	struct pacing t;

	pacing_start(&t, 2, 0, 1, START);
	assert_int_equal(due_ms(&t, at(1000, TRACE_PRESS, 1)), 500);
	assert_int_equal(due_ms(&t, at(1100, TRACE_RELEASE, 1)), 600); /* held */
	assert_int_equal(due_ms(&t, at(1250, TRACE_MOVE, 0)), 750);    /* a hand that trembles, */
	assert_int_equal(due_ms(&t, at(1300, TRACE_PRESS, 1)), 800);   /* a double click */
	assert_int_equal(due_ms(&t, at(1340, TRACE_RELEASE, 1)), 840);
	assert_int_equal(due_ms(&t, at(2340, TRACE_PRESS, 1)), 1340); /* another click, later */
	assert_int_equal(due_ms(&t, at(3340, TRACE_MOVE, 1)), 2340);  /* a slow drag */
	assert_int_equal(due_ms(&t, at(3440, TRACE_RELEASE, 1)), 2440);
	assert_int_equal(due_ms(&t, at(5440, TRACE_KEY_DOWN, 'a')), 3440);
	assert_int_equal(due_ms(&t, at(5940, TRACE_KEY_DOWN, 'a')), 3940); /* it repeats */
	assert_int_equal(due_ms(&t, at(5970, TRACE_KEY_DOWN, 'a')), 3970);
	assert_int_equal(due_ms(&t, at(6000, TRACE_KEY_DOWN, 'b')), 4000); /* before a is up */
	assert_int_equal(due_ms(&t, at(6020, TRACE_KEY_UP, 'a')), 4020);
	assert_int_equal(due_ms(&t, at(6040, TRACE_KEY_UP, 'b')), 4040);
	assert_int_equal(due_ms(&t, at(6240, TRACE_KEY_DOWN, 'c')), 4140);
}

/* Another button, another place, a key in between: not the same click. */
TEST(test_what_is_no_double_click)
{
	struct trace_event far = at(1200, TRACE_PRESS, 1);
	struct pacing t;

	pacing_start(&t, 2, 0, 1, START);
	due_ms(&t, at(1000, TRACE_PRESS, 1));
	assert_int_equal(due_ms(&t, at(1100, TRACE_RELEASE, 1)), 600);
	assert_int_equal(due_ms(&t, at(1200, TRACE_PRESS, 3)), 650);
	assert_int_equal(due_ms(&t, at(1300, TRACE_RELEASE, 3)), 750);
	far.at_ns = 1400 * MS;
	far.button = 3;
	far.x += 30;
	assert_int_equal(due_ms(&t, far), 800);
}

TEST(test_jitter)
{
	struct pacing a, b, c;
	int64_t last = 0, least = INT64_MAX, most = 0, sum = 0;
	int differs = 0;

	pacing_start(&a, 1, 0.3, 7, START);
	pacing_start(&b, 1, 0.3, 7, START);
	pacing_start(&c, 1, 0.3, 8, START);
	for (int i = 1; i <= 1000; i++) {
		int64_t due = due_ms(&a, at(i * 1000, TRACE_MOVE, 0)), distance = due - last;

		assert_int_equal(due_ms(&b, at(i * 1000, TRACE_MOVE, 0)), due);
		differs += due_ms(&c, at(i * 1000, TRACE_MOVE, 0)) != due;
		least = distance < least ? distance : least;
		most = distance > most ? distance : most;
		sum += distance;
		last = due;
	}
	assert_in_range(least, 699, 720);
	assert_in_range(most, 1280, 1301);
	assert_in_range(sum / 1000, 970, 1030); /* 5 standard errors of the mean of a uniform 700 to 1300 are 27 */
	assert_true(differs > 900);
}
