/* SPDX-License-Identifier: GPL-3.0-or-later */
/* procs - the processes there are, from /proc and from the folder of a control group. */
#ifndef THINPROBE_SESSMEM_PROCS_H
#define THINPROBE_SESSMEM_PROCS_H

#include "members.h"

/* All of them; *out is the caller's (free). What ends while it is looked at is left out. 0 or -errno. */
int procs_scan(struct member **out, size_t *n);

/* One: 0, -ESRCH. */
int procs_look(pid_t pid, struct member *out);

/* Do all of its threads stand still (stopped, traced, ended)? True too when there is no such process. */
bool procs_stands(pid_t pid);

/* Its command line, words apart by blanks, as much as fits; "" where there is none or it may not be seen. */
void procs_command(pid_t pid, char *text, size_t size);

/* VmPTE of /proc/PID/status: memory of the kernel for its page tables, in bytes; -1: not known. */
int64_t procs_page_tables(pid_t pid);

#endif
