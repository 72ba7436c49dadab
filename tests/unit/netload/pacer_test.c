// SPDX-License-Identifier: GPL-3.0-or-later
/* beat - the schedule of netload: nothing early, nothing lost but what is given up, no flood after
 * a stall; and its small helpers. */
#include "clock.h"
#include "netload/pacer.h"
#include "netload/load.h"
#include "../unit.h"

#define FRAME (1514 * 8)
#define START (77 * NS_PER_S)

/* Asks at every wake-up, `late_ns` after it; returns the frames that went up to the end. */
static int64_t play(struct pacer *b, int64_t from_ns, int64_t to_ns, int64_t late_ns)
{
	int64_t sent = 0, wake;

	for (int64_t now = from_ns; now<to_ns; now = wake> now ? wake + late_ns : now) {
		int64_t n = pacer_take_due(b, now, &wake);

		pacer_count_done(b, n);
		sent += n;
	}
	return sent;
}

/* 10 Mbit/s in frames of 1,514 bytes: one each 1.2112 ms, 825.6 a second. */
TEST(ten_megabits_are_a_frame_each_millisecond_and_a_fifth)
{
	struct pacer b;
	int64_t wake;

	pacer_start(&b, 10000000, FRAME, 500 * NS_PER_US, 50 * NS_PER_MS, START);
	assert_int_equal(b.batch, 1);
	assert_int_equal(pacer_due_ns(&b, 1) - START, 1211200);
	assert_int_equal(pacer_due_ns(&b, 1000000) - START, 1211200000000);
	assert_int_equal(pacer_take_due(&b, START, &wake), 1);
	pacer_count_done(&b, 1);
	assert_int_equal(pacer_take_due(&b, START + 1211199, &wake), 0);
	assert_int_equal(wake, START + 1211200);
	assert_int_equal(pacer_take_due(&b, START + 1211200, &wake), 1);
}

TEST(every_second_has_its_frames_at_any_rate)
{
	static const int64_t rates[] = { 1000000, 5000000, 9600000, 50000000, 96000000, 1000000000, 40000000000 };

	for (size_t r = 0; r < sizeof(rates) / sizeof(*rates); r++) {
		struct pacer b;
		double want = (double)rates[r] / FRAME;

		pacer_start(&b, rates[r], FRAME, 500 * NS_PER_US, 50 * NS_PER_MS, START);
		for (int s = 0; s < 5; s++) {
			int64_t n = play(&b, START + s * NS_PER_S, START + (s + 1) * NS_PER_S, 0);

			assert_true((double)n > want - (double)b.batch - 1 && (double)n < want + (double)b.batch + 1);
		}
		assert_int_equal(b.given_up, 0);
		/* no drift: the total is the schedule's to the batch */
		assert_true(pacer_frames_due(&b, START + 5 * NS_PER_S - 1) - b.done <= b.batch);
	}
}

/* Woken late each time, by less than a fifth of a batch, it loses nothing. */
TEST(waking_late_is_no_drift)
{
	struct pacer b;
	int64_t n;

	pacer_start(&b, 96000000, FRAME, 500 * NS_PER_US, 50 * NS_PER_MS, START);
	assert_int_equal(b.batch, 3);
	n = play(&b, START, START + 10 * NS_PER_S, 70 * NS_PER_US);
	assert_true(n >= 79260 && n <= 79264); /* 96e6 * 10 / 12112 = 79260.2 */
	assert_int_equal(b.behind_ns, 70 * NS_PER_US);
}

/* 30 ms without a turn: all is made up for, by sending a quarter faster and no more than that. */
TEST(a_stall_is_made_up_for_without_a_flood)
{
	struct pacer b;
	int64_t n, burst;

	pacer_start(&b, 10000000, FRAME, 500 * NS_PER_US, 50 * NS_PER_MS, START);
	n = play(&b, START, START + NS_PER_S, 0);
	burst = play(&b, START + NS_PER_S + 30 * NS_PER_MS, START + NS_PER_S + 130 * NS_PER_MS, 0);
	/* in 100 ms 82.6 frames are due; a quarter more are 103.2; and 2 ms at once are 1.7 times 1.25 */
	assert_true(burst >= 102 && burst <= 107);
	n += burst + play(&b, START + NS_PER_S + 130 * NS_PER_MS, START + 2 * NS_PER_S, 0);
	assert_true(n >= 1651 && n <= 1652); /* 825.6 * 2 */
	assert_int_equal(b.given_up, 0);
	assert_true(b.behind_ns > 28 * NS_PER_MS && b.behind_ns <= 30 * NS_PER_MS);
}

/* After 500 ms, 450 are given up and 50 made up for; what is given up and what is sent is all there was. */
TEST(what_is_too_late_is_given_up_and_counted)
{
	struct pacer b;
	int64_t n;

	pacer_start(&b, 10000000, FRAME, 500 * NS_PER_US, 50 * NS_PER_MS, START);
	n = play(&b, START, START + NS_PER_S, 0);
	n += play(&b, START + 3 * NS_PER_S / 2, START + 3 * NS_PER_S, 0);
	assert_true(b.given_up >= 371 && b.given_up <= 373); /* 450 ms * 825.6 */
	assert_in_range(n + b.given_up, 2476, 2478);
	assert_int_equal(n + b.given_up, b.done);
}

