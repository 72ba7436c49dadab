// SPDX-License-Identifier: GPL-3.0-or-later
/* batch - throttles a group of batch jobs to 1 ms of CPU time a second while an episode lasts, whatever CPU load it had before: a
 * job that waits for a disk has no CPU load, but may still evict the memory of others.
 *
 * By a CPU quota, not by the freezer: a frozen task cannot be ended, and version 1 has the freezer in another hierarchy.
 * (cgroup-v2.rst, cpu.max; sched-bwc.rst: the smallest quota is 1 ms, the longest period 1 s.) */
#include "groups.h"
#include "downcast.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

struct batch_throttle {
	struct throttle throttle;
	struct undo_recorder *undo;
	size_t mark; /* undo_mark() before the episode */
	bool lasts, v2;
	char group[UNDO_PATH - 32];
};

static int write_group_file(const struct batch_throttle *b, const char *file, const char *text)
{
	return undoable_write_file(b->undo, groups_path(b->group, file).text, text);
}

static const struct throttle_hooks batch_ops;

static int end_episode(struct throttle *f)
{
	struct batch_throttle *b = DOWNCAST(f, struct batch_throttle, f->ops == &batch_ops);
	bool lasted = b->lasts;

	b->lasts = false;
	return lasted && undo_revert(b->undo, b->mark) ? -EIO : 0;
}

static int begin_episode(struct throttle *f, const struct background_tag *tag, size_t n)
{
	struct batch_throttle *b = DOWNCAST(f, struct batch_throttle, f->ops == &batch_ops);
	int err;

	(void)tag, (void)n;
	end_episode(f);
	b->mark = undo_mark(b->undo);
	err = b->v2 ? write_group_file(b, "cpu.max", "1000 1000000\n") : write_group_file(b, "cpu.cfs_period_us", "1000000\n");
	if (!err && !b->v2)
		err = write_group_file(b, "cpu.cfs_quota_us", "1000\n");
	if (err)
		undo_revert(b->undo, b->mark);
	b->lasts = !err;
	return err;
}

static void close_throttle(struct throttle *f)
{
	end_episode(f);
	free(f);
}

static void describe_throttle(const struct throttle *f, char *text, size_t size)
{
	const struct batch_throttle *b = DOWNCAST(f, const struct batch_throttle, f->ops == &batch_ops);

	snprintf(text, size, "%s has %s", b->group, b->lasts ? "1 ms of CPU time a second" : "its CPU time");
}

static const struct throttle_hooks batch_ops = { begin_episode, NULL, end_episode, close_throttle, describe_throttle };

static bool is_writable(const struct batch_throttle *b, const char *file)
{
	return !access(groups_path(b->group, file).text, W_OK);
}

int batch_open(struct throttle **out, const char *group, struct undo_recorder *undo, struct why *why)
{
	struct batch_throttle *b = calloc(1, sizeof(*b));
	int n = b ? snprintf(b->group, sizeof(b->group), "%s", group) : 0;

	if (!b || n >= (int)sizeof(b->group)) {
		why_say(why, b ? "--batch %s: the path is too long" : "no memory", group);
		free(b);
		return -ENOMEM;
	}
	b->throttle = (struct throttle){ &batch_ops, true };
	b->undo = undo;
	b->v2 = is_writable(b, "cpu.max");
	if (!b->v2 && !is_writable(b, "cpu.cfs_quota_us")) {
		why_say(why,
			"--batch %s: no cpu group whose quota may be set; "
			"name the folder of one, as root or where it is delegated",
			group);
		free(b);
		return -EACCES;
	}
	*out = &b->throttle;
	return 0;
}
