// SPDX-License-Identifier: GPL-3.0-or-later
/* attribution - record series played by hand; what each part must be split into was worked out on paper. */
#include "idleprofile/attribution.h"
#include "../unit.h"

#define LOOP 100
#define US INT64_C(1000)
#define MS INT64_C(1000000)

static struct culprit_share got[SHARES_MAX];
static size_t n;

static void lost(struct attribution *w, int64_t at)
{
	attribution_add_record(w, &(struct trace_record){ .time_ns = at, .kind = TRACE_LOST });
}

static void on(struct attribution *w, int64_t at, enum trace_class class, int id, const char *name)
{
	struct trace_record r = { .time_ns = at, .kind = TRACE_ENTER, .class = class, .id = id };

	strncpy(r.name, name, sizeof(r.name) - 1);
	attribution_add_record(w, &r);
}

static void off(struct attribution *w, int64_t at, enum trace_class class, int id)
{
	attribution_add_record(w, &(struct trace_record){ .time_ns = at, .kind = TRACE_EXIT, .class = class, .id = id });
}

/* In the initial pid namespace both ids are the same; task 7 is called "t7". */
static void to(struct attribution *w, int64_t at, int prev, bool wants, int next)
{
	struct trace_record r = { .time_ns = at,
				  .kind = TRACE_SWITCH,
				  .prev_pid = prev,
				  .prev_here = prev,
				  .next_pid = next,
				  .next_here = next,
				  .prev_wants = wants };

	r.prev_comm[0] = r.next_comm[0] = 't';
	r.prev_comm[1] = (char)('0' + prev % 10);
	r.next_comm[1] = (char)('0' + next % 10);
	attribution_add_record(w, &r);
}

static void ask(struct attribution *w, int64_t start, int64_t end)
{
	int64_t sum = 0;

	n = attribution_split_gap(w, start, end, got, SHARES_MAX);
	for (size_t i = 0; i < n; i++)
		sum += got[i].ns;
	assert_int_equal(sum, end - start);
}

static const struct culprit_share *share(enum culprit_kind kind, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (got[i].kind == kind && !strcmp(got[i].name, name))
			return &got[i];
	return NULL;
}

static void had(enum culprit_kind kind, const char *name, int64_t ns, int64_t residue)
{
	const struct culprit_share *s = share(kind, name);

	assert_non_null(s);
	assert_int_equal(s->ns, ns);
	assert_int_equal(s->residue_ns, residue);
}

static struct attribution *begin(void **state)
{
	struct attribution *w = *state;

	to(w, 0, 1, false, LOOP);
	return w;
}

static int make(void **state)
{
	*state = attribution_new(LOOP);
	return *state ? 0 : -1;
}

static int drop(void **state)
{
	attribution_free(*state);
	return 0;
}

TEST_WITH(make, drop, a_tick)
{
	struct attribution *w = begin(state);

	on(w, 100 * US, TRACE_TIMER, 236, "local timer");
	off(w, 103 * US, TRACE_TIMER, 236);
	on(w, 104 * US, TRACE_SOFTIRQ, 7, "SCHED");
	off(w, 106 * US, TRACE_SOFTIRQ, 7);
	ask(w, 99 * US, 108 * US);
	assert_int_equal(n, 2);
	/* The way in belongs to the timer, so does the microsecond behind it; the way out to the softirq before it. */
	had(CULPRIT_TIMER, "local timer", 5 * US, 2 * US);
	had(CULPRIT_SOFTIRQ, "SCHED", 4 * US, 2 * US);
	assert_false(shares_continue_burst(got, n));
	assert_true(shares_are_tick(got, n));
	/* A hypervisor took the CPU, and the tick was due when it came back. */
	on(w, 10 * MS, TRACE_TIMER, 236, "local timer");
	off(w, 10 * MS + 3 * US, TRACE_TIMER, 236);
	ask(w, 8 * MS, 10 * MS + 4 * US);
	had(CULPRIT_TIMER, "local timer", 2 * MS + 4 * US, 2 * MS + US);
	assert_false(shares_are_tick(got, n));
	/* More than a tick. */
	on(w, 14 * MS, TRACE_TIMER, 236, "local timer");
	off(w, 14 * MS + 3 * US, TRACE_TIMER, 236);
	on(w, 14 * MS + 4 * US, TRACE_SOFTIRQ, 3, "NET_RX");
	off(w, 14 * MS + 6 * US, TRACE_SOFTIRQ, 3);
	ask(w, 14 * MS, 14 * MS + 7 * US);
	assert_false(shares_are_tick(got, n));
	on(w, 18 * MS, TRACE_SOFTIRQ, 7, "SCHED");
	off(w, 18 * MS + 3 * US, TRACE_SOFTIRQ, 7);
	ask(w, 18 * MS, 18 * MS + 3 * US);
	assert_false(shares_are_tick(got, n)); /* no timer */
	ask(w, 20 * MS, 21 * MS);
	assert_false(shares_are_tick(got, n)); /* nothing known */
}

