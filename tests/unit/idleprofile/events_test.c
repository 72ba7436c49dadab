// SPDX-License-Identifier: GPL-3.0-or-later
/* events - on gap series made by hand: what is one event, how long, and what is apart. */
#include "idleprofile/events.h"
#include "../unit.h"

#define US 1000
#define MS 1000000

static struct event_collector e;
static char seen[400];		     /* the events so far, as written by keep() */
static struct event_culprit largest; /* of the last event */
static size_t culprits;

/* "1000+52..1201/3": from 1,000 us on 52 us lost until 1,201 us in three gaps; "T": a tick. */
static void keep(void *arg, const struct lost_time_event *v)
{
	const struct event_culprit *who = event_culprits_largest(&v->who);

	assert_ptr_equal(arg, &e);
	sprintf(seen + strlen(seen), "%s%s%lld+%lld..%lld/%d", *seen ? " " : "", v->tick ? "T" : "", (long long)v->start_ns / US,
		(long long)v->lost_ns / US, (long long)v->end_ns / US, (int)v->parts);
	culprits = v->who.n;
	largest = who ? *who : (struct event_culprit){ 0 };
}

static void begin(int64_t tick_ns)
{
	*seen = '\0';
	events_init(&e, tick_ns, keep, &e);
}

/* Gaps in us: "1000-1020"; "T1000-1020" a tick; "7:1000-1020" of task 7, "!" still runnable at its end, "*" resumed in it. */
static void lose(const char *gaps)
{
	char word[64], *at;

	for (int length; sscanf(gaps, "%63s%n", word, &length) == 1; gaps += length) {
		struct culprit_share share = {
			.kind = CULPRIT_TASK, .name = "task", .resumed = strchr(word, '*'), .wants = strchr(word, '!')
		};
		struct lost_time_gap p = { .tick = *word == 'T', .share = &share, .shares = strchr(word, ':') != NULL };

		at = word + p.tick;
		if (p.shares)
			share.pid = (int)strtol(at, &at, 10);
		p.start_ns = strtol(at + p.shares, &at, 10) * US;
		p.end_ns = strtol(at + 1, &at, 10) * US;
		p.lost_ns = share.ns = p.end_ns - p.start_ns;
		share.start_ns = p.start_ns;
		share.end_ns = p.end_ns;
		events_add_gap(&e, &p);
	}
}

static void become(const char *gaps, const char *events)
{
	lose(gaps);
	events_finish(&e);
	assert_string_equal(seen, events);
}

TEST(parts_near_each_other_are_one_event_of_their_sum)
{
	begin(4 * MS); /* 99 us after; 100 us after: not less */
	become("1000-1020 1119-1150 1200-1201 1301-1310 5000-9000", "1000+52..1201/3 1301+9..1310/1 5000+4000..9000/1");
	begin(120 * US); /* half a tick is the limit where that is less */
	become("1000-1010 1069-1070 1131-1140", "1000+11..1070/2 1131+9..1140/1");
	begin(0);
	become("", "");
	/* the length is what was lost, not the span: 20 us of it are our own */
	events_add_gap(&e, &(struct lost_time_gap){ .start_ns = 100 * US, .end_ns = 150 * US, .lost_ns = 30 * US });
	become("", "100+30..150/1");
}

TEST(a_tick_is_apart_and_parts_nothing)
{
	begin(4 * MS); /* 40 us after the first part, 20 us after the tick; a tick does not bring two parts together either */
	become("4000-4020 T4030-4040 4060-4070 4200-4230 T4310-4320 4400-4410",
	       "T4030+10..4040/1 4000+30..4070/2 T4310+10..4320/1 4200+30..4230/1 4400+10..4410/1");
}

TEST(what_is_over_is_handed_out_at_once)
{
	begin(0);
	lose("1000-1010");
	events_flush(&e, 1109 * US);
	assert_string_equal(seen, "");
	events_flush(&e, 1110 * US);
	assert_string_equal(seen, "1000+10..1010/1");
	events_flush(&e, 2000 * US);
	become("", "1000+10..1010/1");
}

/* 2 s of a task, cut by slices of the loop; in one of them something small comes, and ticks. */
TEST(a_task_that_the_loop_interrupted_is_one_event)
{
	begin(4 * MS);
	lose("7:0-600000! T601000-601009");
	events_flush(&e, 601 * MS + 500 * US);
	lose("9:602000-602030 7:604000-1204000*! 7:1208000-2000000* 8:2000050-2001000"); /* 50 us after its end */
	events_flush(&e, 2002 * MS);
	assert_string_equal(seen, "T601000+9..601009/1 602000+30..602030/1 0+1992950..2001000/4");
	assert_int_equal(culprits, 2);
	assert_int_equal(largest.pid, 7);
	assert_int_equal(largest.ns, (600 + 600 + 792) * (int64_t)MS);
	assert_int_equal(largest.start_ns, 0);
	assert_int_equal(largest.end_ns, 2000 * (int64_t)MS);
}

TEST(a_task_that_slept_in_between_is_two_events)
{
	begin(4 * MS);
	become("7:0-5000 7:6000-9000", "0+5000..5000/1 6000+3000..9000/1");
}

TEST(an_interrupted_task_that_does_not_come_back_is_not_waited_for_long)
{
	begin(4 * MS);
	lose("7:0-5000!"); /* then moved to another CPU */
	events_flush(&e, 5 * MS + BURST_PAUSE_NS - 1);
	assert_string_equal(seen, "");
	events_flush(&e, 5 * MS + BURST_PAUSE_NS);
	assert_string_equal(seen, "0+5000..5000/1");
}
