// SPDX-License-Identifier: GPL-3.0-or-later
#include "spent.h"
#include "account.h"
#include "clock.h"
#include "proc.h"

#include <sys/syscall.h>
#include <unistd.h>

struct spent spent_now(void)
{
	struct spent s = { clock_thread_cpu(), -1 };
	struct proc_schedstat own;

	if (!proc_schedstat((pid_t)syscall(SYS_gettid), &own))
		s.waited_ns = own.wait_ns;
	return s;
}

struct spent spent_between(const struct spent *first, const struct spent *last)
{
	return (struct spent){ last->cpu_ns - first->cpu_ns, first->waited_ns < 0 ||
			       last->waited_ns < 0 ? -1 : last->waited_ns - first->waited_ns };
}

/* (statm counts in lots, for each CPU apart) */
int64_t spent_memory(void)
{
	int64_t bytes = account_figure("/proc/self", "smaps_rollup", "Rss:");

	return bytes < 0 ? 0 : bytes;
}
