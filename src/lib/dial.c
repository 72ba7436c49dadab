// SPDX-License-Identifier: GPL-3.0-or-later
#include "dial.h"
#include "clock.h"
#include "proc.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static int await_connection(int fd, int64_t until_ns)
{
	struct pollfd p = { .fd = fd, .events = POLLOUT };
	socklen_t n = sizeof(int);
	int err = 0;

	for (;;) {
		int64_t left = until_ns - clock_now();
		struct timespec wait = clock_timespec(left);
		int ready;

		if (proc_stop)
			return -EINTR;
		if (left <= 0)
			return -ETIMEDOUT;
		ready = ppoll(&p, 1, &wait, NULL);
		if (ready < 0 && errno != EINTR)
			return -errno;
		if (ready > 0)
			return getsockopt(fd, SOL_SOCKET, SO_ERROR, &err, &n) ? -errno : -err;
	}
}

static int connect_address(const struct addrinfo *a, int64_t until_ns)
{
	int fd = socket(a->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0), one = 1, err = 0;

	if (fd < 0)
		return -errno;
	if (connect(fd, a->ai_addr, a->ai_addrlen))
		err = errno == EINPROGRESS ? await_connection(fd, until_ns) : -errno;
	if (err) {
		close(fd);
		return err;
	}
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one)); /* no delay of small messages */
	return fd;
}

int dial_tcp(const char *host, int port, int64_t until_ns, struct why *why)
{
	struct addrinfo hints = { .ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICSERV }, *found;
	char service[8];
	int fd = -ENOENT, err;

	snprintf(service, sizeof(service), "%d", port);
	err = getaddrinfo(host, service, &hints, &found);
	if (err)
		return why_fail(-ENOENT, why, "%s: %s", host, gai_strerror(err));
	for (struct addrinfo *a = found; a; a = a->ai_next) {
		int64_t now = clock_now(), until = until_ns;

		if (a->ai_next) /* half of the time, so that an address that drops packets leaves time for the others */
			until = now + (until_ns - now) / 2;
		fd = connect_address(a, until);
		if (fd >= 0 || fd == -EINTR)
			break;
	}
	freeaddrinfo(found);
	if (fd < 0)
		why_say(why, "%s port %d: %s", host, port, strerror(-fd));
	return fd;
}
