/* SPDX-License-Identifier: GPL-3.0-or-later */
/* evict - two ways to page a process out: madvise on its mappings, and a memory hog, another process that takes the memory. */
#pragma once

#include "why.h"

#include <stddef.h>
#include <sys/types.h>

/* Advises the kernel to page out every mapping of the process (process_madvise(2), MADV_PAGEOUT). Locked and special mappings are
 * skipped. 0; -ESRCH, -EPERM, -ENOSYS (Linux before 5.10). Pages that stay in the swap cache cannot be removed by this advice. */
int evict_advise_pageout(pid_t pid);

/* The memory hog: a command given by the user. */
struct evict_hog {
	pid_t pid;     /* also the id of its process group; 0: not running */
	int stderr_fd; /* memfd with its standard error, quoted if it fails */
};

/* Starts the hog: 0 or -errno. The kernel sends it SIGTERM when pagein dies. */
int evict_start_hog(struct evict_hog *h, char *const *command);
/* Whether the hog has ended by itself. 0: no; 1: killed by SIGKILL, as the OOM killer does when a group is full and swap is too
 * slow; -1: ended otherwise, and `why` holds the last line of its standard error, or its exit status. */
int evict_poll_hog(struct evict_hog *h, struct why *why);
/* Sends SIGUSR1 to the process group of the hog: memhog then keeps its memory and stops touching it. */
void evict_pause_hog(const struct evict_hog *h);
/* Sends SIGTERM to the process group of the hog, after five seconds SIGKILL. Returns when the hog has ended. */
void evict_stop_hog(struct evict_hog *h);
