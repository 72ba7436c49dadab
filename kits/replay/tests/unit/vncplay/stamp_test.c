// SPDX-License-Identifier: GPL-3.0-or-later
/* When bytes came is when they were sent over loopback, not when they are read. */
#include "clock.h"
#include "vncplay/common/server.h"
#include "../../../../../tests/unit/unit.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

static int pair[2];

static int connected(void **state)
{
	struct sockaddr_in a = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t size = sizeof(a);
	int listener = socket(AF_INET, SOCK_STREAM, 0);

	(void)state;
	pair[0] = socket(AF_INET, SOCK_STREAM, 0);
	if (bind(listener, (struct sockaddr *)&a, size) || listen(listener, 1) ||
	    getsockname(listener, (struct sockaddr *)&a, &size) || connect(pair[0], (struct sockaddr *)&a, size))
		return -1;
	pair[1] = accept(listener, NULL, NULL);
	close(listener);
	return pair[1] < 0;
}

static int closed(void **state)
{
	(void)state;
	close(pair[0]);
	close(pair[1]);
	return 0;
}

TEST_WITH(connected, closed, test_late_reader)
{
	int64_t came = 0, before, after, read_at, last = 0;
	char got[8];

	server_stamp_arrivals(pair[1]);
	for (int i = 0; i < 40; i++) { /* the kernel begins to note times some time after it was asked to */
		before = clock_now();
		assert_int_equal(send(pair[0], "abcd", 4, 0), 4);
		after = clock_now();
		clock_sleep(after + 50 * NS_PER_MS);
		read_at = clock_now();
		assert_int_equal(server_recv_stamped(pair[1], got, 4, 0, &came), 4);
		assert_memory_equal(got, "abcd", 4);
		assert_true(came >= before - NS_PER_MS && came <= clock_now() && came >= last);
		last = came;
		if (came < read_at - 25 * NS_PER_MS)
			return;
	}
	skip(); /* this kernel does not tell: the time of reading has to do */
}

TEST_WITH(connected, closed, test_nothing_and_the_end)
{
	int64_t came = 5;
	char got[8];

	errno = 0;
	assert_int_equal(recv(pair[1], got, 8, MSG_DONTWAIT), -1);
	shutdown(pair[0], SHUT_WR);
	assert_int_equal(server_recv_stamped(pair[1], got, 8, 0, &came), 0);
	assert_true(came >= 5 && came <= clock_now());
	came = 7;
	assert_int_equal(server_recv_stamped(-1, got, 8, 0, &came), -1);
	assert_int_equal(errno, EBADF);
}

/* Two pieces read apart: neither is before the other. */
TEST_WITH(connected, closed, test_in_pieces)
{
	int64_t came = 0, first;
	char got[8];

	server_stamp_arrivals(pair[1]);
	assert_int_equal(send(pair[0], "abcdefgh", 8, 0), 8);
	assert_int_equal(server_recv_stamped(pair[1], got, 3, 0, &came), 3);
	first = came;
	assert_int_equal(server_recv_stamped(pair[1], got, 5, 0, &came), 5);
	assert_true(came >= first && came <= clock_now());
}
