/* SPDX-License-Identifier: GPL-3.0-or-later */
/* groups - control groups of the cpu controller, of version 1 or 2. */
#ifndef VAMP_GROUPS_H
#define VAMP_GROUPS_H

#include "undo.h"

#include <stdbool.h>

/* By version (1, 2): names of a group's files, and the default weight of a group, equal to that of a task with nice value 0. */
extern const struct groups_version {
	const char *weight, *threads;
	int whole;
} groups_version[3];

struct groups_path {
	char text[2 * UNDO_PATH];
};
struct groups_path groups_path(const char *folder, const char *file);
bool groups_has_file(const char *folder, const char *file);

/* Finds where cpu groups are mounted. `root` ("" but for tests) is put before every path. Returns the version; 0: not mounted. */
struct groups {
	const char *root;
	int version;
	char mount[UNDO_PATH - 64];
};
int groups_find_mount(struct groups *g, const char *root);
/* Finds the folder of the cpu group that a task is in (tid 0: the caller). False: there is none. */
bool groups_find_task_group(const struct groups *g, pid_t tid, char *folder, size_t size);
/* Does this file of the group (cgroup.controllers, cgroup.subtree_control) list the cpu controller? */
bool groups_list_has_cpu(const char *folder, const char *file);
/* Version 2: enables the cpu controller for the groups below, so that these have weights. 0 or -errno. */
int groups_enable_cpu_below(const char *folder, struct undo *undo);

#endif
