// SPDX-License-Identifier: GPL-3.0-or-later
#include "resident.h"
#include "proc.h"

#include <errno.h>

int process_memory_read_faults(pid_t pid, struct process_memory *out)
{
	struct proc_stat is;

	if (proc_stat_of_process(pid, &is))
		return -ESRCH;
	out->minor = is.minor;
	out->major = is.major;
	return 0;
}

int process_memory_read(pid_t pid, struct process_memory *out)
{
	int err = smaps_read(pid, &out->memory, NULL, NULL);

	proc_read_first_line_of(pid, "comm", out->name, sizeof(out->name));
	if (!err && !out->memory.mappings)	/* a zombie */
		err = -ESRCH;
	if (!err)
		err = process_memory_read_faults(pid, out);
	return err == -ENOENT ? -ESRCH : err;
}
