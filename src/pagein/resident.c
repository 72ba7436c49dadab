// SPDX-License-Identifier: GPL-3.0-or-later
#include "resident.h"
#include "proc.h"

#include <errno.h>

int resident_read_faults(pid_t pid, struct process_memory *out)
{
	struct proc_stat is;

	if (proc_read_stat(pid, &is))
		return -ESRCH;
	out->minor = is.minor;
	out->major = is.major;
	return 0;
}

int resident_read_process(pid_t pid, struct process_memory *out)
{
	int err = smaps_read(pid, &out->memory, NULL, NULL);

	proc_read_line(pid, "comm", out->name, sizeof(out->name));
	if (!err && !out->memory.mappings) /* a zombie */
		err = -ESRCH;
	if (!err)
		err = resident_read_faults(pid, out);
	return err == -ENOENT ? -ESRCH : err;
}
