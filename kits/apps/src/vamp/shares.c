// SPDX-License-Identifier: GPL-3.0-or-later
/* shares - divides the CPU weight of the background by 3, 9 or 18: in a group of its own, else by nice values. */
#include "files.h"
#include "downcast.h"
#include "proc.h"
#include "scope.h"
#include "groups.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define GROUP_NAME "thinprobe-vamp-"
#define PASSES 20 /* new processes may be created while their group is emptied */

static bool is_below(const char *folder, const char *above)
{
	size_t n = strlen(above);

	return !strncmp(folder, above, n) && (folder[n] == '/' || folder[n] == '\0');
}

static bool has_children(const char *folder)
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

/* Moves all processes of the group to `rest`, including those created meanwhile. */
static int move_all_processes(const char *folder, const char *rest, struct undo_recorder *undo)
{
	struct group_path from = groups_path(folder, "cgroup.procs"), to = groups_path(rest, "cgroup.procs");

	for (int pass = 0; pass < PASSES; pass++) {
		pid_t *pid = NULL;
		size_t n = 0;
		int err = files_list_numbers(from.text, &pid, &n);

		for (size_t i = 0; i < n && (!err || err == -ESRCH); i++)
			err = undoable_move_task(undo, pid[i], 0, to.text, from.text);
		free(pid);
		if (err && err != -ESRCH)
			return err;
		if (!n)
			return 0;
	}
	return -EBUSY;
}

/* Lets the groups below `above` have weights. Processes are moved away first, except from the root group, which alone has no
 * cgroup.events. */
static int enable_weights(const struct background_group *g, struct undo_recorder *undo, struct why *why)
{
	char rest[UNDO_PATH], text[8];
	int err = 0;

	if (!groups_has_cpu(g->above, "cgroup.controllers"))
		return why_fail(-ENOTSUP, why, "%s has no cpu controller: write +cpu to cgroup.subtree_control of the group above",
				g->above);
	if (groups_has_cpu(g->above, "cgroup.subtree_control"))
		return 0;
	files_read_line(groups_path(g->above, "cgroup.procs").text, text, sizeof(text));
	if (*text && groups_has_file(g->above, "cgroup.events")) {
		if (has_children(g->above))
			return why_fail(-EBUSY, why, "%s holds processes beside groups: move these into a group of their own",
					g->above);
		snprintf(rest, sizeof(rest), "%s/" GROUP_NAME "%d-rest", g->above, (int)getpid());
		err = undoable_make(undo, UNDO_MKDIR, rest);
		if (!err)
			err = move_all_processes(g->above, rest, undo);
	}
	if (!err)
		err = groups_enable_cpu(g->above, undo);
	if (err)
		why_say(why, "%s/cgroup.subtree_control: %s: run it as root or in a delegated group (systemd-run -p Delegate=yes)",
			g->above, strerror(-err));
	return err;
}

static int make_group(const struct background_group *g, enum throttle_ratio ratio, struct undo_recorder *undo)
{
	const struct group_version *v = &groups_version[g->groups.version];
	int parts = throttle_ratio_steps[ratio].parts, err = undoable_make(undo, UNDO_MKDIR, g->ours);
	char text[16];

	snprintf(text, sizeof(text), "%d\n", (v->whole + parts / 2) / parts);
	return err ? err : undoable_write_file(undo, groups_path(g->ours, v->weight).text, text);
}

int shares_open_group(struct background_group *g, const char *root, const char *above, enum throttle_ratio ratio,
		      struct undo_recorder *undo, struct why *why)
{
	size_t mark = undo_mark(undo), n;
	int err;

