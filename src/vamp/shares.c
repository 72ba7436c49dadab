// SPDX-License-Identifier: GPL-3.0-or-later
/* shares - divides the weight of the background by 3, 9 or 18: in a group of its own, else by nice values. */
#include "files.h"
#include "proc.h"
#include "scope.h"
#include "shares_group.h"
#include "why.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define NICE_MOST 19

struct shares {
	struct favour favour;
	struct undo *undo;
	enum ratio ratio;
	struct shares_group group;
	char no_group[400];	/* why it is by nice values; "": it is by a group */
	size_t opened, mark;	/* of the list of changes: before the group, and before the episode */
	bool lasts, autogrouped;
	size_t weighed, passed;	/* processes */
};

/* In the root group each session is a group of its own (sched(7), autogroup), and a nice value counts only within it. */
static bool is_autogrouped(pid_t pid)
{
	char on[4] = "", group[UNDO_PATH];

	return !files_read("/proc/sys/kernel/sched_autogroup_enabled", on, sizeof(on)) && !strcmp(on, "1") &&
	       proc_cgroup(pid, "cpu", group, sizeof(group)) && !strcmp(group, "/");
}

static int nice_thread(void *shares, pid_t tid, bool *changed)
{
	struct shares *s = shares;
	int nice, err = undo_nice_was(s->undo, tid, &nice);

	if (err)
		return err;
	nice += ratio_steps[s->ratio].nicer;
	nice = nice < NICE_MOST ? nice : NICE_MOST;
	if (getpriority(PRIO_PROCESS, (id_t)tid) == nice)
		return 0;
	*changed = true;
	return undo_nice(s->undo, tid, 0, nice);
}

static int nice_take(struct shares *s, const struct tag *tag)
{
	struct proc_stat task;

	return proc_stat(tag->pid, &task) || task.start != tag->start ? -ESRCH : scope_each_thread(tag->pid, nice_thread, s);
}

static int shares_end(struct favour *f)
{
	struct shares *s = (struct shares *)f;

	if (!s->lasts)
		return 0;
	s->lasts = false;
	s->weighed = s->passed = 0;	/* of an episode */
	return undo_back(s->undo, s->mark) ? -EIO : 0;
}

static int shares_begin(struct favour *f, const struct tag *tag, size_t n)
{
	struct shares *s = (struct shares *)f;
	int first = 0;

	shares_end(f);
	s->mark = undo_mark(s->undo);
	s->weighed = s->passed = 0;
	s->autogrouped = *s->no_group && n && is_autogrouped(tag[0].pid);
	for (size_t i = 0; i < n; i++) {
		int err = *s->no_group ? nice_take(s, &tag[i]) : shares_group_take(&s->group, s->undo, &tag[i]);

		if (!err)
			s->weighed++;
		else if (err != -ESRCH) {
			s->passed++;
			first = first ? first : err;
		}
	}
	if (first && !s->weighed) {
		undo_back(s->undo, s->mark);
		return first;
	}
	s->lasts = true;
	return 0;
}

static void shares_close(struct favour *f)
{
	struct shares *s = (struct shares *)f;

	undo_back(s->undo, s->opened);
	free(s);
}

static void shares_tell(const struct favour *f, char *text, size_t size)
{
	const struct shares *s = (const struct shares *)f;
	int n = snprintf(text, size, "%zu process%s 1 : %d ", s->weighed, s->weighed == 1 ? " weighs" : "es weigh",
			 ratio_steps[s->ratio].parts);

	if (n < (int)size && *s->no_group)
		n += snprintf(text + n, size - (size_t)n, "by nice +%d, which changes the budget against other users%s (%s)",
			      ratio_steps[s->ratio].nicer, s->autogrouped ? "; autogroup is on: it counts only within a session" : "",
			      s->no_group);
	else if (n < (int)size)
		n += snprintf(text + n, size - (size_t)n, "in cgroup v%d %s", s->group.groups.version, s->group.ours);
	if (n < (int)size && s->passed)
		snprintf(text + n, size - (size_t)n, "; %zu passed over: outside of it, of another vamp, or not ours to change", s->passed);
}

static const struct favour_ops shares_ops = { shares_begin, NULL, shares_end, shares_close, shares_tell };

/* Tries it on ourselves. */
static int try_nice(struct undo *undo)
{
	size_t mark = undo_mark(undo);
	int nice = getpriority(PRIO_PROCESS, 0), err = undo_nice(undo, getpid(), 0, nice < NICE_MOST ? nice + 1 : NICE_MOST);

	undo_back(undo, mark);
	return err;
}

int shares_open(struct favour **out, const char *group, enum ratio ratio, struct undo *undo, char *why, size_t size)
{
	struct shares *s = calloc(1, sizeof(*s));
	int err;

	if (!s)
		return why_write(-ENOMEM, why, size, "no memory");
	*s = (struct shares){ .favour.ops = &shares_ops, .undo = undo, .ratio = ratio, .opened = undo_mark(undo) };
	err = shares_group_open(&s->group, "", group, ratio, undo, s->no_group, sizeof(s->no_group)) ? try_nice(undo) : 0;
	if (err) {
		snprintf(why, size, "no group (%s), and nice values could not be set back (%s): run it as root or --group a delegated group",
			 s->no_group, strerror(-err));
		free(s);
		return err;
	}
	*out = &s->favour;
	return 0;
}
