// SPDX-License-Identifier: GPL-3.0-or-later
#include "groups.h"
#include "files.h"
#include "proc.h"

#include <string.h>
#include <unistd.h>

const struct group_version groups_version[3] = {
	[1] = { "cpu.shares", "tasks", 1024 }, [2] = { "cpu.weight", "cgroup.threads", 100 }
};

struct group_path groups_path(const char *folder, const char *file)
{
	struct group_path p;

	snprintf(p.text, sizeof(p.text), "%s/%s", folder, file);
	return p;
}

bool groups_has_file(const char *folder, const char *file)
{
	return access(groups_path(folder, file).text, F_OK) == 0;
}

int groups_find_mount(struct cpu_groups *g, const char *root)
{
	*g = (struct cpu_groups){ .root = root };
	g->version = proc_find_cgroup_mount(root, "cpu", g->mount, sizeof(g->mount));
	return g->version;
}

bool groups_find_folder(const struct cpu_groups *g, pid_t tid, char *folder, size_t size)
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

bool groups_has_cpu(const char *folder, const char *file)
{
	char line[512], *rest;

	files_read_line(groups_path(folder, file).text, line, sizeof(line));
	for (char *word = strtok_r(line, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
		if (!strcmp(word, "cpu"))
			return true;
	return false;
}

int groups_enable_cpu(const char *folder, struct undo_recorder *undo)
{
	return groups_has_cpu(folder, "cgroup.subtree_control")
		       ? 0
		       : undoable_enable_word(undo, groups_path(folder, "cgroup.subtree_control").text, "cpu");
}
