/* SPDX-License-Identifier: GPL-3.0-or-later */
/* taskstats - asks the kernel for the delay accounting of processes, by netlink (Documentation/accounting/taskstats.rst).
 *
 * Takes CAP_NET_ADMIN in the first user namespace; delays are only counted of tasks that began
 * while kernel.task_delayacct was 1. */
#ifndef STARTUP_TASKSTATS_H
#define STARTUP_TASKSTATS_H

#include "delays.h"

struct taskstats_link {
	int fd;			/* -1: none */
	unsigned short family;
	uint32_t asked;		/* so many times: each answer carries the number of its question */
};

/* 0, or -errno: -EPERM without the right to ask, -ENOENT where the kernel has no taskstats,
 * -ENODATA where it does not count now. */
int taskstats_open(struct taskstats_link *l);
void taskstats_close(struct taskstats_link *l);
/* Of a whole process, sums over its threads, the ended ones included; or of one thread. 0 or -errno (-ESRCH: gone). */
int taskstats_process(struct taskstats_link *l, pid_t pid, struct delay_reading *out);
int taskstats_thread(struct taskstats_link *l, pid_t tid, struct delay_reading *out);
/* The sums over the threads that a process has now, each with only such values as can be true (delays.h). Of use where one thread's
 * garbage spoils the sum that the kernel keeps. */
int taskstats_by_thread(struct taskstats_link *l, pid_t pid, int64_t elapsed_ns, struct delay_reading *out);

#endif
