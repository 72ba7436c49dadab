/* SPDX-License-Identifier: GPL-3.0-or-later */
/* taskstats - reads the kernel's delay accounting of processes by netlink (Documentation/accounting/taskstats.rst).
 *
 * Needs CAP_NET_ADMIN in the first user namespace. The kernel counts delays only for tasks started while kernel.task_delayacct
 * was 1. */
#pragma once

#include "delays.h"

struct taskstats_link {
	int fd;		       /* netlink socket; -1: none */
	unsigned short family; /* generic netlink's number of taskstats */
	uint32_t asked;	       /* sequence number of the last request; its answer carries the same */
};

/* 0, or -errno: -EPERM: not allowed; -ENOENT: the kernel has no taskstats; -ENODATA: kernel.task_delayacct is 0. */
int taskstats_open(struct taskstats_link *l);
void taskstats_close(struct taskstats_link *l);
/* Delays of a process: the kernel's sums over all its threads, ended ones included. 0 or -errno (-ESRCH: it has ended). */
int taskstats_read(struct taskstats_link *l, pid_t pid, struct delay_reading *out);
/* Delays of a process: sums over the threads that it has now, without impossible values (delays.h). For processes in which one
 * thread with an impossible value spoils the kernel's sum. 0 or -errno. */
int taskstats_sum_threads(struct taskstats_link *l, pid_t pid, int64_t elapsed_ns, struct delay_reading *out);
