/* SPDX-License-Identifier: GPL-3.0-or-later */
/* groups - control groups of the cpu controller, of either version. */
#ifndef VAMP_GROUPS_H
#define VAMP_GROUPS_H

#include "undo.h"

#include <stdbool.h>

/* By version (1, 2): the files of a group, and the weight that a group has from the start, as much as a task of nice value 0. */
extern const struct groups_version {
	const char *weight, *threads;
	int whole;
} groups_version[3];

struct groups_path {
	char text[2 * UNDO_PATH];
};
struct groups_path groups_path(const char *folder, const char *file);
bool groups_has_file(const char *folder, const char *file);

/* Where they are mounted. `root` ("" but for tests) is before every path. Returns the version; 0: nowhere. */
struct groups {
	const char *root;
	int version;
	char mount[UNDO_PATH - 64];
};
int groups_find_mount(struct groups *g, const char *root);
/* The folder of the group in which the controller counts a task (0: the caller); false: there is none. */
bool groups_find_task_group(const struct groups *g, pid_t tid, char *folder, size_t size);
/* Does the list in this file of the group (cgroup.controllers, cgroup.subtree_control) have the controller? */
bool groups_list_has_cpu(const char *folder, const char *file);
/* Version 2: lets the groups below have weights. 0 or -errno. */
int groups_enable_cpu_below(const char *folder, struct undo *undo);

#endif