TEST_WITH(make, drop, irq_in_softirq_in_task)
{
	struct attribution *w = begin(state);

	to(w, 10 * US, LOOP, true, 7);
	on(w, 30 * US, TRACE_SOFTIRQ, 3, "NET_RX");
	on(w, 35 * US, TRACE_IRQ, 24, "virtio0");
	on(w, 36 * US, TRACE_RESCHED, 253, "reschedule");
	off(w, 38 * US, TRACE_RESCHED, 253);
	off(w, 41 * US, TRACE_IRQ, 24);
	off(w, 50 * US, TRACE_SOFTIRQ, 3);
	to(w, 60 * US, 7, false, LOOP);
	ask(w, 10 * US, 60 * US);
	assert_int_equal(n, 4);
	had(CULPRIT_TASK, "t7", 30 * US, 0);
	had(CULPRIT_SOFTIRQ, "NET_RX", 14 * US, 0);
	had(CULPRIT_IRQ, "virtio0", 4 * US, 0);
	had(CULPRIT_RESCHED, "reschedule", 2 * US, 0);
	assert_int_equal(share(CULPRIT_TASK, "t7")->pid, 7);
	assert_int_equal(share(CULPRIT_TASK, "t7")->start_ns, 10 * US);
	assert_int_equal(share(CULPRIT_TASK, "t7")->end_ns, 60 * US);
	assert_int_equal(share(CULPRIT_IRQ, "virtio0")->start_ns, 35 * US);
	assert_int_equal(share(CULPRIT_IRQ, "virtio0")->end_ns, 41 * US);
	assert_int_equal(got[0].kind, CULPRIT_TASK); /* largest first */
}

TEST_WITH(make, drop, residue)
{
	struct attribution *w = begin(state);

	/* A task alone: the switches' own time is its, there is nobody else. */
	to(w, 11 * US, LOOP, true, 7);
	to(w, 20 * US, 7, false, LOOP);
	ask(w, 10 * US, 22 * US);
	assert_int_equal(n, 1);
	had(CULPRIT_TASK, "t7", 12 * US, 3 * US);
	/* With an interrupt it is the interrupt's, before and behind. */
	on(w, 101 * US, TRACE_TIMER, 236, "local timer");
	off(w, 103 * US, TRACE_TIMER, 236);
	to(w, 105 * US, LOOP, true, 7);
	to(w, 115 * US, 7, false, LOOP);
	ask(w, 100 * US, 116 * US);
	had(CULPRIT_TIMER, "local timer", 6 * US, 4 * US);
	had(CULPRIT_TASK, "t7", 10 * US, 0);
	/* Nothing at all: only this is unexplained. */
	ask(w, 200 * US, 5 * MS);
	assert_int_equal(n, 1);
	had(CULPRIT_UNEXPLAINED, "unexplained", 5 * MS - 200 * US, 5 * MS - 200 * US);
	assert_int_equal(got[0].start_ns, 200 * US);
	assert_int_equal(got[0].end_ns, 5 * MS);
}

