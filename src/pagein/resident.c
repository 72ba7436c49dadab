// SPDX-License-Identifier: GPL-3.0-or-later
#include "resident.h"
#include "proc.h"

#include <errno.h>

int resident_faults(pid_t pid, struct resident *out)
{
	struct proc_stat is;

	if (proc_stat(pid, &is))
		return -ESRCH;
	out->minor = is.minor;
	out->major = is.major;
	return 0;
}

int resident_read(pid_t pid, struct resident *out)
{
	int err = smaps_read(pid, &out->memory, NULL, NULL);

	proc_line(pid, "comm", out->name, sizeof(out->name));
	if (!err && !out->memory.mappings)	/* a zombie */
		err = -ESRCH;
	if (!err)
		err = resident_faults(pid, out);
	return err == -ENOENT ? -ESRCH : err;
}
