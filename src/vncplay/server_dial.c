// SPDX-License-Identifier: GPL-3.0-or-later
/* server_dial - the socket of a connection. */
#include "server_dial.h"

#include "clock.h"
#include "proc.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define FIRST_PORT 5900		/* of display 0 */
#define DISPLAYS 100		/* a number below is a display, the others are ports */

/* The last colon ends the host: a bare IPv6 address needs its brackets. */
int server_address(const char *text, char *host, size_t size, int *port)
{
	const char *end = strrchr(text, ':'), *from = text, *number;
	bool plain = false;	/* a port, however small */
	size_t n;
	long v = 0;
	char *stop;

	if (*text == '[') {
		from = text + 1;
		end = strchr(text, ']');
		if (!end || (end[1] && end[1] != ':'))
			return -EINVAL;
		n = (size_t)(end - from);
		number = end + 1;
	} else {
		n = end ? (size_t)(end - from) : strlen(from);
		number = end ? end : from + n;
		if (n && from[n - 1] == ':') {	/* HOST::PORT */
			n--;
			number--;
		}
		if (memchr(from, ':', n))
			return -EINVAL;
	}
	if (*number == ':') {
		plain = number[1] == ':';
		number += plain ? 2 : 1;
		if (*number < '0' || *number > '9')
			return -EINVAL;
		v = strtol(number, &stop, 10);
		if (*stop || v > 65535 || (plain && !v))
			return -EINVAL;
	}
	if (n >= size)
		return -EINVAL;
	memcpy(host, from, n);
	host[n] = '\0';
	if (!n)
		snprintf(host, size, "localhost");
	*port = (int)(plain || v >= DISPLAYS ? v : v + FIRST_PORT);
	return 0;
}

static int wait_connected(int fd, int64_t until_ns)
{
	struct pollfd p = { .fd = fd, .events = POLLOUT };
	socklen_t n = sizeof(int);
	int err = 0;

	for (;;) {
		int64_t left = until_ns - clock_now();
		struct timespec wait = { .tv_sec = left / NS_PER_S, .tv_nsec = left % NS_PER_S };
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

static int dial_one(const struct addrinfo *a, int64_t until_ns)
{
	int fd = socket(a->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0), one = 1, err = 0;

	if (fd < 0)
		return -errno;
	if (connect(fd, a->ai_addr, a->ai_addrlen))
		err = errno == EINPROGRESS ? wait_connected(fd, until_ns) : -errno;
	if (err) {
		close(fd);
		return err;
	}
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));	/* an input goes when it is due */
	return fd;
}

int server_dial(const char *address, int64_t until_ns, int *port, char *why, size_t size)
{
	struct addrinfo hints = { .ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICSERV }, *found;
	char host[256], service[8];
	int fd = -ENOENT, err;

	if (server_address(address, host, sizeof(host), port)) {
		snprintf(why, size, "%s is no server: HOST:DISPLAY, HOST:PORT or HOST::PORT", address);
		return -EINVAL;
	}
	snprintf(service, sizeof(service), "%d", *port);
	err = getaddrinfo(host, service, &hints, &found);
	if (err) {
		snprintf(why, size, "%s: %s", host, gai_strerror(err));
		return -ENOENT;
	}
	for (struct addrinfo *a = found; a; a = a->ai_next) {
		int64_t now = clock_now(), until = until_ns;

		if (a->ai_next)		/* one that swallows what is sent to it must not use up the others' time */
			until = now + (until_ns - now) / 2;
		fd = dial_one(a, until);
		if (fd >= 0 || fd == -EINTR)
			break;
	}
	freeaddrinfo(found);
	if (fd < 0)
		snprintf(why, size, "%s port %d: %s", host, *port, strerror(-fd));
	return fd;
}
