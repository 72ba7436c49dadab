// SPDX-License-Identifier: GPL-3.0-or-later
#include "shares_group.h"
#include "files.h"
#include "proc.h"
#include "why.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define GROUP_NAME "thinprobe-vamp-"
#define PASSES 20		/* new processes may be born while their group is emptied */

static bool is_below(const char *folder, const char *above)
{
	size_t n = strlen(above);

	return !strncmp(folder, above, n) && (folder[n] == '/' || folder[n] == '\0');
}

static bool has_groups(const char *folder)
{
	DIR *dir = opendir(folder);
	struct dirent *entry;
	bool found = false;

	while (dir && !found && (entry = readdir(dir)))
		found = entry->d_type == DT_DIR && entry->d_name[0] != '.';
	if (dir)
		closedir(dir);
	return found;
}

/* All processes of the group into `rest`, also those that are born meanwhile. */
static int empty_into(const char *folder, const char *rest, struct undo *undo)
{
	struct groups_path from = groups_path(folder, "cgroup.procs"), to = groups_path(rest, "cgroup.procs");

	for (int pass = 0; pass < PASSES; pass++) {
		pid_t *pid = NULL;
		size_t n = 0;
		int err = files_numbers(from.text, &pid, &n);

		for (size_t i = 0; i < n && (!err || err == -ESRCH); i++)
			err = undo_move(undo, pid[i], 0, to.text, from.text);
		free(pid);
		if (err && err != -ESRCH)
			return err;
		if (!n)
			return 0;
	}
	return -EBUSY;
}

/* Lets the groups below `above` have weights. The root may hold processes all the same: it alone has no cgroup.events. */
static int share_out(const struct shares_group *g, struct undo *undo, char *why, size_t size)
{
	char rest[UNDO_PATH], text[8];
	int err = 0;

	if (!groups_list_cpu(g->above, "cgroup.controllers"))
		return why_write(-ENOTSUP, why, size,
				 "%s has no cpu controller: write +cpu to cgroup.subtree_control of the group above", g->above);
	if (groups_list_cpu(g->above, "cgroup.subtree_control"))
		return 0;
	files_read(groups_path(g->above, "cgroup.procs").text, text, sizeof(text));
	if (*text && groups_have(g->above, "cgroup.events")) {
		if (has_groups(g->above))
			return why_write(-EBUSY, why, size,
					 "%s holds processes beside groups: move these into a group of their own", g->above);
		snprintf(rest, sizeof(rest), "%s/" GROUP_NAME "%d-rest", g->above, (int)getpid());
		err = undo_mkdir(undo, rest);
		if (!err)
			err = empty_into(g->above, rest, undo);
	}
	if (!err)
		err = groups_enable(g->above, undo);
	if (err)
		snprintf(why, size, "%s/cgroup.subtree_control: %s: run it as root or in a delegated group (systemd-run -p Delegate=yes)",
			 g->above, strerror(-err));
	return err;
}

static int make_ours(const struct shares_group *g, enum ratio ratio, struct undo *undo)
{
	const struct groups_version *v = &groups_version[g->groups.version];
	int parts = ratio_steps[ratio].parts, err = undo_mkdir(undo, g->ours);
	char text[16];

	snprintf(text, sizeof(text), "%d\n", (v->whole + parts / 2) / parts);
	return err ? err : undo_write(undo, groups_path(g->ours, v->weight).text, text);
}

int shares_group_open(struct shares_group *g, const char *root, const char *above, enum ratio ratio, struct undo *undo, char *why,
		      size_t size)
{
	size_t mark = undo_mark(undo), n;
	int err;

	if (!groups_find(&g->groups, root))
		return why_write(-ENOENT, why, size, "no cpu cgroups are mounted");
	if (above)
		snprintf(g->above, sizeof(g->above), "%s%s", root, above);
	else if (!groups_of(&g->groups, 0, g->above, sizeof(g->above)) || !groups_have(g->above, "cgroup.procs"))
		snprintf(g->above, sizeof(g->above), "%s", g->groups.mount);	/* a container whose own group is mounted as the root */
	for (n = strlen(g->above); n > 1 && g->above[n - 1] == '/'; n--)
		g->above[n - 1] = '\0';
	if (!is_below(g->above, g->groups.mount) || !groups_have(g->above, "cgroup.procs"))
		return why_write(-ENOENT, why, size, "%s is no cpu group: give a folder below %s", g->above, g->groups.mount);
	if (snprintf(g->ours, sizeof(g->ours), "%s/" GROUP_NAME "%d", g->above, (int)getpid()) >= (int)sizeof(g->ours) - 32)
		return why_write(-ENAMETOOLONG, why, size, "the path of %s is too long", g->above);
	err = g->groups.version == 2 ? share_out(g, undo, why, size) : 0;
	if (!err) {
		err = make_ours(g, ratio, undo);
		if (err)
			snprintf(why, size, "%s: %s: run it as root or give a delegated group", g->ours, strerror(-err));
	}
	if (err)
		undo_back(undo, mark);
	return err;
}

static bool is_of_vamp(const char *folder)
{
	const char *name = strrchr(folder, '/');

	return name && !strncmp(name + 1, GROUP_NAME, strlen(GROUP_NAME)) && !strstr(name, "-rest");
}

int shares_group_take(const struct shares_group *g, struct undo *undo, const struct tag *tag)
{
	char folder[UNDO_PATH];

	if (!groups_of(&g->groups, tag->pid, folder, sizeof(folder)))
		return -ESRCH;
	if (!is_below(folder, g->above))
		return -EXDEV;
	if (!strcmp(folder, g->ours))
		return 0;
	if (is_of_vamp(folder))	/* another daemon's: it moves it away from us, and later we would put it back there, for good */
		return -EBUSY;
	return undo_move(undo, tag->pid, tag->start, groups_path(g->ours, "cgroup.procs").text, groups_path(folder, "cgroup.procs").text);
}
