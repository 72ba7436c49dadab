/* SPDX-License-Identifier: GPL-3.0-or-later */
/* threads - the sampler's part for one process: how long each of its threads ran and waited, and whether it slept. */
#ifndef VAMP_THREADS_H
#define VAMP_THREADS_H

#include "history.h"

/* Into the slot of the last sample. `look`: there may be new threads. The status is read only of threads that ran or waited
 * `active_ns` since the sample before, or wanted a CPU then; and where all together ran or waited `much_ns`, also of others until
 * one wants a CPU: the wait of a thread that still waits is in no counter. *wants: one of them wants a CPU now. 0 or -ENOMEM. */
int threads_read(struct past *p, const struct moments *m, double active_ns, double much_ns, bool look, bool *wants);
void threads_forget(struct past *p);

#endif
