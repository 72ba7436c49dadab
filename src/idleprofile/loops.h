/* SPDX-License-Identifier: GPL-3.0-or-later */
/* loops - the idle loops as this program has them: in a group of their own (group.h), and gone
 * whatever way the program takes out. What keeps them from running is said, and ends the
 * program. */
#ifndef THINPROBE_LOOPS_H
#define THINPROBE_LOOPS_H

#include "spin.h"

/* Paused; loops_end() frees them, at the latest at exit. NULL: told to stop. To be called once,
 * before other threads are started. */
struct spin *loops_start(const struct cli_cpus *cpus, bool tsc);
/* (After a kill the loops die by the kernel's hand, and the janitor cleans.) */
void loops_end(void);
/* What an order to them, or a wait for them, came to: 0 or -EINTR. */
int loops_must_run(int err);
/* NULL: they are in a cgroup. */
const char *loops_why_no_cgroup(void);

#endif
