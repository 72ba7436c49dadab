// SPDX-License-Identifier: GPL-3.0-or-later
/* events - on gap series made by hand: what is one event, how long, and what is apart. */
#include "idleprofile/events.h"
#include "../unit.h"

#define US 1000
#define MS 1000000

#define MOST 32
static struct lost_time_event seen[MOST];
static int n;

static void keep(void *arg, const struct lost_time_event *e)
{
	assert_ptr_equal(arg, &n);
	assert_true(n < MOST);
	seen[n++] = *e;
}

static struct event_collector begin(int64_t tick_ns)
{
	static struct event_collector e;

	n = 0;
	events_init(&e, tick_ns, keep, &n);
	return e;
}

static void lose(struct event_collector *e, int64_t from, int64_t to)
{
	struct lost_time_gap p = { .start_ns = from, .end_ns = to, .lost_ns = to - from };

	events_add_gap(e, &p);
}

static void lose_to(struct event_collector *e, int64_t from, int64_t to, int pid, bool resumed, bool wants)
{
	struct culprit_share share = { .kind = CULPRIT_TASK,
				       .pid = pid,
				       .name = "task",
				       .ns = to - from,
				       .start_ns = from,
				       .end_ns = to,
				       .resumed = resumed,
				       .wants = wants };
	struct lost_time_gap p = { .start_ns = from, .end_ns = to, .lost_ns = to - from, .share = &share, .shares = 1 };

	events_add_gap(e, &p);
}

static void is_event(int i, int64_t start, int64_t lost, int64_t end, int64_t parts)
{
	assert_true(i < n);
	assert_int_equal(seen[i].start_ns, start);
	assert_int_equal(seen[i].lost_ns, lost);
	assert_int_equal(seen[i].end_ns, end);
	assert_int_equal(seen[i].parts, parts);
}

TEST(parts_near_each_other_are_one_event_of_their_sum)
{
	struct event_collector e = begin(4 * MS);

	lose(&e, 1000 * US, 1020 * US);
	lose(&e, 1119 * US, 1150 * US); /* 99 us after */
	lose(&e, 1200 * US, 1201 * US);
	lose(&e, 1301 * US, 1310 * US); /* 100 us after: not less */
	lose(&e, 5000 * US, 9000 * US);
	events_finish(&e);
	assert_int_equal(n, 3);
	is_event(0, 1000 * US, (20 + 31 + 1) * US, 1201 * US, 3);
	is_event(1, 1301 * US, 9 * US, 1310 * US, 1);
	is_event(2, 5000 * US, 4000 * US, 9000 * US, 1);
}

TEST(half_a_tick_is_the_limit_where_that_is_less)
{
	struct event_collector e = begin(120 * US);

	lose(&e, 1000 * US, 1010 * US);
	lose(&e, 1069 * US, 1070 * US); /* 59 us after */
	lose(&e, 1131 * US, 1140 * US); /* 61 us after */
	events_finish(&e);
	assert_int_equal(n, 2);
	is_event(0, 1000 * US, 11 * US, 1070 * US, 2);
}

TEST(the_length_is_what_was_lost_not_the_span)
{
	struct event_collector e = begin(0);
	struct lost_time_gap p = { .start_ns = 100, .end_ns = 50100, .lost_ns = 30000 }; /* 20 us of it are our own */

	events_add_gap(&e, &p);
	events_finish(&e);
	is_event(0, 100, 30000, 50100, 1);
}