	if (!groups_find_mount(&g->groups, root))
		return why_fail(-ENOENT, why, "no cpu cgroups are mounted");
	if (above)
		snprintf(g->above, sizeof(g->above), "%s%s", root, above);
	else if (!groups_find_folder(&g->groups, 0, g->above, sizeof(g->above)) || !groups_has_file(g->above, "cgroup.procs"))
		snprintf(g->above, sizeof(g->above), "%s",
			 g->groups.mount); /* in a container, whose own group is mounted as the root */
	for (n = strlen(g->above); n > 1 && g->above[n - 1] == '/'; n--)
		g->above[n - 1] = '\0';
	if (!is_below(g->above, g->groups.mount) || !groups_has_file(g->above, "cgroup.procs"))
		return why_fail(-ENOENT, why, "%s is no cpu group: give a folder below %s", g->above, g->groups.mount);
	if (snprintf(g->ours, sizeof(g->ours), "%s/" GROUP_NAME "%d", g->above, (int)getpid()) >= (int)sizeof(g->ours) - 32)
		return why_fail(-ENAMETOOLONG, why, "%s: the path of a group below it would be too long", g->above);
	err = g->groups.version == 2 ? enable_weights(g, undo, why) : 0;
	if (!err) {
		err = make_group(g, ratio, undo);
		if (err)
			why_say(why, "%s: %s: run it as root or give a delegated group", g->ours, strerror(-err));
	}
	if (err)
		undo_revert(undo, mark);
	return err;
}

static bool is_vamp_group(const char *folder)
{
	const char *name = strrchr(folder, '/');

	return name && !strncmp(name + 1, GROUP_NAME, strlen(GROUP_NAME)) && !strstr(name, "-rest");
}

int shares_move_process(const struct background_group *g, struct undo_recorder *undo, const struct background_tag *tag)
{
	char folder[UNDO_PATH];

	if (!groups_find_folder(&g->groups, tag->pid, folder, sizeof(folder)))
		return -ESRCH;
	if (!is_below(folder, g->above))
		return -EXDEV;
	if (!strcmp(folder, g->ours))
		return 0;
	if (is_vamp_group(folder)) /* another vamp throttles it: undoing both moves could leave it in that vamp's group for good */
		return -EBUSY;
	return undoable_move_task(undo, tag->pid, tag->start, groups_path(g->ours, "cgroup.procs").text,
				  groups_path(folder, "cgroup.procs").text);
}

#define NICE_MOST 19

struct shares_throttle {
	struct throttle throttle;
	struct undo_recorder *undo;
	enum throttle_ratio ratio;
	struct background_group group;
	struct why no_group; /* why nice values are used; "": a group is used */
	size_t opened, mark; /* undo_mark() before the group was made, and before the episode */
	bool lasts, autogrouped;
	size_t weighed, passed; /* processes with a changed weight, and processes left unchanged */
};

/* Is the process in an autogroup? In the root group each session is a group of its own (sched(7)), and a nice value counts only
 * within it. */
static bool is_autogrouped(pid_t pid)
{
	char on[4] = "", group[UNDO_PATH];

	return !files_read_line("/proc/sys/kernel/sched_autogroup_enabled", on, sizeof(on)) && !strcmp(on, "1") &&
	       proc_read_cgroup(pid, "cpu", group, sizeof(group)) && !strcmp(group, "/");
}

static int raise_thread_nice(void *shares, pid_t tid, bool *changed)
{
	struct shares_throttle *s = shares;
	struct undo_setting was;
	int nice, err = undo_first_setting(s->undo, UNDO_NICE, tid, &was);

	if (err)
		return err;
	nice = was.nice + throttle_ratio_steps[s->ratio].nicer;
	nice = nice < NICE_MOST ? nice : NICE_MOST;
	if (getpriority(PRIO_PROCESS, (id_t)tid) == nice)
		return 0;
	*changed = true;
	return undoable_set_nice(s->undo, tid, 0, nice);
}

static int raise_process_nice(struct shares_throttle *s, const struct background_tag *tag)
{
	struct proc_stat task;

	return proc_read_stat(tag->pid, &task) || task.start != tag->start ? -ESRCH
									   : scope_change_threads(tag->pid, raise_thread_nice, s);
}

static const struct throttle_hooks shares_ops;

