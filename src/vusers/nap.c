// SPDX-License-Identifier: GPL-3.0-or-later
#include "nap.h"
#include "clock.h"

#include <errno.h>

int epoll_wait_until(int epoll, struct epoll_event *event, int most, int64_t until_ns, const sigset_t *mask)
{
	int64_t left = until_ns - clock_now();
	struct timespec time;
	int n;

	left = left < 0 ? 0 : left > NS_PER_S ? NS_PER_S : left;
	time = (struct timespec){ left / NS_PER_S, left % NS_PER_S };
	n = epoll_pwait2(epoll, event, most, &time, mask);
	if (n < 0 && errno == ENOSYS)	/* before Linux 5.11: late by up to a millisecond, which the lateness then tells */
		n = epoll_pwait(epoll, event, most, (int)(left / NS_PER_MS), mask);
	if (n < 0)
		return errno == EINTR ? 0 : -errno;
	return n;
}