TEST_WITH(make, drop, tasks_among_themselves)
{
	struct attribution *w = begin(state);

	to(w, 10, LOOP, true, 7);
	to(w, 50, 7, true, 8);
	to(w, 150, 8, false, 7);
	to(w, 200, 7, false, 9);
	to(w, 205, 9, false, LOOP);
	ask(w, 10, 205);
	assert_int_equal(n, 3);
	had(CULPRIT_TASK, "t8", 100, 0);
	had(CULPRIT_TASK, "t7", 90, 0);
	had(CULPRIT_TASK, "t9", 5, 0);
	assert_false(share(CULPRIT_TASK, "t7")->wants); /* asleep in the end */
}

/* Two interrupts so close that the loop did not turn in between. */
TEST_WITH(make, drop, two_stretches_of_one_part)
{
	struct attribution *w = begin(state);

	on(w, 100, TRACE_IRQ, 1, "a");
	off(w, 150, TRACE_IRQ, 1);
	on(w, 170, TRACE_IRQ, 2, "b");
	off(w, 180, TRACE_IRQ, 2);
	on(w, 190, TRACE_IRQ, 1, "a");
	off(w, 195, TRACE_IRQ, 1);
	ask(w, 90, 200);
	assert_int_equal(n, 2);
	had(CULPRIT_IRQ, "a", 10 + 50 + 20 + 5 + 5, 10 + 20 + 5);
	had(CULPRIT_IRQ, "b", 10 + 10, 10);
}

TEST_WITH(make, drop, a_burst_cut_by_the_scheduler)
{
	struct attribution *w = begin(state);

	to(w, 10 * MS, LOOP, true, 7);
	to(w, 610 * MS, 7, true, LOOP); /* its turn is over */
	on(w, 612 * MS, TRACE_TIMER, 236, "local timer");
	off(w, 612 * MS + 3 * US, TRACE_TIMER, 236);
	to(w, 614 * MS, LOOP, true, 7);
	to(w, 700 * MS, 7, false, LOOP); /* done */
	to(w, 710 * MS, LOOP, true, 7);	 /* a new one */
	to(w, 720 * MS, 7, false, LOOP);
	ask(w, 10 * MS, 610 * MS);
	assert_true(share(CULPRIT_TASK, "t7")->wants);
	assert_false(share(CULPRIT_TASK, "t7")->resumed);
	assert_false(shares_continue_burst(got, n));
	ask(w, 612 * MS, 612 * MS + 4 * US);
	assert_false(shares_continue_burst(got, n)); /* a tick is no part of it */
	ask(w, 614 * MS, 700 * MS);
	assert_true(shares_continue_burst(got, n));
	assert_true(share(CULPRIT_TASK, "t7")->resumed);
	assert_false(share(CULPRIT_TASK, "t7")->wants);
	ask(w, 710 * MS, 720 * MS);
	assert_false(shares_continue_burst(got, n));
}

/* It is the loop's own time that counts, not what another task had meanwhile. */
TEST_WITH(make, drop, a_slice_is_short)
{
	struct attribution *w = begin(state);

	to(w, 10 * MS, LOOP, true, 7);
	to(w, 100 * MS, 7, true, LOOP);
	to(w, 105 * MS, LOOP, true, 8);
	to(w, 305 * MS, 8, false, LOOP);
	to(w, 315 * MS, LOOP, true, 7); /* 15 ms of the loop later */
	to(w, 400 * MS, 7, true, LOOP);
	to(w, 421 * MS, LOOP, true, 7); /* 21 ms: it was elsewhere, or throttled */
	to(w, 422 * MS, 7, false, LOOP);
	ask(w, 10 * MS, 100 * MS);
	ask(w, 105 * MS, 305 * MS);
	assert_false(shares_continue_burst(got, n));
	ask(w, 315 * MS, 400 * MS);
	assert_true(shares_continue_burst(got, n));
	ask(w, 421 * MS, 422 * MS);
	assert_false(shares_continue_burst(got, n));
}

