// SPDX-License-Identifier: GPL-3.0-or-later
#include "face.h"
#include "clock.h"
#include "proc.h"

#include <signal.h>

void face_sleep(int count, fd_set *readable, int64_t until_ns)
{
	int64_t left = until_ns - clock_now();
	struct timespec ts = { left / NS_PER_S, left % NS_PER_S };
	sigset_t stops, before;

	if (left <= 0)
		return;
	/* Blocked between the look at the flag and the sleep, and let in by the sleep itself: none is missed. */
	proc_stop_signals(&stops);
	sigprocmask(SIG_BLOCK, &stops, &before);
	if (!proc_stop)
		pselect(count, readable, NULL, NULL, until_ns == INT64_MAX ? NULL : &ts, &before);
	sigprocmask(SIG_SETMASK, &before, NULL);
}
