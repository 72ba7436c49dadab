/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tree - all processes below one, and what the kernel has counted of them. */
#ifndef STARTUP_TREE_H
#define STARTUP_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define TREE_MAX 4096

struct tree {
	int n;
	pid_t pid[TREE_MAX];
	int threads[TREE_MAX];		/* of each */
	int64_t began[TREE_MAX];	/* clock ticks after the boot */
};

/* Sums over all processes below, also those that have ended and were waited for. Processes that end between two looks at them
 * may be missing from one of these, never from later ones: the figures only grow (the caller keeps the larger). */
struct tree_counts {
	int64_t minor_faults, major_faults, cpu_ns;
	bool blocked;			/* a process waits for a device (state D) */
};

/* Everything below `root`, which is not in it itself. What had ended without being waited for (a zombie) is left out. */
void tree_look(struct tree *t, pid_t root, struct tree_counts *counts);
/* Is it `root`, or below it? */
bool tree_holds(pid_t root, pid_t pid);
/* Tells all of them. */
void tree_kill(const struct tree *t, int signal);

#endif
