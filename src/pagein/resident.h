/* SPDX-License-Identifier: GPL-3.0-or-later */
/* resident - the memory of a process, resident and in swap, and its page faults. */
#pragma once

#include "smaps.h"

struct process_memory {
	char name[64]; /* /proc/PID/comm */
	struct smaps_sum memory;
	int64_t major, minor; /* page faults so far, of all its threads */
};

/* Reads the name, the memory and the page faults of a process. 0, -ESRCH if there is no such process (any more), -EACCES without
 * the right to read its mappings, -EPROTO. */
int resident_read_process(pid_t pid, struct process_memory *out);
/* Reads the page faults alone: does not stall the process as reading its smaps does. */
int resident_read_faults(pid_t pid, struct process_memory *out);