TEST_WITH(make, drop, missing_exits)
{
	struct attribution *w = begin(state);

	/* The same interrupt again: it had ended somewhere. */
	on(w, 100 * US, TRACE_TIMER, 236, "local timer");
	ask(w, 99 * US, 105 * US);
	had(CULPRIT_TIMER, "local timer", 6 * US, US);
	on(w, 4 * MS, TRACE_TIMER, 236, "local timer");
	off(w, 4 * MS + 2 * US, TRACE_TIMER, 236);
	ask(w, 4 * MS, 4 * MS + 2 * US);
	assert_int_equal(n, 1);
	/* An irq without an exit, and then parts that have nothing to do with it. */
	on(w, 5 * MS, TRACE_IRQ, 9, "acpi");
	ask(w, 5 * MS, 5 * MS + 10 * US);
	had(CULPRIT_IRQ, "acpi", 10 * US, 0);
	ask(w, 8 * MS, 9 * MS);
	had(CULPRIT_UNEXPLAINED, "unexplained", MS, MS);
	to(w, 10 * MS, LOOP, true, 7);
	to(w, 11 * MS, 7, false, LOOP);
	ask(w, 10 * MS, 11 * MS);
	had(CULPRIT_TASK, "t7", MS, 0);
	/* Exits of what never began change nothing. */
	off(w, 12 * MS, TRACE_CALL, 251);
	to(w, 13 * MS, LOOP, true, 7);
	off(w, 13 * MS + 500 * US, TRACE_SOFTIRQ, 1);
	to(w, 14 * MS, 7, false, LOOP);
	ask(w, 13 * MS, 14 * MS);
	assert_int_equal(n, 1);
	had(CULPRIT_TASK, "t7", MS, 0);
}

/* An inner exit that went missing ends with the outer one. */
TEST_WITH(make, drop, inner_exit_missing)
{
	struct attribution *w = begin(state);

	on(w, 100, TRACE_SOFTIRQ, 1, "TIMER");
	on(w, 110, TRACE_IRQ, 9, "acpi");
	off(w, 130, TRACE_SOFTIRQ, 1);
	ask(w, 100, 130);
	had(CULPRIT_SOFTIRQ, "TIMER", 10, 0);
	had(CULPRIT_IRQ, "acpi", 20, 0);
	ask(w, 200, 300);
	had(CULPRIT_UNEXPLAINED, "unexplained", 100, 100);
}

TEST_WITH(make, drop, softirqs_do_not_nest)
{
	struct attribution *w = begin(state);

	on(w, 100, TRACE_SOFTIRQ, 1, "TIMER");
	on(w, 120, TRACE_SOFTIRQ, 9, "RCU");
	off(w, 150, TRACE_SOFTIRQ, 9);
	ask(w, 100, 150);
	had(CULPRIT_SOFTIRQ, "TIMER", 20, 0);
	had(CULPRIT_SOFTIRQ, "RCU", 30, 0);
	ask(w, 160, 170);
	had(CULPRIT_UNEXPLAINED, "unexplained", 10, 10);
}

/* An interrupt does not switch: its exit is missing, the task that comes is there. */
TEST_WITH(make, drop, switch_inside)
{
	struct attribution *w = begin(state);

	on(w, 100, TRACE_RESCHED, 253, "reschedule");
	to(w, 120, LOOP, true, 7);
	to(w, 200, 7, false, LOOP);
	ask(w, 100, 200);
	had(CULPRIT_TASK, "t7", 80, 0);
	assert_int_equal(share(CULPRIT_RESCHED, "reschedule")->ns, 20);
}

