// SPDX-License-Identifier: GPL-3.0-or-later
/* shares_group - a cpu group below the session's own: the background competes in it, so that the session's budget stays.
 * (A process whose threads are in several groups of version 1 comes back as a whole into that of its first thread.) */
#include "files.h"
#include "shares_inside.h"

#include <dirent.h>
#include <errno.h>
#include <mntent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SHARES_DEFAULT 1024	/* of version 1: a group's, and a task's of nice value 0 */
#define WEIGHT_DEFAULT 100	/* of version 2 */
#define PASSES 20		/* processes that are born while their group is emptied */

struct path {
	char text[2 * UNDO_PATH];
};

static struct path path_of(const char *folder, const char *file)
{
	struct path p;

	snprintf(p.text, sizeof(p.text), "%s/%s", folder, file);
	return p;
}

static bool is_there(const char *folder, const char *file)
{
	return access(path_of(folder, file).text, F_OK) == 0;
}

/* A list of words in one line: cgroup.controllers, cgroup.subtree_control. */
static bool lists_cpu(const char *folder, const char *file)
{
	char line[512], *rest;

	if (files_read(path_of(folder, file).text, line, sizeof(line)))
		return false;
	for (char *word = strtok_r(line, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
		if (!strcmp(word, "cpu"))
			return true;
	return false;
}

/* ---- where ---- */

/* Version 1 where the cpu controller is mounted so, else version 2. */
static int find_mount(struct shares_group *g)
{
	struct path mounts = path_of(g->root, "proc/self/mounts");
	struct mntent *m;
	FILE *f = setmntent(mounts.text, "re");

	g->version = 0;
	while (f && (m = getmntent(f))) {
		int version = !strcmp(m->mnt_type, "cgroup") && hasmntopt(m, "cpu") ? 1 : !strcmp(m->mnt_type, "cgroup2") ? 2 : 0;

		if (!version || (g->version && g->version <= version))
			continue;
		if (snprintf(g->mount, sizeof(g->mount), "%s%s", g->root, m->mnt_dir) < (int)sizeof(g->mount))
			g->version = version;
	}
	if (f)
		endmntent(f);
	return g->version ? 0 : -ENOENT;
}

/* The folder of the group a process is in. `who`: a pid or "self". */
static int find_group(const struct shares_group *g, const char *who, char *folder, size_t size)
{
	char file[2 * UNDO_PATH], group[UNDO_PATH];
	int version = 0;
	FILE *f;

	snprintf(file, sizeof(file), "%s/proc/%s/cgroup", g->root, who);
	f = fopen(file, "re");
	if (!f)
		return -ESRCH;
	version = proc_read_cgroup(f, "cpu", group, sizeof(group));
	fclose(f);
	if (version != g->version || snprintf(folder, size, "%s%s", g->mount, strcmp(group, "/") ? group : "") >= (int)size)
		return -ENOENT;
	return 0;
}

static bool is_below(const char *folder, const char *above)
{
	size_t n = strlen(above);

	return !strncmp(folder, above, n) && (folder[n] == '/' || folder[n] == '\0');
}

/* ---- version 2 ---- */

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
	struct path from = path_of(folder, "cgroup.procs"), to = path_of(rest, "cgroup.procs");

	for (int pass = 0; pass < PASSES; pass++) {
		pid_t *pid;
		size_t n;
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
	struct path control = path_of(g->above, "cgroup.subtree_control");
	char rest[UNDO_PATH];
	pid_t *pid;
	size_t n;
	int err;

	if (!lists_cpu(g->above, "cgroup.controllers")) {
		snprintf(why, size, "%s has no cpu controller: write +cpu to cgroup.subtree_control of the group above", g->above);
		return -ENOTSUP;
	}
	if (lists_cpu(g->above, "cgroup.subtree_control"))
		return 0;
	err = files_numbers(path_of(g->above, "cgroup.procs").text, &pid, &n);
	free(pid);
	if (!err && n && is_there(g->above, "cgroup.events")) {
		if (has_groups(g->above)) {
			snprintf(why, size, "%s holds processes beside groups: move these into a group of their own", g->above);
			return -EBUSY;
		}
		snprintf(rest, sizeof(rest), "%s/thinprobe-vamp-%d-rest", g->above, (int)getpid());
		err = undo_mkdir(undo, rest);
		if (!err)
			err = empty_into(g->above, rest, undo);
	}
	if (!err)
		err = undo_enable(undo, control.text, "cpu");
	if (err)
		snprintf(why, size, "%s: %s: run it as root or in a delegated group (systemd-run -p Delegate=yes)", control.text, strerror(-err));
	return err;
}

/* ---- */

static int weigh(const struct shares_group *g, enum ratio ratio, struct undo *undo)
{
	int parts = ratio_parts[ratio], whole = g->version == 1 ? SHARES_DEFAULT : WEIGHT_DEFAULT;
	char text[16];

	snprintf(text, sizeof(text), "%d\n", (whole + parts / 2) / parts);
	return undo_write(undo, path_of(g->ours, g->version == 1 ? "cpu.shares" : "cpu.weight").text, text);
}

int shares_group_open(struct shares_group *g, const char *root, const char *above, enum ratio ratio, struct undo *undo, char *why,
		      size_t size)
{
	size_t mark = undo_mark(undo), n;
	int err;

	*g = (struct shares_group){ .root = root };
	if (find_mount(g)) {
		snprintf(why, size, "no cpu cgroups are mounted");
		return -ENOENT;
	}
	if (above)
		snprintf(g->above, sizeof(g->above), "%s%s", root, above);
	else if (find_group(g, "self", g->above, sizeof(g->above)) || !is_there(g->above, "cgroup.procs"))
		snprintf(g->above, sizeof(g->above), "%s", g->mount);	/* a container whose own group is mounted as the root */
	for (n = strlen(g->above); n > 1 && g->above[n - 1] == '/'; n--)
		g->above[n - 1] = '\0';
	if (!is_below(g->above, g->mount) || !is_there(g->above, "cgroup.procs")) {
		snprintf(why, size, "%s is no cpu group: give a folder below %s", g->above, g->mount);
		return -ENOENT;
	}
	if (snprintf(g->ours, sizeof(g->ours), "%s/thinprobe-vamp-%d", g->above, (int)getpid()) >= (int)sizeof(g->ours) - 32) {
		snprintf(why, size, "the path of %s is too long", g->above);
		return -ENAMETOOLONG;
	}
	err = g->version == 2 ? share_out(g, undo, why, size) : 0;
	if (!err) {
		err = undo_mkdir(undo, g->ours);
		if (!err)
			err = weigh(g, ratio, undo);
		if (err)
			snprintf(why, size, "%s: %s: run it as root or give a delegated group", g->ours, strerror(-err));
	}
	if (err)
		undo_back(undo, mark);
	return err;
}

int shares_group_take(const struct shares_group *g, struct undo *undo, const struct tag *tag)
{
	char who[24], folder[UNDO_PATH];
	int err;

	snprintf(who, sizeof(who), "%d", (int)tag->pid);
	err = find_group(g, who, folder, sizeof(folder));
	if (err)
		return err;
	if (!is_below(folder, g->above))
		return -EXDEV;
	if (!strcmp(folder, g->ours))
		return 0;
	return undo_move(undo, tag->pid, tag->start, path_of(g->ours, "cgroup.procs").text, path_of(folder, "cgroup.procs").text);
}
