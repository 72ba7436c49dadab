/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tasks - the sampler: CPU time of every process in scope, run time and waiting time of its threads.
 *
 * The cost of each call decides which is used. It reads the CPU-time clock of every process (0.2 us), of a sleeping one at every
 * fourth sample; the schedstat of threads, through descriptors that stay open, only of processes that ran for 1 % of the time since
 * the last sample, and for a period after that; the status of threads, which says whether they slept, only of those that ran or
 * waited. New processes are found by the pids that the kernel has given out since; now and then, and always in a group, by the
 * list of all. */
#ifndef VAMP_TASKS_H
#define VAMP_TASKS_H

#include "history.h"
#include "scope.h"

struct task_sampler;

/* `scope` stays the caller's, and valid. 0 or -errno; -ENOSYS: the kernel does not count how long threads wait for a CPU. */
int tasks_open(struct task_sampler **out, const struct scope *scope, int64_t sub_ns);
/* All in scope now; fresh: out of turn, see history.h. 0 or -errno (-ENODEV: the group of the scope has gone). */
int tasks_sample(struct task_sampler *t, int64_t now_ns, bool fresh);
void tasks_close(struct task_sampler *t);

/* How many processes are in scope; each in turn, *i from 0, then NULL. */
size_t tasks_count(const struct task_sampler *t);
const struct process_history *tasks_next(const struct task_sampler *t, size_t *i);
const struct sample_times *tasks_moments(const struct task_sampler *t);

#endif