TEST_WITH(make, drop, records_lost)
{
	struct attribution *w = begin(state);

	to(w, 10 * MS, LOOP, true, 7);
	/* ... here it left, came back, and the loop ran ... */
	lost(w, 40 * MS);
	to(w, 50 * MS, 8, false, LOOP); /* it was 8 since nothing is lost any more */
	ask(w, 35 * MS, 50 * MS);
	assert_int_equal(share(CULPRIT_TASK, "t8")->ns, 15 * MS);
	assert_int_equal(share(CULPRIT_TASK, "t8")->residue_ns, 5 * MS);
	assert_null(share(CULPRIT_TASK, "t7"));
	/* The loop's own return was lost: the task did not run while the loop did. */
	to(w, 60 * MS, LOOP, true, 7);
	lost(w, 70 * MS);
	on(w, 80 * MS, TRACE_TIMER, 236, "local timer");
	off(w, 80 * MS + 5 * US, TRACE_TIMER, 236);
	ask(w, 80 * MS, 80 * MS + 5 * US);
	assert_int_equal(n, 1);
	had(CULPRIT_TIMER, "local timer", 5 * US, 0);
}

/* Lost without a word: a state that covers a part and the loop's time on both sides is not believed. */
TEST_WITH(make, drop, a_false_state_ends)
{
	struct attribution *w = begin(state);

	to(w, 10 * MS, LOOP, true, 7);
	ask(w, 30 * MS, 31 * MS);
	had(CULPRIT_UNEXPLAINED, "unexplained", MS, MS);
	to(w, 40 * MS, LOOP, true, 8);
	to(w, 41 * MS, 8, false, LOOP);
	ask(w, 40 * MS, 41 * MS);
	had(CULPRIT_TASK, "t8", MS, 0);
}

/* The kernel left a switch out: the time before the one that tells it is not given to who was there before. */
TEST_WITH(make, drop, a_switch_is_left_out)
{
	struct attribution *w = begin(state);

	to(w, MS, LOOP, true, 7);
	to(w, 2 * MS, 7, false, LOOP);
	assert_int_equal(attribution_missed_switches(w), 0);
	/* Between two tasks: 7 gave way to 9 or to who knows whom. */
	to(w, 10 * MS, LOOP, true, 7);
	to(w, 40 * MS, 7, true, 8);
	to(w, 90 * MS, 9, false, 7);
	to(w, 100 * MS, 7, false, LOOP);
	ask(w, 10 * MS, 100 * MS);
	assert_int_equal(n, 2);
	had(CULPRIT_TASK, "t7", 40 * MS, 0);
	had(CULPRIT_UNEXPLAINED, MISSED_SWITCH_NAME, 50 * MS, 0);
	assert_int_equal(attribution_missed_switches(w), 1);
	/* Back to the loop. */
	to(w, 200 * MS, LOOP, true, 7);
	to(w, 202 * MS, 7, true, 8);
	to(w, 300 * MS, LOOP, true, 9);
	to(w, 301 * MS, 9, false, LOOP);
	ask(w, 200 * MS, 205 * MS);
	assert_int_equal(n, 2);
	had(CULPRIT_TASK, "t7", 2 * MS, 0);
	had(CULPRIT_UNEXPLAINED, MISSED_SWITCH_NAME, 3 * MS, 0);
	ask(w, 300 * MS, 301 * MS);
	assert_int_equal(n, 1);
	had(CULPRIT_TASK, "t9", MS, 0);
	assert_int_equal(attribution_missed_switches(w), 2);
	/* Away from the loop; an interrupt whose end has no record either is not told to have had it. */
	to(w, 405 * MS, 7, false, 8);
	to(w, 406 * MS, 8, false, LOOP);
	ask(w, 400 * MS, 406 * MS);
	assert_int_equal(n, 2);
	had(CULPRIT_UNEXPLAINED, MISSED_SWITCH_NAME, 5 * MS, 0);
	had(CULPRIT_TASK, "t8", MS, 0);
	assert_false(shares_are_tick(got, n));
	to(w, 500 * MS, LOOP, true, 7);
	on(w, 501 * MS, TRACE_IRQ, 9, "acpi");
	to(w, 510 * MS, 8, false, LOOP);
	ask(w, 500 * MS, 510 * MS);
	had(CULPRIT_TASK, "t7", MS, 0);
	had(CULPRIT_UNEXPLAINED, MISSED_SWITCH_NAME, 9 * MS, 0);
	assert_int_equal(attribution_missed_switches(w), 4);
	/* After records were lost anything can follow anything. */
	lost(w, 600 * MS);
	to(w, 610 * MS, 3, false, LOOP);
	assert_int_equal(attribution_missed_switches(w), 4);
}

