/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tree - all processes below one, with their CPU time, page faults and memory. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define TREE_MAX 4096

struct tree {
	int n; /* processes */
	pid_t pid[TREE_MAX];
	int threads[TREE_MAX]; /* of each process */
};

/* Sums over all processes below the root, including those that have ended and were waited for. A process that ends while the tree
 * is read may be missing from that reading, but not from later ones; the sums never fall, so the caller keeps the larger. */
struct tree_sums {
	int64_t minor_faults, major_faults, cpu_ns;
	bool blocked; /* a process is in state D: waits for a device */
};

struct tree_memory {
	int64_t resident_bytes;
	int64_t proportional_bytes; /* shared pages divided by the number of processes that map them (Pss) */
	int64_t private_bytes;	    /* private dirty pages and swapped pages */
	int64_t swapped_bytes;
};

/* Lists the processes below `root`, without `root` and without zombies. */
void tree_list_processes(struct tree *t, pid_t root, struct tree_sums *counts);
/* True if `pid` is `root` or below it. */
bool tree_has_process(pid_t root, pid_t pid);
/* Sends a signal to all processes of the tree. */
void tree_signal(const struct tree *t, int signal);
/* Sums up the memory of all processes of the tree, from /proc/PID/smaps_rollup. All -1 if one of them may not be read (a program
 * with more rights than ours): a partial sum would be misleading. */
void tree_read_memory(const struct tree *t, struct tree_memory *out);
