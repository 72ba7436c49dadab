// SPDX-License-Identifier: GPL-3.0-or-later
/* dial - the least round trip of a connection: of TCP, within the time that its hand-shake took; of others none. To sockets of our
 * own, with and without a file; a server that does not answer. */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <sys/un.h>
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
	shutdown(fd, SHUT_RDWR); /* the figure stays known after the connection is shut */
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

static int listening(struct sockaddr_un *at, socklen_t size)
{
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	at->sun_family = AF_UNIX;
	assert_int_equal(bind(fd, (struct sockaddr *)at, size), 0);
	assert_int_equal(listen(fd, 4), 0);
	return fd;
}

static void meet(int server, const char *path)
{
	struct ucred peer;
	int fd = dial_unix(path, 1, &peer), other;
	char byte = 'a';

	assert_true(fd >= 0);
	assert_int_equal(peer.pid, getpid());
	assert_int_equal(peer.uid, geteuid());
	other = accept(server, NULL, NULL);
	assert_int_equal(write(other, "x", 1), 1);
	assert_int_equal(read(fd, &byte, 1), 1);
	assert_int_equal(byte, 'x');
	assert_int_equal(read(fd, &byte, 1), -1); /* for a second */
	assert_int_equal(errno, EAGAIN);
	close(other);
	close(fd);
	fd = dial_unix(path, 0, NULL);
	assert_true(fd >= 0);
	assert_int_equal(read(fd, &byte, 1), -1); /* at once */
	assert_int_equal(errno, EAGAIN);
	close(fd);
	close(server);
}

TEST(a_file_and_a_name)
{
	struct sockaddr_un at = { 0 };
	char name[128];
	int n;

	snprintf(at.sun_path, sizeof(at.sun_path), "/tmp/thinprobe-socket.%d", (int)getpid());
	snprintf(name, sizeof(name), "%s", at.sun_path);
	meet(listening(&at, sizeof(at)), name);
	assert_int_equal(dial_unix(name, 1, NULL), -ECONNREFUSED); /* the file is still there */
	unlink(name);
	assert_int_equal(dial_unix(name, 1, NULL), -ENOENT);
	memset(&at, 0, sizeof(at));
	n = snprintf(name, sizeof(name), "@thinprobe-test-%d", (int)getpid());
	memcpy(at.sun_path + 1, name + 1, (size_t)n - 1);
	meet(listening(&at, (socklen_t)(offsetof(struct sockaddr_un, sun_path) + (size_t)n)), name);
	assert_int_equal(dial_unix(name, 1, NULL), -ECONNREFUSED);
}

/* (A sanitizer tells of what is never freed.) */
TEST(addresses_that_are_looked_up_again_replace_the_first)
{
	struct why why;

	dial_look_up("127.0.0.1", 1);
	dial_look_up("127.0.0.2", 1);
	assert_true(dial_tcp("127.0.0.2", 1, clock_now() + NS_PER_S, &why) < 0);
	dial_look_up("", -1); /* fails, and frees the second */
}

TEST(a_path_that_is_too_long)
{
	char path[200];

	memset(path, 'a', sizeof(path) - 1);
	path[0] = '/';
	path[sizeof(path) - 1] = '\0';
	assert_int_equal(dial_unix(path, 1, NULL), -ENAMETOOLONG);
}