/* The two clocks differ by a little: what sticks out is cut, the sum stays exact. */
TEST_WITH(make, drop, across_the_edges)
{
	struct attribution *w = begin(state);

	to(w, 100 * US - 300, LOOP, true, 7);
	on(w, 110 * US, TRACE_IRQ, 1, "disk");
	off(w, 120 * US, TRACE_IRQ, 1);
	to(w, 200 * US + 400, 7, false, LOOP);
	ask(w, 100 * US, 200 * US);
	assert_int_equal(n, 2);
	assert_in_range(share(CULPRIT_TASK, "t7")->ns, 89 * US, 91 * US);
	assert_in_range(share(CULPRIT_IRQ, "disk")->ns, 9 * US, 11 * US);
	assert_int_equal(share(CULPRIT_TASK, "t7")->start_ns, 100 * US);
	assert_int_equal(share(CULPRIT_TASK, "t7")->end_ns, 200 * US);
}

/* Four seconds of two tasks taking turns are two shares, however many switches. */
TEST_WITH(make, drop, bounded_within_a_part)
{
	struct attribution *w = begin(state);
	int64_t at = 0;

	to(w, at, LOOP, true, 7);
	for (int i = 0; i < 200000; i++) {
		to(w, at += 10 * US, 7, true, 8);
		on(w, at + US, TRACE_TIMER, 236, "local timer");
		off(w, at + 3 * US, TRACE_TIMER, 236);
		to(w, at += 10 * US, 8, true, 7);
	}
	to(w, at += 10 * US, 7, false, LOOP);
	ask(w, 0, at);
	assert_int_equal(n, 3);
	had(CULPRIT_TASK, "t7", 200001 * 10 * US, 0);
	had(CULPRIT_TASK, "t8", 200000 * 8 * US, 0);
	had(CULPRIT_TIMER, "local timer", 200000 * 2 * US, 0);
	assert_int_equal(attribution_late_gaps(w), 0);
}

TEST_WITH(make, drop, many_culprits)
{
	struct attribution *w = begin(state);
	int64_t others = 0;

	to(w, 0, LOOP, true, 1000);
	for (int i = 0; i < 500; i++)
		to(w, 10 + 10 * i, 1000 + i, false, 1001 + i);
	to(w, 5010, 1500, false, LOOP);
	ask(w, 0, 5010);
	for (size_t i = 0; i < n; i++)
		if (!strcmp(got[i].name, "others"))
			others += got[i].ns;
	assert_int_equal(others, 5010 - 10 * (int64_t)(n - 1));
	assert_in_range(n, 20, SHARES_MAX);
	/* The one that matters is named however late it comes. */
	to(w, 5100, LOOP, true, 1000);
	for (int i = 0; i < 500; i++) {
		int64_t at = 5110 + 10 * i + (i > 450 ? 1000 : 0);

		to(w, at, 1000 + i, false, 1001 + i);
		on(w, at + 1, TRACE_IRQ, i, ""); /* which take its place at once, and give it back */
		off(w, at + 2, TRACE_IRQ, i);
	}
	to(w, 12000, 1500, false, LOOP);
	ask(w, 5100, 12000);
	assert_int_equal(got[1].pid, 1451);
	assert_in_range(got[1].ns, 1008, 1010);
	assert_string_equal(got[1].name, "t1");
	/* Fewer places than culprits: the sum holds, the largest stands first. */
	to(w, 16000, LOOP, true, 7);
	to(w, 16100, 7, false, 8);
	to(w, 16110, 8, false, 9);
	to(w, 16130, 9, false, LOOP);
	n = attribution_split_gap(w, 16000, 16130, got, 2);
	assert_int_equal(n, 2);
	assert_int_equal(got[0].ns, 100);
	assert_int_equal(got[1].ns, 30);
	assert_string_equal(got[1].name, "others");
	assert_int_equal(attribution_split_gap(w, 16200, 16210, got, 0), 0);
}

