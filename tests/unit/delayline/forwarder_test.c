// SPDX-License-Identifier: GPL-3.0-or-later
/* forwarder - the time that a frame waited before it was read is bounded. Socket pairs stand for the interfaces. And percentiles of
 * a count by microseconds, from a run of any length. */
#include "clock.h"
#include "proc.h"
#include "../unit.h"
#include "delayline/delayline.h"

#include <math.h>
#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>

static struct tap_forwarder line;
static int far[2];

static int open_line(void **state)
{
	const struct link_settings cfg = { 0 };

	memset(&line, 0, sizeof(line));
	line.queue = delay_queue_new(16);
	for (int i = 0; i < 2; i++) {
		int pair[2];

		assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK, 0, pair), 0);
		line.ends[i].fd = pair[0];
		far[i] = pair[1];
		link_path_init(&line.way[i].path, &cfg, 1);
	}
	forwarder_init(&line);
	return 0;
}

static int close_line(void **state)
{
	for (int i = 0; i < 2; i++) {
		close(line.ends[i].fd);
		close(far[i]);
	}
	close(line.schedstat);
	delay_queue_free(line.queue);
	return 0;
}

static void run_until_frames(int64_t n)
{
	sigset_t none;

	sigemptyset(&none);
	while (line.unseen.n < n)
		forwarder_run_once(&line, -1, INT64_MAX, &none);
}

static void *send_frame(void *arg)
{
	clock_sleep(clock_now() + 200 * NS_PER_MS);
	assert_int_equal(write(far[0], "frame", 6), 6);
	return NULL;
}

TEST_WITH(open_line, close_line, a_frame_that_waits_for_a_stalled_program)
{
	assert_int_equal(write(far[0], "first", 6), 6);
	run_until_frames(1);
	assert_int_equal(write(far[0], "second", 7), 7);
	clock_sleep(clock_now() + 300 * NS_PER_MS); /* an order that takes so long, say */
	run_until_frames(2);
	assert_true(line.unseen.max_ns >= 300 * NS_PER_MS);
}

TEST_WITH(open_line, close_line, a_frame_that_wakes_a_sleeping_program)
{
	struct proc_schedstat before, after;
	pthread_t sender;

	if (line.waited_ns < 0 || proc_read_schedstat((pid_t)gettid(), &before)) /* only the last look is known */
		skip();
	assert_int_equal(pthread_create(&sender, NULL, send_frame, NULL), 0);
	run_until_frames(1);
	proc_read_schedstat((pid_t)gettid(), &after);
	pthread_join(sender, NULL);
	assert_true(line.unseen.max_ns < 5 * NS_PER_MS + after.wait_ns - before.wait_ns);
}

/* --- percentiles --- */

static struct delay_hist late;

TEST(nothing_is_not_known)
{
	late = (struct delay_hist){ 0 };
	assert_true(isnan(delay_hist_percentile(&late, 0.5)));
	assert_true(isnan(delay_hist_mean_us(&late)));
	assert_int_equal(delay_hist_count_below(&late, 100), 0);
}

/* 1 to 1000 us, each once: the p-th is within the microsecond that holds it. */
TEST(evenly_spread)
{
	late = (struct delay_hist){ 0 };
	for (int64_t us = 1; us <= 1000; us++)
		delay_hist_add(&late, us * 1000 - 500);
	assert_int_equal(late.n, 1000);
	assert_true(fabs(delay_hist_mean_us(&late) - 500) < 1e-6);
	assert_true(fabs(delay_hist_percentile(&late, 0.5) - 500) < 1e-9);
	assert_true(fabs(delay_hist_percentile(&late, 0.9) - 900) < 1e-9);
	assert_true(fabs(delay_hist_percentile(&late, 0.99) - 990) < 1e-9);
	assert_true(isnan(delay_hist_percentile(&late, 0.999))); /* one value beyond it */
	assert_int_equal(delay_hist_count_below(&late, 200), 200);
	assert_int_equal(late.max_ns, 999500);
	assert_int_equal(late.min_ns, 500);
	late = (struct delay_hist){ 0 };
	for (int64_t us = 1; us <= 100; us++)
		delay_hist_add(&late, us * 1000 - 500);
	assert_true(fabs(delay_hist_percentile(&late, 0.9) - 90) < 1e-9); /* ten beyond it, just enough */
}

TEST(far_beyond_is_the_maximum_and_early_is_zero)
{
	late = (struct delay_hist){ 0 };
	delay_hist_add(&late, -5);
	for (int i = 0; i < 99; i++)
		delay_hist_add(&late, (int64_t)3e9 + i);
	assert_int_equal(late.n - delay_hist_count_below(&late, DELAY_HIST_MAX_US), 99);
	assert_int_equal(late.min_ns, 0);
	assert_true(fabs(delay_hist_percentile(&late, 0.5) - (3e9 + 98) / 1000) < 1e-6);
	assert_int_equal(delay_hist_count_below(&late, DELAY_HIST_MAX_US), 1);
}
