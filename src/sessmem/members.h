/* SPDX-License-Identifier: GPL-3.0-or-later */
/* members - the processes of a login: found by session and descent in the table of all processes, and read from /proc. */
#pragma once

#include "proc.h"

struct member {
	pid_t pid;
	struct proc_stat is;
	bool in; /* belongs to the login */
};

/* Marks (`in`) the members of the login with these root processes: a root itself, every process whose session is a root's
 * pid, and every descendant of a marked process. A daemon (a session of its own, and its parent has ended) is not found. Kernel
 * threads are never marked. Pure. */
void members_mark_login(struct member *m, size_t n, const pid_t *root, size_t roots);

/* The process with that pid; NULL: there is none. Pure. */
struct member *members_find(struct member *m, size_t n, pid_t pid);

/* A kernel thread has no memory of its own. */
static inline bool member_is_kernel(const struct member *m)
{
	return m->is.flags & PROC_KTHREAD;
}

/* All processes there are; *out is the caller's to free. A process that ends meanwhile is left out. 0 or -errno. */
int members_read_all(struct member **out, size_t *n);

/* One process. 0; -ESRCH: it has ended. */
int members_read_process(pid_t pid, struct member *out);

/* Reads the command line, words separated by spaces, as much as fits; "" where there is none or it may not be read. */
void members_read_command(pid_t pid, char *text, size_t size);