/* Short slices between those of ever others who have more. */
TEST_WITH(make, drop, cut_among_many_culprits)
{
	struct attribution *w = begin(state);
	int64_t at = 0;
	size_t i = 0;

	to(w, at, LOOP, true, 1000);
	for (int other = 1000; other < 1500; other++)
		to(w, at += 20, other, false, other + 1);
	to(w, at += 20, 1500, false, 7);
	for (int other = 2000; other < 2500; other++) {
		to(w, at += 10, 7, true, other);
		to(w, at += 20, other, false, 7);
	}
	to(w, at += 10, 7, false, LOOP);
	ask(w, 0, at);
	while (i < n && got[i].pid != 7)
		i++;
	assert_in_range(i, 0, n - 1);
	assert_int_equal(got[i].ns, 501 * 10);
}

/* Stretches with culprits of their own, each with few enough of them, in one part: together too many. */
TEST_WITH(make, drop, many_culprits_of_many_stretches)
{
	struct attribution *w = begin(state);
	int64_t at = 0, others = 0, rows = 0;

	for (int stretch = 0; stretch < 4; stretch++) {
		to(w, at, LOOP, true, 1000 + 20 * stretch);
		for (int i = 0; i < 19; i++)
			to(w, at += 10, 1000 + 20 * stretch + i, false, 1001 + 20 * stretch + i);
		to(w, at += 10, 1019 + 20 * stretch, false, LOOP);
	}
	ask(w, 0, at);
	assert_in_range(n, 20, SHARES_MAX);
	for (size_t i = 0; i < n; i++) {
		rows += !strcmp(got[i].name, "others");
		others += strcmp(got[i].name, "others") ? 0 : got[i].ns;
	}
	assert_int_equal(others, at - 10 * ((int64_t)n - rows));
}

/* Parts below the loop's threshold are never asked for: they make no leak and no lie. */
TEST_WITH(make, drop, never_asked_for)
{
	struct attribution *w = begin(state);
	int64_t at = MS;

	for (int i = 0; i < 100000; i++, at += MS) {
		on(w, at, TRACE_TIMER, 236, "local timer");
		off(w, at + US, TRACE_TIMER, 236);
	}
	to(w, at, LOOP, true, 7);
	to(w, at + MS, 7, false, LOOP);
	ask(w, at, at + MS);
	assert_int_equal(n, 1);
	had(CULPRIT_TASK, "t7", MS, 0);
	assert_int_equal(attribution_late_gaps(w), 0);
	attribution_split_gap(w, at + MS, at + 2 * MS, got, SHARES_MAX);
	assert_int_equal(attribution_late_gaps(w), 0);
}

TEST_WITH(make, drop, asked_too_late)
{
	struct attribution *w = begin(state);

	for (int i = 0; i < 100000; i++) {
		on(w, i * MS, TRACE_TIMER, 236, "local timer");
		off(w, i * MS + US, TRACE_TIMER, 236);
	}
	ask(w, 5 * MS, 6 * MS);
	had(CULPRIT_UNEXPLAINED, "unexplained", MS, MS);
	assert_int_equal(attribution_late_gaps(w), 1);
}

