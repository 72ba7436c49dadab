/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tasks - the sampler: what every process in scope ran, and what its threads ran and waited.
 *
 * Cost decides what is read. Of every process the CPU-time clock, a system call of a fifth of a microsecond; of those that sleep,
 * at every fourth sample. Only of those that ran (1 % of the time since the last sample, and for a period after) the schedstat of
 * threads, through descriptors that stay open; and only of threads that ran or waited their status, which tells whether they
 * slept. New processes are looked for by the numbers that the kernel gave away since; now and then, and in a group, in the list
 * of all. */
#ifndef VAMP_TASKS_H
#define VAMP_TASKS_H

#include "history.h"
#include "scope.h"

struct tasks;

/* `scope` stays the caller's, and valid. 0 or -errno; -ENOSYS: the kernel does not count how long threads wait for a CPU. */
int tasks_open(struct tasks **out, const struct scope *scope, int64_t sub_ns);
/* All in scope now; fresh: out of turn, see history.h. 0 or -errno (-ENODEV: the group of the scope has gone). */
int tasks_sample(struct tasks *t, int64_t now_ns, bool fresh);
void tasks_close(struct tasks *t);

/* How many processes are in scope; each in turn, *i from 0, then NULL. */
size_t tasks_count(const struct tasks *t);
const struct past *tasks_next(const struct tasks *t, size_t *i);
const struct moments *tasks_moments(const struct tasks *t);

#endif
