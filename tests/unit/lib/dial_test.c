// SPDX-License-Identifier: GPL-3.0-or-later
/* dial - the least round trip of a connection: of TCP, within the time that its hand-shake took; of others none. */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <unistd.h>

#include "clock.h"
#include "dial.h"
#include "../unit.h"

TEST(least_round_trip)
{
	struct sockaddr_in at = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	int server = socket(AF_INET, SOCK_STREAM, 0), fd, other, pair[2], pipes[2];
	socklen_t size = sizeof(at);
	int64_t begin, rtt;
	struct why why;

	assert_int_equal(bind(server, (struct sockaddr *)&at, size), 0);
	assert_int_equal(listen(server, 1), 0);
	assert_int_equal(getsockname(server, (struct sockaddr *)&at, &size), 0);
	begin = clock_now();
	fd = dial_tcp("127.0.0.1", ntohs(at.sin_port), begin + 60 * NS_PER_S, &why);
	assert_true(fd >= 0);
	rtt = dial_least_rtt_ns(fd);
	assert_true(rtt > 0);
	assert_true(rtt <= clock_now() - begin);
	other = accept(server, NULL, NULL);
	shutdown(fd, SHUT_RDWR); /* known also at the end */
	assert_true(dial_least_rtt_ns(fd) > 0);
	assert_int_equal(dial_least_rtt_ns(server), 0);
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
	assert_int_equal(dial_least_rtt_ns(pair[0]), 0);
	assert_int_equal(pipe(pipes), 0);
	assert_int_equal(dial_least_rtt_ns(pipes[0]), 0);
	assert_int_equal(dial_least_rtt_ns(-1), 0);
	for (int i = 0; i < 2; i++) {
		close(pair[i]);
		close(pipes[i]);
	}
	close(other);
	close(fd);
	close(server);
}
