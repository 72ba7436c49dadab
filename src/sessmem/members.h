/* SPDX-License-Identifier: GPL-3.0-or-later */
/* members - which processes belong to a login, by what the kernel says of all of them. Pure. */
#ifndef THINPROBE_SESSMEM_MEMBERS_H
#define THINPROBE_SESSMEM_MEMBERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct member {
	pid_t pid, ppid, session;
	char state;		/* of its first thread: R S D T t Z ... */
	bool kernel;		/* a thread of the kernel: no memory of its own */
	int64_t threads;
	uint64_t start;		/* ticks after boot: tells a pid that is used again */
	char name[64];
	bool in;		/* of the login */
};

/* Reads the text of /proc/PID/stat. The name may hold anything, spaces and parentheses too. 0 or -EPROTO. */
int member_read(const char *stat, struct member *out);

/* Marks (`in`) what belongs to these roots: a root itself, every process whose session is a root's
 * pid, and every descendant of what is marked. What has set up a session of its own and lost its
 * parent (a daemon) belongs to nobody any more, and is not found. Marks stay. Kernel threads are
 * never in. The number that is marked now. */
size_t members_mark(struct member *m, size_t n, const pid_t *root, size_t roots);

/* The one with that pid; NULL. */
struct member *members_find(struct member *m, size_t n, pid_t pid);

/* Is `pid` that process, or one that it descends from? */
bool members_above(struct member *m, size_t n, pid_t pid, pid_t below);

#endif
