// SPDX-License-Identifier: GPL-3.0-or-later
/* server_stamp - see the header. A replay that shares its CPUs with what it loads them with reads
 * late; what it is to measure is not later for that. */
#include "server_stamp.h"

#include "clock.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <time.h>

#define LATE_MOST_NS (10 * NS_PER_S)	/* beyond that the wall clock was set meanwhile */

void server_stamp_ask(int fd)
{
	int on = 1;

	setsockopt(fd, SOL_SOCKET, SO_TIMESTAMPNS, &on, sizeof(on));
}

/* The kernel's stamp is of the wall clock. */
static int64_t monotonic(struct timespec wall, int64_t now_ns)
{
	struct clock_offset offset;
	int64_t came;

	clock_read_offset(&offset);
	came = wall.tv_sec * NS_PER_S + wall.tv_nsec - offset.offset_ns;
	return came > now_ns || came < now_ns - LATE_MOST_NS ? now_ns : came;
}

ssize_t server_stamp_recv(int fd, void *bytes, size_t n, int flags, int64_t *came_ns)
{
	union {
		struct cmsghdr align;
		char room[CMSG_SPACE(sizeof(struct timespec))];
	} control;
	struct iovec piece = { .iov_base = bytes, .iov_len = n };
	struct msghdr message = { .msg_iov = &piece, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof(control) };
	ssize_t got = recvmsg(fd, &message, flags);
	int err = errno;
	int64_t now = clock_now(), came = now;

	for (struct cmsghdr *c = got > 0 ? CMSG_FIRSTHDR(&message) : NULL; c; c = CMSG_NXTHDR(&message, c)) {
		struct timespec wall;

		if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SO_TIMESTAMPNS || c->cmsg_len < CMSG_LEN(sizeof(wall)))
			continue;
		memcpy(&wall, CMSG_DATA(c), sizeof(wall));
		came = monotonic(wall, now);
	}
	if (came > *came_ns)
		*came_ns = came;
	errno = err;
	return got;
}