/* Every second has its frames; within it distances are exponential: mean and standard deviation alike, and a share of 1/e
 * is longer than the mean. */
TEST(at_random_it_is_a_poisson_process_from_near)
{
	static int64_t room[PACER_BLOCK_MAX];
	int64_t n = 0, last = START, longer = 0;
	double sum = 0, squares = 0, mean;
	struct pacer b;

	pacer_start(&b, 96000000, FRAME, 500 * NS_PER_US, 50 * NS_PER_MS, START);
	pacer_use_random(&b, 7, room);
	assert_int_equal(b.block, 7926);
	for (int64_t wake = START, now = START; now < START + 10 * NS_PER_S; now = wake) {
		int64_t due = pacer_due_ns(&b, b.done);

		if (!pacer_take_due(&b, now, &wake))
			continue;
		assert_true(due <= now && due >= last);
		assert_int_equal(pacer_frames_due(&b, due) > b.done, 1);
		assert_int_equal(pacer_frames_due(&b, due - 1) <= b.done, 1);
		pacer_count_done(&b, 1);
		sum += (double)(due - last);
		squares += (double)(due - last) * (double)(due - last);
		longer += due - last > 126167;
		last = due;
		n++;
	}
	assert_in_range(n, 79240, 79280);
	assert_int_equal(b.given_up, 0);
	mean = sum / (double)n;
	assert_true(mean > 126000 && mean < 126300);
	/* the squares of an exponential: twice that of the mean; four standard errors are 6 % */
	assert_true(squares / (double)n > 1.88 * mean * mean && squares / (double)n < 2.12 * mean * mean);
	assert_true((double)longer / (double)n > 0.361 && (double)longer / (double)n < 0.375);
}

TEST(a_burst_holds_what_is_due_in_its_time)
{
	assert_int_equal(load_burst_bytes(&(struct load_cfg){ .rate = 5000000000, .burst_ns = 500000 }), 312500);
	assert_int_equal(load_burst_bytes(&(struct load_cfg){ .burst_ns = 500000 }), 0);
}

TEST(small_rates_have_smaller_frames)
{
	assert_int_equal(load_header_bytes(false, false, true), 66);
	assert_int_equal(load_header_bytes(false, true, false), 74);
	assert_int_equal(load_header_bytes(true, false, true), 42);
	assert_int_equal(load_payload_bytes(0, 66, 1448), 1448);
	assert_int_equal(load_payload_bytes(10000000, 66, 1448), 1448);
	/* 1 Mbit/s: 312 bytes on the wire, 400 of them a second */
	assert_int_equal(load_payload_bytes(1000000, 66, 1448), 246);
	assert_int_equal(load_payload_bytes(1000, 66, 1448), 64);
}

TEST(seconds_are_read_late_and_still_right)
{
	struct second_range s;

	second_range_start(&s, START, 500);
	second_range_close(&s, START + NS_PER_S - 1, 1000);
	assert_int_equal(s.seconds, 0);
	assert_int_equal(s.low, -1);
	second_range_close(&s, START + NS_PER_S, 1500);
	second_range_close(&s, START + 7 * NS_PER_S / 2, 1500 + 5000); /* 2.5 s long */
	second_range_close(&s, START + 9 * NS_PER_S / 2, 6500 + 100);
	assert_int_equal(s.seconds, 4);
	assert_int_equal(s.low, 0); /* in 2.5 s without a look nothing was sent for a second */
	assert_int_equal(s.high, 2000);
}

TEST(what_the_end_finds_unsent_is_given_up)
{
	struct pacer b;

	pacer_start(&b, 8000, 800, NS_PER_MS, 100 * NS_PER_MS, START); /* ten frames a second, from 0 s on */
	pacer_count_done(&b, 7);
	pacer_give_up_rest(&b, START + NS_PER_S - 1);
	assert_int_equal(b.given_up, 3);
	assert_int_equal(b.done, 10);
	pacer_give_up_rest(&b, START + NS_PER_S - 1);
	assert_int_equal(b.given_up, 3);
}

TEST(datagrams_are_lost_late_or_double)
{
	static const uint64_t order[] = { 0, 1, 3, 2, 2, 9, 9, 5, 10000, 10001, 5905, 5906, 10000 };
	struct stream_arrivals a = { 0 };
	int64_t new = 0;

	for (size_t i = 0; i < sizeof(order) / sizeof(*order); i++)
		new += arrivals_add_datagram(&a, order[i]) == SEQ_NEW;
	/* 2, 5 and 5906 out of order; 2, 9 and 10000 twice; 5905 is older than the window, and taken for reordered */
	assert_int_equal(a.got, 10);
	assert_int_equal(new, 10);
	assert_int_equal(a.reordered, 4);
	assert_int_equal(a.duplicate, 3);
	assert_int_equal(a.next, 10002);
	assert_int_equal(arrivals_add_datagram(&a, UINT64_MAX), SEQ_FOREIGN);
	assert_int_equal(arrivals_add_datagram(&a, (uint64_t)a.next + SEQ_JUMP_MAX + 1), SEQ_FOREIGN);
	assert_int_equal(arrivals_add_datagram(&a, INT64_MAX), SEQ_FOREIGN);
	assert_int_equal(a.got, 10);
}
