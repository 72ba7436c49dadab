// SPDX-License-Identifier: GPL-3.0-or-later
#include "groups.h"
#include "files.h"
#include "proc.h"

#include <string.h>
#include <unistd.h>

const struct cgroup_version_file_names groups_version[3] = {
	[1] = { "cpu.shares", "tasks", 1024 }, [2] = { "cpu.weight", "cgroup.threads", 100 }
};

struct cgroup_file_path groups_file_path(const char *folder, const char *file)
{
	struct cgroup_file_path p;

	snprintf(p.text, sizeof(p.text), "%s/%s", folder, file);
	return p;
}

bool groups_has_file(const char *folder, const char *file)
{
	return access(groups_file_path(folder, file).text, F_OK) == 0;
}

int groups_find_mount(struct cpu_cgroup_hierarchy *g, const char *root)
{
	*g = (struct cpu_cgroup_hierarchy){ .root = root };
	g->version = proc_find_cgroup_mount_point(root, "cpu", g->mount, sizeof(g->mount));
	return g->version;
}

bool groups_find_task_group(const struct cpu_cgroup_hierarchy *g, pid_t tid, char *folder, size_t size)
{
	char file[UNDO_PATH], group[UNDO_PATH];
	bool found = false;
	FILE *f;

	snprintf(file, sizeof(file), tid ? "%s/proc/%d/cgroup" : "%s/proc/self/cgroup", g->root, (int)tid);
	f = g->version ? fopen(file, "re") : NULL;
	if (f) {
		found = proc_parse_cgroup(f, "cpu", group, sizeof(group)) == g->version &&
			snprintf(folder, size, "%s%s", g->mount, strcmp(group, "/") ? group : "") < (int)size;
		fclose(f);
	}
	return found;
}

bool groups_file_lists_cpu(const char *folder, const char *file)
{
	char line[512], *rest;

	files_read_first_line(groups_file_path(folder, file).text, line, sizeof(line));
	for (char *word = strtok_r(line, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
		if (!strcmp(word, "cpu"))
			return true;
	return false;
}

int groups_enable_cpu_below(const char *folder, struct undo_recorder *undo)
{
	return groups_file_lists_cpu(folder, "cgroup.subtree_control") ? 0 :
	       undoable_enable_controller(undo, groups_file_path(folder, "cgroup.subtree_control").text, "cpu");
}
