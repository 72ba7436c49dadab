// SPDX-License-Identifier: GPL-3.0-or-later
#include "spent.h"
#include "account.h"
#include "clock.h"
#include "proc.h"

#include <sys/syscall.h>
#include <unistd.h>

struct thread_usage thread_usage_now(void)
{
	struct thread_usage s = { clock_thread_cpu(), -1 };
	struct proc_schedstat own;

	if (!proc_schedstat((pid_t)syscall(SYS_gettid), &own))
		s.waited_ns = own.wait_ns;
	return s;
}

struct thread_usage thread_usage_between(const struct thread_usage *first, const struct thread_usage *last)
{
	return (struct thread_usage){ last->cpu_ns - first->cpu_ns, first->waited_ns < 0 ||
			       last->waited_ns < 0 ? -1 : last->waited_ns - first->waited_ns };
}

/* (statm counts in lots, for each CPU apart) */
int64_t thread_usage_memory(void)
{
	int64_t bytes = account_figure("/proc/self", "smaps_rollup", "Rss:");

	return bytes < 0 ? 0 : bytes;
}
