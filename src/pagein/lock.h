/* SPDX-License-Identifier: GPL-3.0-or-later */
/* lock - locks the memory of a running process, so that nothing of it can be paged out.
 *
 * Memory locks are the process's own business: no call locks another's, they are not inherited by
 * fork, and exec drops them, so neither a wrapper nor a parent can set them. So the process makes
 * the call itself: it is stopped for some microseconds (ptrace), its registers are set to
 * mlockall(MCL_CURRENT | MCL_FUTURE) at a system call instruction that its memory holds anyway, and
 * put back. Nothing of its code or environment is changed, and programs that run with another
 * user's rights (setgid terminals), which a preloaded library would not reach, are locked as well.
 * Should this program be killed meanwhile, a child of its own ends it properly. */
#ifndef PAGEIN_LOCK_H
#define PAGEIN_LOCK_H

#include <stdbool.h>
#include <sys/types.h>

/* Locks all that it has and will have (all is read in from swap first), or unlocks it. Its limit on
 * locked memory is lifted before. 0; -ESRCH; -EPERM without the right to trace it, or when it is
 * traced already; -ENOMEM where its memory group has no room for all of it; -EAGAIN when somebody
 * else stopped it just then; -ETIMEDOUT when it does not stop for five seconds; -ENOSYS on
 * processors that this knows no registers of (all but x86-64), and for 32-bit programs; -ENOEXEC
 * when no system call instruction was found. */
int lock_process(pid_t pid, bool locked);

#endif
