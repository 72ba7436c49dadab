// SPDX-License-Identifier: GPL-3.0-or-later
/* attribution - record series played by hand; what each part must be split into was worked out on paper. */
#include "idleprofile/attribution.h"
#include "../unit.h"

#define LOOP 100
#define US INT64_C(1000)
#define MS INT64_C(1000000)

static struct culprit_share got[SHARES_MAX];
static size_t n;

static void off(struct attribution *w, int64_t at, enum trace_class class, int id)
{
	attribution_add_record(w, &(struct trace_record){ .time_ns = at, .kind = TRACE_EXIT, .class = class, .id = id });
}

static void on(struct attribution *w, int64_t at, enum trace_class class, int id, const char *name)
{
	struct trace_record r = { .time_ns = at, .kind = TRACE_ENTER, .class = class, .id = id };

	strncpy(r.name, name, sizeof(r.name) - 1);
	attribution_add_record(w, &r);
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

static const char classes[] = "ISTRC"; /* letters of enum trace_class */
static const char kinds[] = "?ISTRCU"; /* letters of the culprits, of tasks none */

static int number(const char *text)
{
	return *text == 'L' ? LOOP : atoi(text);
}

/* Times in `unit`, each with its record: L>7 the loop gives way to task 7, 7>8! that to task 8, and is still runnable; +I24:disk
 * and -I24 begin and end of interrupt 24; ? records were lost. */
static void play(struct attribution *w, int64_t unit, const char *records)
{
	static const char *const names[] = { [TRACE_TIMER] = "local timer", [TRACE_RESCHED] = "reschedule" };
	char word[40];
	double time;

	for (int length; sscanf(records, "%lf %39s%n", &time, word, &length) == 2; records += length) {
		int64_t at = (int64_t)(time * (double)unit + 0.5);
		enum trace_class class = (enum trace_class)(strchr(classes, word[1]) - classes);
		const char *name = strchr(word, ':');

		if (*word == '?')
			attribution_add_record(w, &(struct trace_record){ .time_ns = at, .kind = TRACE_LOST });
		else if (*word == '+')
			on(w, at, class, atoi(word + 2), name ? name + 1 : names[class]);
		else if (*word == '-')
			off(w, at, class, atoi(word + 2));
		else
			to(w, at, number(word), strchr(word, '!') || *word == 'L', number(strchr(word, '>') + 1));
	}
}

static void ask(struct attribution *w, int64_t start, int64_t end)
{
	int64_t sum = 0;

	n = attribution_split_gap(w, start, end, got, SHARES_MAX);
	for (size_t i = 0; i < n; i++)
		sum += got[i].ns;
	assert_int_equal(sum, end - start);
}

/* The shares of the gap must be `wanted`, largest first: "S:SCHED 5(2)" had 5, of which no record covers 2; "t7! 3" is still
 * runnable, "t7* 3" resumed; "; tick" and "; continues": what the gap is. */
static void split(struct attribution *w, int64_t unit, double start, double end, const char *wanted)
{
	char text[512] = "";

	ask(w, (int64_t)(start * (double)unit + 0.5), (int64_t)(end * (double)unit + 0.5));
	for (size_t i = 0; i < n; i++) {
		char kind[] = { kinds[got[i].kind], ':', '\0' };
		char *at = text + strlen(text);

		at += sprintf(at, "%s%s%s%s%s %g", i ? ", " : "", got[i].kind == CULPRIT_TASK ? "" : kind, got[i].name,
			      got[i].wants ? "!" : "", got[i].resumed ? "*" : "", (double)got[i].ns / (double)unit);
		if (got[i].residue_ns)
			sprintf(at, "(%g)", (double)got[i].residue_ns / (double)unit);
	}
	strcat(text, shares_are_tick(got, n) ? "; tick" : "");
	strcat(text, shares_continue_burst(got, n) ? "; continues" : "");
	assert_string_equal(text, wanted);
}

static int make(void **state)
{
	*state = attribution_new(LOOP);
	return *state ? 0 : -1;
}

static int drop(void **state)
{
	free(*state);
	return 0;
}

static struct attribution *begin(void **state)
{
	play(*state, 1, "0 1>L");
	return *state;
}

TEST_WITH(make, drop, a_tick)
{
	struct attribution *w = begin(state);

	play(w, US, "100 +T236 103 -T236 104 +S7:SCHED 106 -S7");
	/* The way in belongs to the timer, so does the microsecond behind it; the way out to the softirq before it. */
	split(w, US, 99, 108, "T:local timer 5(2), S:SCHED 4(2); tick");
	/* A hypervisor took the CPU, and the tick was due when it came back. */
	play(w, US, "10000 +T236 10003 -T236");
	split(w, US, 8000, 10004, "T:local timer 2004(2001)");
	/* More than a tick; no timer; nothing known. */
	play(w, US, "14000 +T236 14003 -T236 14004 +S3:NET_RX 14006 -S3 18000 +S7:SCHED 18003 -S7");
	split(w, US, 14000, 14007, "T:local timer 4(1), S:NET_RX 3(1)");
	split(w, US, 18000, 18003, "S:SCHED 3");
	split(w, US, 20000, 21000, "U:unexplained 1000(1000)");
}

TEST_WITH(make, drop, irq_in_softirq_in_task)
{
	struct attribution *w = begin(state);

	play(w, US, "10 L>7 30 +S3:NET_RX 35 +I24:virtio0 36 +R253 38 -R253 41 -I24 50 -S3 60 7>L");
	split(w, US, 10, 60, "t7 30, S:NET_RX 14, I:virtio0 4, R:reschedule 2");
	assert_int_equal(got[0].pid, 7);
	assert_int_equal(got[0].start_ns, 10 * US);
	assert_int_equal(got[0].end_ns, 60 * US);
	assert_int_equal(got[2].start_ns, 35 * US);
	assert_int_equal(got[2].end_ns, 41 * US);
}

TEST_WITH(make, drop, residue)
{
	struct attribution *w = begin(state);

	/* A task alone: the switches' own time is its, there is nobody else. */
	play(w, US, "11 L>7 20 7>L");
	split(w, US, 10, 22, "t7 12(3)");
	/* With an interrupt it is the interrupt's, before and behind. */
	play(w, US, "101 +T236 103 -T236 105 L>7 115 7>L");
	split(w, US, 100, 116, "t7 10, T:local timer 6(4)");
	/* Nothing at all: only this is unexplained. */
	split(w, US, 200, 5000, "U:unexplained 4800(4800)");
	assert_int_equal(got[0].start_ns, 200 * US);
	assert_int_equal(got[0].end_ns, 5 * MS);
}

TEST_WITH(make, drop, several_in_one_gap)
{
	struct attribution *w = begin(state);

	play(w, 1, "10 L>7 50 7>8! 150 8>7 200 7>9 205 9>L");
	split(w, 1, 10, 205, "t8 100, t7 90, t9 5"); /* all asleep in the end */
	/* Interrupts so close that the loop did not turn in between. */
	play(w, 1, "300 +I1:a 350 -I1 370 +I2:b 380 -I2 390 +I1:a 395 -I1");
	split(w, 1, 290, 400, "I:a 90(35), I:b 20(10)");
}

TEST_WITH(make, drop, a_burst_cut_by_the_scheduler)
{
	struct attribution *w = begin(state);

	/* 7's turn is over; it is done after another; and begins a new one */
	play(w, MS, "10 L>7 610 7>L! 612 +T236 612.003 -T236 614 L>7 700 7>L 710 L>7 720 7>L");
	split(w, MS, 10, 610, "t7! 600");
	split(w, MS, 612, 612.004, "T:local timer 0.004(0.001); tick"); /* no part of it */
	split(w, MS, 614, 700, "t7* 86; continues");
	split(w, MS, 710, 720, "t7 10");
}

/* It is the loop's own time that counts, not what another task had meanwhile. */
TEST_WITH(make, drop, a_slice_is_short)
{
	struct attribution *w = begin(state);

	/* after 15 ms of the loop; after 21 ms: it was elsewhere, or throttled */
	play(w, MS, "10 L>7 100 7>L! 105 L>8 305 8>L 315 L>7 400 7>L! 421 L>7 422 7>L");
	split(w, MS, 10, 100, "t7! 90");
	split(w, MS, 105, 305, "t8 200");
	split(w, MS, 315, 400, "t7!* 85; continues");
	split(w, MS, 421, 422, "t7 1");
}

TEST_WITH(make, drop, missing_exits)
{
	struct attribution *w = begin(state);

	/* The same interrupt again: it had ended somewhere. */
	play(w, US, "100 +T236");
	split(w, US, 99, 105, "T:local timer 6(1); tick");
	play(w, US, "4000 +T236 4002 -T236");
	split(w, US, 4000, 4002, "T:local timer 2; tick");
	/* An irq without an exit, and then parts that have nothing to do with it. */
	play(w, US, "5000 +I9:acpi");
	split(w, US, 5000, 5010, "I:acpi 10");
	split(w, US, 8000, 9000, "U:unexplained 1000(1000)");
	/* Exits of what never began change nothing. */
	play(w, US, "10000 L>7 11000 7>L 12000 -C251 13000 L>7 13500 -S1 14000 7>L");
	split(w, US, 10000, 11000, "t7 1000");
	split(w, US, 13000, 14000, "t7 1000");
	/* An inner exit that went missing ends with the outer one. */
	play(w, US, "15000 +S1:TIMER 15010 +I9:acpi 15030 -S1");
	split(w, US, 15000, 15030, "I:acpi 20, S:TIMER 10");
	split(w, US, 15200, 15300, "U:unexplained 100(100)");
	/* Softirqs do not nest. */
	play(w, US, "16000 +S1:TIMER 16020 +S9:RCU 16050 -S9");
	split(w, US, 16000, 16050, "S:RCU 30, S:TIMER 20");
	split(w, US, 16060, 16070, "U:unexplained 10(10)");
	/* An interrupt does not switch: its exit is missing, the task that comes is there. */
	play(w, US, "17000 +R253 17020 L>7 17100 7>L");
	split(w, US, 17000, 17100, "t7 80, R:reschedule 20");
}

TEST_WITH(make, drop, records_lost)
{
	struct attribution *w = begin(state);

	/* 7 left, the loop came back; it was 8 since nothing is lost any more */
	play(w, MS, "10 L>7 40 ? 50 8>L");
	split(w, MS, 35, 50, "t8 15(5)");
	/* The loop's own return was lost: the task did not run while the loop did. */
	play(w, MS, "60 L>7 70 ? 80 +T236 80.005 -T236");
	split(w, MS, 80, 80.005, "T:local timer 0.005; tick");
}

/* Lost without a word: a state that covers a part and the loop's time on both sides is not believed. */
TEST_WITH(make, drop, a_false_state_ends)
{
	struct attribution *w = begin(state);

	play(w, MS, "10 L>7");
	split(w, MS, 30, 31, "U:unexplained 1(1)");
	play(w, MS, "40 L>8 41 8>L");
	split(w, MS, 40, 41, "t8 1");
}

/* The kernel left a switch out: the time before the one that tells it is not given to who was there before. */
TEST_WITH(make, drop, a_switch_is_left_out)
{
	struct attribution *w = begin(state);

	play(w, MS, "1 L>7 2 7>L");
	assert_int_equal(w->missed, 0);
	/* Between two tasks: 7 gave way to 9 or to who knows whom. */
	play(w, MS, "10 L>7 40 7>8! 90 9>7 100 7>L");
	split(w, MS, 10, 100, "U:missed switch 50, t7 40");
	assert_int_equal(w->missed, 1);
	/* Back to the loop. */
	play(w, MS, "200 L>7 202 7>8! 300 L>9 301 9>L");
	split(w, MS, 200, 205, "U:missed switch 3, t7! 2");
	split(w, MS, 300, 301, "t9 1");
	assert_int_equal(w->missed, 2);
	/* Away from the loop; an interrupt whose end has no record either is not told to have had it. */
	play(w, MS, "405 7>8 406 8>L 500 L>7 501 +I9:acpi 510 8>L");
	split(w, MS, 400, 406, "U:missed switch 5, t8 1");
	split(w, MS, 500, 510, "U:missed switch 9, t7 1, I:acpi 0");
	assert_int_equal(w->missed, 4);
	/* After records were lost anything can follow anything. */
	play(w, MS, "600 ? 610 3>L");
	assert_int_equal(w->missed, 4);
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
	split(w, 10 * US, 0, (double)at / (double)(10 * US), "t7 200001, t8! 160000, T:local timer 40000");
	assert_int_equal(w->late, 0);
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
	play(w, 1, "16000 L>7 16100 7>8 16110 8>9 16130 9>L");
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

TEST_WITH(make, drop, asked_too_late)
{
	struct attribution *w = begin(state);

	for (int i = 0; i < 100000; i++) {
		on(w, i * MS, TRACE_TIMER, 236, "local timer");
		off(w, i * MS + US, TRACE_TIMER, 236);
	}
	split(w, MS, 5, 6, "U:unexplained 1(1)");
	assert_int_equal(w->late, 1);
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
	split(w, 1, 100, 150, "ours 50");
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
	split(w, 1, 200, 280, "foreign 80");
	assert_int_equal(got[0].pid, -5);
	free(w);
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
	split(w, 1, 10, 60, "cc1 50");
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
				attribution_add_record(w, &(struct trace_record){ .time_ns = when, .kind = TRACE_LOST });
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