TEST(a_tick_is_apart_and_parts_nothing)
{
	struct event_collector e = begin(4 * MS);
	struct lost_time_gap tick = { .start_ns = 4030 * US, .end_ns = 4040 * US, .lost_ns = 10 * US, .tick = true };

	lose(&e, 4000 * US, 4020 * US);
	events_add_gap(&e, &tick);
	lose(&e, 4060 * US, 4070 * US); /* 40 us after the first part, 20 us after the tick */
	lose(&e, 4200 * US, 4230 * US);
	tick.start_ns = 4310 * US; /* a tick does not bring two parts together either */
	tick.end_ns = 4320 * US;
	events_add_gap(&e, &tick);
	lose(&e, 4400 * US, 4410 * US);
	events_finish(&e);
	assert_int_equal(n, 5);
	assert_true(seen[0].tick);
	is_event(0, 4030 * US, 10 * US, 4040 * US, 1);
	assert_false(seen[1].tick);
	is_event(1, 4000 * US, 30 * US, 4070 * US, 2);
	assert_true(seen[2].tick || seen[3].tick);
	is_event(4, 4400 * US, 10 * US, 4410 * US, 1);
}

TEST(what_is_over_is_handed_out_at_once)
{
	struct event_collector e = begin(0);

	lose(&e, 1000 * US, 1010 * US);
	events_flush(&e, 1109 * US);
	assert_int_equal(n, 0);
	events_flush(&e, 1110 * US);
	assert_int_equal(n, 1);
	events_flush(&e, 2000 * US);
	events_finish(&e);
	assert_int_equal(n, 1);
}

/* 4 s of a task, cut by slices of the loop; in one of them something small comes, and ticks. */
TEST(a_task_that_the_loop_interrupted_is_one_event)
{
	struct event_collector e = begin(4 * MS);
	struct lost_time_gap tick = { .start_ns = 601 * MS, .end_ns = 601 * MS + 9 * US, .lost_ns = 9 * US, .tick = true };

	lose_to(&e, 0, 600 * MS, 7, false, true);
	events_add_gap(&e, &tick);
	events_flush(&e, 601 * MS + 500 * US);
	lose_to(&e, 602 * MS, 602 * MS + 30 * US, 9, false, false);
	lose_to(&e, 604 * MS, 1204 * MS, 7, true, true);
	lose_to(&e, 1208 * MS, 2000 * MS, 7, true, false);
	lose_to(&e, 2000 * MS + 50 * US, 2001 * MS, 8, false, false); /* 50 us after its end */
	events_flush(&e, 2002 * MS);
	assert_int_equal(n, 3);
	assert_true(seen[0].tick);
	is_event(1, 602 * MS, 30 * US, 602 * MS + 30 * US, 1);
	is_event(2, 0, (600 + 600 + 792) * MS + 950 * US, 2001 * MS, 4);
	assert_int_equal(seen[2].who.n, 2);
	assert_string_equal(event_culprits_largest(&seen[2].who)->name, "task");
	assert_int_equal(event_culprits_largest(&seen[2].who)->pid, 7);
	assert_int_equal(event_culprits_largest(&seen[2].who)->ns, (600 + 600 + 792) * (int64_t)MS);
	assert_int_equal(event_culprits_largest(&seen[2].who)->start_ns, 0);
	assert_int_equal(event_culprits_largest(&seen[2].who)->end_ns, 2000 * (int64_t)MS);
}

TEST(a_task_that_slept_in_between_is_two_events)
{
	struct event_collector e = begin(4 * MS);

	lose_to(&e, 0, 5 * MS, 7, false, false);
	lose_to(&e, 6 * MS, 9 * MS, 7, false, false);
	events_finish(&e);
	assert_int_equal(n, 2);
}

TEST(an_interrupted_task_that_does_not_come_back_is_not_waited_for_long)
{
	struct event_collector e = begin(4 * MS);

	lose_to(&e, 0, 5 * MS, 7, false, true); /* then moved to another CPU */
	events_flush(&e, 5 * MS + BURST_PAUSE_NS - 1);
	assert_int_equal(n, 0);
	events_flush(&e, 5 * MS + BURST_PAUSE_NS);
	assert_int_equal(n, 1);
	is_event(0, 0, 5 * MS, 5 * MS, 1);
}

TEST(nothing_lost_is_no_event)
{
	struct event_collector e = begin(0);

	events_flush(&e, 1000 * MS);
	events_finish(&e);
	assert_int_equal(n, 0);
}
