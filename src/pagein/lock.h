/* SPDX-License-Identifier: GPL-3.0-or-later */
/* lock - locks the memory of running processes, so that nothing of it can be paged out.
 *
 * No system call locks the memory of another process; locks are not inherited by fork, and exec drops them: neither a wrapper nor
 * a parent can set them. So the target process makes the call itself: it is stopped for some microseconds (ptrace), its registers
 * are set to call mlockall(MCL_CURRENT | MCL_FUTURE) through a system call instruction that its memory holds anyway, and are
 * restored. Its code and environment are not changed. This also locks setgid programs (terminals), which LD_PRELOAD would not
 * reach. A child process does the tracing: if pagein is killed meanwhile, the child still restores the target. */
#pragma once

#include "rec.h"
#include "why.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Locks the memory that these processes have and will have (pages in swap are read in first), or unlocks it (`lock` false), and
 * writes the objects "settings" and "result" to `out`. All or none: 0, or -1 with a line in `why`; then no lock of ours remains. */
int lock_or_unlock_all_processes(const pid_t *pid, size_t n, bool lock, struct rec_report *out, struct why *why);
