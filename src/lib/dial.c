// SPDX-License-Identifier: GPL-3.0-or-later
#include "dial.h"
#include "clock.h"
#include "proc.h"

#include <errno.h>
#include <linux/tcp.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#define SLICE_MS 50 /* longest sleep between checks of the stop flag */

int dial_wait(int fd, short events, int64_t until_ns, bool heeds_stop)
{
	struct pollfd p = { .fd = fd, .events = events };

	for (;;) {
		int64_t left = until_ns == INT64_MAX ? SLICE_MS : (until_ns - clock_now()) / NS_PER_MS + 1;

		if (heeds_stop && proc_stop)
			return -EINTR;
		if (left <= 0)
			return 0;
		if (poll(&p, 1, (int)(left < SLICE_MS ? left : SLICE_MS)) > 0)
			return 1;
	}
}

int dial_socket(int fd, const void *address, socklen_t size, int64_t until_ns)
{
	int err = connect(fd, address, size) ? -errno : 0;

	if (err != -EINPROGRESS)
		return err;
	err = dial_wait(fd, POLLOUT, until_ns, true);
	if (err <= 0)
		return err ? err : -ETIMEDOUT;
	size = sizeof(err);
	return getsockopt(fd, SOL_SOCKET, SO_ERROR, &err, &size) ? -errno : -err;
}

static int connect_address(const struct addrinfo *a, int64_t until_ns)
{
	int fd = socket(a->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0), one = 1, err;

	if (fd < 0)
		return -errno;
	err = dial_socket(fd, a->ai_addr, a->ai_addrlen, until_ns);
	if (err) {
		close(fd);
		return err;
	}
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one)); /* no delay of small messages */
	return fd;
}

static struct {
	char host[256];
	int port;
	struct addrinfo *found; /* NULL: nothing was looked up */
} looked_up;

static int look_up(const char *host, int port, struct addrinfo **found)
{
	const struct addrinfo hints = { .ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICSERV };
	char service[8];

	snprintf(service, sizeof(service), "%d", port);
	return getaddrinfo(host, service, &hints, found);
}

void dial_look_up(const char *host, int port)
{
	snprintf(looked_up.host, sizeof(looked_up.host), "%s", host);
	looked_up.port = port;
	if (looked_up.found)
		freeaddrinfo(looked_up.found);
	if (look_up(host, port, &looked_up.found))
		looked_up.found = NULL;
}

int dial_tcp(const char *host, int port, int64_t until_ns, struct why *why)
{
	bool known = looked_up.found && port == looked_up.port && !strcmp(host, looked_up.host);
	struct addrinfo *found = looked_up.found;
	int fd = -ENOENT, err = known ? 0 : look_up(host, port, &found);

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
	if (!known)
		freeaddrinfo(found);
	if (fd < 0)
		why_say(why, "%s port %d: %s", host, port, strerror(-fd));
	return fd;
}

int64_t dial_least_rtt_ns(int fd)
{
	struct tcp_info info = { 0 };
	socklen_t size = sizeof(info);

	/* (before the first measurement it is the largest number) */
	if (getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &size) || info.tcpi_min_rtt == UINT32_MAX)
		return 0;
	return info.tcpi_min_rtt * NS_PER_US;
}

int dial_unix(const char *path, int patience_s, struct ucred *peer)
{
	struct sockaddr_un to = { .sun_family = AF_UNIX };
	struct timeval patience = { .tv_sec = patience_s };
	size_t length = strlen(path);
	socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + length + (*path != '@')), peer_size = sizeof(*peer);
	int fd, err;

	if (length >= sizeof(to.sun_path))
		return -ENAMETOOLONG;
	memcpy(to.sun_path, path, length);
	if (*path == '@')
		to.sun_path[0] = '\0';
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | (patience_s ? 0 : SOCK_NONBLOCK), 0);
	if (fd < 0)
		return -errno;
	if (!setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience)) &&
	    !setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience)) && /* also the timeout of connect() */
	    !connect(fd, (struct sockaddr *)&to, size) && (!peer || !getsockopt(fd, SOL_SOCKET, SO_PEERCRED, peer, &peer_size)))
		return fd;
	err = -errno;
	close(fd);
	return err;
}