static int end_episode(struct throttle *f)
{
	struct shares_throttle *s = DOWNCAST(f, struct shares_throttle, f->ops == &shares_ops);

	if (!s->lasts)
		return 0;
	s->lasts = false;
	s->weighed = s->passed = 0; /* figures of the episode */
	return undo_revert(s->undo, s->mark) ? -EIO : 0;
}

static int begin_episode(struct throttle *f, const struct background_tag *tag, size_t n)
{
	struct shares_throttle *s = DOWNCAST(f, struct shares_throttle, f->ops == &shares_ops);
	int first = 0;

	end_episode(f);
	s->mark = undo_mark(s->undo);
	s->weighed = s->passed = 0;
	s->autogrouped = *s->no_group.text && n && is_autogrouped(tag[0].pid);
	for (size_t i = 0; i < n; i++) {
		int err = *s->no_group.text ? raise_process_nice(s, &tag[i]) : shares_move_process(&s->group, s->undo, &tag[i]);

		if (!err)
			s->weighed++;
		else if (err != -ESRCH) {
			s->passed++;
			first = first ? first : err;
		}
	}
	if (first && !s->weighed) {
		undo_revert(s->undo, s->mark);
		return first;
	}
	s->lasts = true;
	return 0;
}

static void close_throttle(struct throttle *f)
{
	struct shares_throttle *s = DOWNCAST(f, struct shares_throttle, f->ops == &shares_ops);

	undo_revert(s->undo, s->opened);
	free(s);
}

static void describe_throttle(const struct throttle *f, char *text, size_t size)
{
	const struct shares_throttle *s = DOWNCAST(f, const struct shares_throttle, f->ops == &shares_ops);
	int n = snprintf(text, size, "%zu process%s 1 : %d ", s->weighed, s->weighed == 1 ? " weighs" : "es weigh",
			 throttle_ratio_steps[s->ratio].parts);

	if (n < (int)size && *s->no_group.text)
		n += snprintf(text + n, size - (size_t)n,
			      "by nice +%d, which also lowers the session's weight against other users%s (%s)",
			      throttle_ratio_steps[s->ratio].nicer,
			      s->autogrouped ? "; autogroup is on: it counts only within a session" : "", s->no_group.text);
	else if (n < (int)size)
		n += snprintf(text + n, size - (size_t)n, "in cgroup v%d %s", s->group.groups.version, s->group.ours);
	if (n < (int)size && s->passed)
		snprintf(text + n, size - (size_t)n, "; %zu not changed: outside of the group, of another vamp, or not permitted",
			 s->passed);
}

static const struct throttle_hooks shares_ops = { begin_episode, NULL, end_episode, close_throttle, describe_throttle };

/* Tests on this process whether a nice value can be changed and set back. */
static int try_nice_change(struct undo_recorder *undo)
{
	size_t mark = undo_mark(undo);
	int nice = getpriority(PRIO_PROCESS, 0),
	    err = undoable_set_nice(undo, getpid(), 0, nice < NICE_MOST ? nice + 1 : NICE_MOST);

	undo_revert(undo, mark);
	return err;
}

int shares_open(struct throttle **out, const char *group, enum throttle_ratio ratio, struct undo_recorder *undo, struct why *why)
{
	struct shares_throttle *s = calloc(1, sizeof(*s));
	int err;

	if (!s)
		return why_fail(-ENOMEM, why, "no memory");
	*s = (struct shares_throttle){ .throttle.ops = &shares_ops, .undo = undo, .ratio = ratio, .opened = undo_mark(undo) };
	err = shares_open_group(&s->group, "", group, ratio, undo, &s->no_group) ? try_nice_change(undo) : 0;
	if (err) {
		why_fail(err, why,
			 "no group (%s), and nice values could not be set back (%s): "
			 "run it as root or --group a delegated group",
			 s->no_group.text, strerror(-err));
		free(s);
		return err;
	}
	*out = &s->throttle;
	return 0;
}
