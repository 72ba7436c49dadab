/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hold - processes that stand still while they are looked at, and always go on after it.
 *
 * Two ways. The freezer of control groups stops processes without a word to them or to their
 * parents: of version 2 only the very group that is measured, in place (to move processes to
 * another one could end the unit of systemd that they are in); of version 1 in place as well, else
 * in a group of ours in the freezer's own hierarchy, which nothing else uses. Without that SIGSTOP:
 * parents hear of it, and one that watches (a shell with job control) may say so.
 *
 * Who lets them go on is a child, in a session of its own, that waits for us to be done or to die,
 * however that happens; what is held stands in memory that both share, noted before it is done.
 * Only when that child and we are both killed at once they stay as they are. */
#ifndef THINPROBE_SESSMEM_HOLD_H
#define THINPROBE_SESSMEM_HOLD_H

#include "members.h"

enum hold_way { HOLD_AUTO, HOLD_SIGNAL, HOLD_FREEZER, HOLD_NONE };	/* auto: the freezer where it can be had, else SIGSTOP */
extern const char *const hold_ways[];	/* their names; NULL-terminated */

struct hold;

/* `cgroup`: the folder of the group that is measured, if all that is measured is in it; else NULL.
 * NULL, and in one line what is missing in `why`, when that way cannot be gone here. */
struct hold *hold_begin(enum hold_way way, const char *cgroup, char *why, size_t size);

enum hold_way hold_way(const struct hold *h);	/* which it became */
pid_t hold_child(const struct hold *h);		/* not to be held itself; 0: there is none */

/* Stops one. What stands still already by somebody else's doing is left so. 0; -ESRCH: it has
 * ended; -EPERM and others: it goes on. */
int hold_add(struct hold *h, const struct member *m);

/* Waits until all that were added stand, at most until then (CLOCK_MONOTONIC); how many don't.
 * (What sleeps in the kernel without hearing signals stops when it wakes, and meanwhile changes
 * nothing of its own.) */
size_t hold_settle(struct hold *h, int64_t until_ns);

/* All go on, and h is gone. 0 or -errno: something may still stand. */
int hold_end(struct hold *h);

#endif
