// SPDX-License-Identifier: GPL-3.0-or-later
#include "thread.h"
#include "account.h"
#include "clock.h"
#include "proc.h"

#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>

struct thread_times thread_times_now(void)
{
	struct thread_times s = { clock_thread_cpu(), -1 };
	struct proc_schedstat own;

	if (!proc_read_schedstat((pid_t)syscall(SYS_gettid), &own))
		s.waited_ns = own.wait_ns;
	return s;
}

/* Not from statm, which the kernel updates per CPU, in batches. */
int64_t thread_get_process_rss(void)
{
	int64_t bytes = account_read_number("/proc/self", "smaps_rollup", "Rss:");

	return bytes < 0 ? 0 : bytes;
}

int thread_wait_events(int epoll, struct epoll_event *event, int most, int64_t until_ns, const sigset_t *mask)
{
	int64_t left = until_ns - clock_now();
	struct timespec time;
	int n;

	left = left < 0 ? 0 : left > NS_PER_S ? NS_PER_S : left;
	time = clock_timespec(left);
	n = epoll_pwait2(epoll, event, most, &time, mask);
	if (n < 0 && errno == ENOSYS) /* before Linux 5.11: milliseconds only; the report shows the lateness */
		n = epoll_pwait(epoll, event, most, (int)(left / NS_PER_MS), mask);
	if (n < 0)
		return errno == EINTR ? 0 : -errno;
	return n;
}