/* In a pid namespace of a lab: the loop is 5 there and 4005 outside, another session's task is not visible. */
TEST(two_pid_namespaces)
{
	struct attribution *w = attribution_new(5);
	struct trace_record out = { .kind = TRACE_SWITCH, .prev_pid = 4005, .prev_here = 5, .next_pid = 4242, .next_comm = "ours" };
	struct trace_record back = { .kind = TRACE_SWITCH,
				     .prev_pid = 4242,
				     .prev_here = 42,
				     .prev_comm = "ours",
				     .next_pid = 4005,
				     .next_comm = "idleprofile" };

	/* Thread 5 of the initial namespace is somebody else. */
	back.time_ns = 10; /* back to the loop, which nobody knows yet */
	attribution_add_record(w, &back);
	out.time_ns = 100;
	attribution_add_record(w, &out);
	back.time_ns = 150;
	attribution_add_record(w, &back);
	ask(w, 100, 150);
	assert_int_equal(n, 1);
	had(CULPRIT_TASK, "ours", 50, 0);
	assert_int_equal(got[0].pid, 42);
	out.time_ns = 200;
	out.next_pid = 5;
	strcpy(out.next_comm, "foreign");
	attribution_add_record(w, &out);
	back.time_ns = 280;
	back.prev_pid = 5;
	back.prev_here = 0;
	strcpy(back.prev_comm, "foreign");
	attribution_add_record(w, &back);
	ask(w, 200, 280);
	assert_int_equal(n, 1);
	had(CULPRIT_TASK, "foreign", 80, 0);
	assert_int_equal(got[0].pid, -5);
	attribution_free(w);
}

/* A new name under way: a shell that becomes a compiler. */
TEST_WITH(make, drop, latest_name)
{
	struct attribution *w = begin(state);

	to(w, 10, LOOP, true, 7);
	attribution_add_record(w, &(struct trace_record){ .time_ns = 60,
							  .kind = TRACE_SWITCH,
							  .prev_pid = 7,
							  .prev_here = 7,
							  .prev_comm = "cc1",
							  .next_pid = LOOP,
							  .next_here = LOOP });
	ask(w, 10, 60);
	had(CULPRIT_TASK, "cc1", 50, 0);
}

static uint32_t seed = 12345;

static uint32_t roll(uint32_t below)
{
	seed = seed * 1664525 + 1013904223;
	return (seed >> 8) % below;
}

/* Whatever comes in whatever order: no crash, the sums stay exact, nothing negative, each culprit once. */
TEST_WITH(make, drop, anything)
{
	struct attribution *w = *state;
	int64_t at = 0, asked = 0;

	for (int i = 0; i < 400000; i++) {
		int64_t when = at - roll(50);
		static const char *const names[] = { "", "a", "b", "a name of 23 characters" };

		at += roll(10) ? roll(30) : roll(40 * MS);
		switch (roll(8)) {
		case 0:
		case 1: on(w, when, (enum trace_class)roll(5), (int)roll(4) - 1, names[roll(4)]); break;
		case 2:
		case 3: off(w, when, (enum trace_class)roll(5), (int)roll(4) - 1); break;
		case 4:
			if (!roll(20))
				lost(w, when);
			break;
		case 5:
			if (asked < at) {
				int64_t from = asked + roll((uint32_t)(at - asked < 1000 ? at - asked + 1 : 1000));

				if (from >= at)
					break;
				asked = from + 1 + roll((uint32_t)(at - from < INT32_MAX ? at - from : INT32_MAX));
				ask(w, from, asked);
				for (size_t k = 0; k < n; k++) {
					assert_true(got[k].ns >= 0 && got[k].residue_ns >= 0);
					assert_true(got[k].residue_ns <= got[k].ns);
					assert_true(got[k].name[0]);
					assert_true(!k || got[k - 1].ns >= got[k].ns);
					for (size_t j = 0; j < k; j++)
						assert_false(got[j].kind == got[k].kind && got[j].pid == got[k].pid &&
							     !strcmp(got[j].name, got[k].name));
				}
			}
			break;
		default: to(w, when, roll(3) ? LOOP : (int)roll(60), roll(2), roll(3) ? (int)roll(60) : LOOP);
		}
	}
}
