/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tasks - the sampler: reads the CPU time of every process in scope, and the run time and waiting time of its threads.
 *
 * What is read depends on its cost: at each sample the CPU-time clock of every process (0.2 us); of processes that ran for 1 % of
 * the time since the last sample, and for a while after that, the schedstat of each thread; and of threads that ran or waited the
 * status, which tells whether they slept. */
#pragma once

#include "history.h"
#include "scope.h"

struct task_sampler;

/* `scope` must stay valid. 0 or -errno; -ENOSYS: the kernel does not count how long threads wait for a CPU. */
int tasks_open(struct task_sampler **out, const struct process_scope *scope, int64_t sub_ns);
/* Samples all processes in scope. `fresh`: an extra one, at an input; see history.h. 0 or -errno (-ENODEV: the group of the
 * scope has been removed). */
int tasks_sample(struct task_sampler *t, int64_t now_ns, bool fresh);
void tasks_close(struct task_sampler *t);

/* Number of processes in scope. tasks_next() returns them one by one, with *i from 0, then NULL. */
size_t tasks_count(const struct task_sampler *t);
const struct process_history *tasks_next(const struct task_sampler *t, size_t *i);
const struct sample_times *tasks_times(const struct task_sampler *t);
