// SPDX-License-Identifier: GPL-3.0-or-later
/* forwarder - the time that a frame waited before it was read is bounded. Socket pairs stand for the interfaces. */
#include "delayline/forwarder.h"
#include "clock.h"
#include "proc.h"

#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>
#include "../unit.h"

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
