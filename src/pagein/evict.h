/* SPDX-License-Identifier: GPL-3.0-or-later */
/* evict - two ways to push a process out of memory: advice about its mappings, and another process that takes the memory. */
#ifndef PAGEIN_EVICT_H
#define PAGEIN_EVICT_H

#include <stddef.h>
#include <sys/types.h>

/* Advises the kernel to page out every mapping of the process (process_madvise(2), MADV_PAGEOUT).
 * Those that refuse (locked, special) are passed over. 0; -ESRCH, -EPERM, -ENOSYS (Linux before
 * 5.10). What it leaves in the swap cache it cannot drive out. */
int evict_by_advice(pid_t pid);

/* The process that takes the memory: a command of the user's. */
struct evict_hog {
	pid_t pid;	/* and its process group; 0: not running */
	int talk_fd;	/* what it says on standard error, to be quoted */
};

/* 0 or -errno: it runs, or could not be started. It is told to stop (SIGTERM) when we die. */
int evict_hog_start(struct evict_hog *h, char *const *command);
/* Whether it has ended by itself: 0 no; 1 it was killed, as the kernel does when a group is full
 * and swap cannot follow; -1 anything else, and `why` holds the last line it said, or its
 * status. */
int evict_hog_ended(struct evict_hog *h, char *why, size_t size);
/* SIGUSR1 to all of its process group: it keeps its memory, and touches it no more. */
void evict_hog_rest(const struct evict_hog *h);
/* SIGTERM to all of its process group, and after five seconds SIGKILL. Returns when it is gone. */
void evict_hog_stop(struct evict_hog *h);

#endif
