/* SPDX-License-Identifier: GPL-3.0-or-later */
/* resident - what a process has in memory and in swap, and how often it had to wait for a page. */
#ifndef PAGEIN_RESIDENT_H
#define PAGEIN_RESIDENT_H

#include "smaps.h"

struct resident {
	char name[64];			/* /proc/PID/comm */
	struct smaps_sum memory;
	int64_t major, minor;		/* faults so far, of all its threads */
};

/* 0, -ESRCH when there is no such process (any more), -EACCES without the right to look into it, -EPROTO. */
int resident_read(pid_t pid, struct resident *out);
/* The faults alone: does not hold up the process as a look through its mappings does. */
int resident_faults(pid_t pid, struct resident *out);

#endif
