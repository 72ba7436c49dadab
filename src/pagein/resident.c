// SPDX-License-Identifier: GPL-3.0-or-later
#include "resident.h"
#include "proc.h"

#include <errno.h>

int read_process_page_fault_counts(pid_t pid, struct process_memory *out)
{
	struct proc_stat is;

	if (proc_stat_of_process(pid, &is))
		return -ESRCH;
	out->minor = is.minor;
	out->major = is.major;
	return 0;
}

int read_process_memory_and_faults(pid_t pid, struct process_memory *out)
{
	int err = smaps_read(pid, &out->memory, NULL, NULL);

	proc_read_first_line_of_file(pid, "comm", out->name, sizeof(out->name));
	if (!err && !out->memory.mappings)	/* a zombie */
		err = -ESRCH;
	if (!err)
		err = read_process_page_fault_counts(pid, out);
	return err == -ENOENT ? -ESRCH : err;
}
