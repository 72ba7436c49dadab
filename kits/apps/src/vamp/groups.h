/* SPDX-License-Identifier: GPL-3.0-or-later */
/* groups - control groups of the cpu controller, of version 1 or 2; and the one that vamp makes for the background. */
#pragma once

#include "throttle.h"
#include "undo.h"
#include "why.h"

/* By version (1, 2): names of a group's files, and the default weight of a group, equal to that of a task with nice value 0. */
extern const struct group_version {
	const char *weight, *threads;
	int whole;
} groups_version[3];

struct group_path {
	char text[2 * UNDO_PATH];
};
struct group_path groups_path(const char *folder, const char *file);
bool groups_has_file(const char *folder, const char *file);

/* Where cpu groups are mounted (version 0: nowhere). */
struct cpu_groups {
	const char *root;
	int version;
	char mount[UNDO_PATH - 64];
};
/* Finds where cpu groups are mounted. `root` ("" but for tests) is put before every path. Returns the version; 0: not mounted. */
int groups_find_mount(struct cpu_groups *g, const char *root);
/* Finds the folder of the cpu group that a task is in (tid 0: the caller). False: there is none. */
bool groups_find_folder(const struct cpu_groups *g, pid_t tid, char *folder, size_t size);
/* Does this file of the group (cgroup.controllers, cgroup.subtree_control) list the cpu controller? */
bool groups_has_cpu(const char *folder, const char *file);
/* Version 2: enables the cpu controller for the groups below, so that these have weights. 0 or -errno. */
int groups_enable_cpu(const char *folder, struct undo_recorder *undo);

/* A cpu group for the background below the session's own group, so that the session's share of the CPU stays the same. */
struct background_group {
	struct cpu_groups groups;
	char above[UNDO_PATH - 64], ours[UNDO_PATH];
};

/* Makes a group for the background below the cpu group `above` (NULL: the caller's own). 0, or -errno with the reason in `why`,
 * and nothing has changed. Version 2: if `above` holds processes and its child groups have no weights yet, these processes are
 * first moved to a second new group (a group whose child groups have weights must not hold processes). */
int shares_open_group(struct background_group *g, const char *root, const char *above, enum throttle_ratio ratio,
		      struct undo_recorder *undo, struct why *why);
/* Moves a process to the background group. 0; -ESRCH: it has ended; -EXDEV: it is not below `above`; other -errno. (Version 1: a
 * process with threads in several groups is moved back as a whole, to the group of its first thread.) */
int shares_move_process(const struct background_group *g, struct undo_recorder *undo, const struct background_tag *tag);
