// SPDX-License-Identifier: GPL-3.0-or-later
/* watchdog - a read that would wait for ever ends: at its time, on a stop signal, and not before. */
#include "watchdog.h"
#include "clock.h"
#include "proc.h"

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>
#include "../unit.h"

TEST(reads_are_ended)
{
	static const struct {
		bool exact, stop;
		int64_t after_ns, least_ns;
	} cases[] = {
		{ true, false, 100 * NS_PER_MS, 100 * NS_PER_MS },
		{ false, false, 0, NS_PER_S },	    /* a second more, for a slow link */
		{ false, true, 0, 50 * NS_PER_MS }, /* by a signal alone */
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct watchdog w = { .exact = cases[i].exact };
		int64_t start = clock_now();
		int pair[2];
		char byte;

		assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
		proc_stop = cases[i].stop;
		assert_int_equal(
			watchdog_start(&w, pair[0], cases[i].stop ? WATCHDOG_STOP : start + cases[i].after_ns, 50 * NS_PER_MS), 0);
		assert_int_equal(read(pair[0], &byte, 1), 0);
		assert_true(clock_now() - start >= cases[i].least_ns);
		assert_true(watchdog_end(&w));
		close(pair[0]);
		close(pair[1]);
		proc_stop = 0;
	}
}

static void tcp_pair(int pair[2])
{
	struct sockaddr_in at = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t size = sizeof(at);
	int server = socket(AF_INET, SOCK_STREAM, 0);

	pair[0] = socket(AF_INET, SOCK_STREAM, 0);
	assert_int_equal(bind(server, (struct sockaddr *)&at, size), 0);
	assert_int_equal(listen(server, 1), 0);
	assert_int_equal(getsockname(server, (struct sockaddr *)&at, &size), 0);
	assert_int_equal(connect(pair[0], (struct sockaddr *)&at, size), 0);
	pair[1] = accept(server, NULL, NULL);
	close(server);
}

/* a byte now and then keeps nobody for ever */
TEST(bytes_that_still_come_are_waited_for_five_minutes)
{
	static const int64_t late_ns[] = { 2 * NS_PER_S, 301 * NS_PER_S };

	for (int i = 0; i < 2; i++) {
		struct watchdog w = { 0 };
		int pair[2];

		tcp_pair(pair);
		assert_int_equal(write(pair[1], "x", 1), 1);
		assert_int_equal(watchdog_start(&w, pair[0], clock_now() - late_ns[i], 0), 0);
		clock_sleep(clock_now() + 200 * NS_PER_MS);
		assert_int_equal(watchdog_end(&w), i);
		close(pair[0]);
		close(pair[1]);
	}
}

TEST(nothing_awaited_is_left_alone)
{
	struct watchdog w = { 0 };
	int pair[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
	proc_stop = 1;
	assert_int_equal(watchdog_start(&w, pair[0], WATCHDOG_IDLE, 0), 0);
	clock_sleep(clock_now() + 200 * NS_PER_MS);
	assert_false(watchdog_end(&w));
	assert_int_equal(write(pair[0], "x", 1), 1);
	proc_stop = 0;
	close(pair[0]);
	close(pair[1]);
}
