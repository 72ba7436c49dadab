// SPDX-License-Identifier: GPL-3.0-or-later
/* batch - throttles a group of batch jobs to 1 ms of CPU time a second while an episode lasts, whatever CPU load it had before: a
 * job that waits for a disk has no CPU load, but may still evict the memory of others.
 *
 * By a CPU quota, not by the freezer: a frozen task cannot be ended, and version 1 has the freezer in another hierarchy.
 * (cgroup-v2.rst, cpu.max; sched-bwc.rst: the smallest quota is 1 ms, the longest period 1 s.) */
#include "groups.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

struct batch_throttle {
	struct throttle_method throttle;
	struct undo_recorder *undo;
	size_t mark;		/* undo_get_current_mark() before the episode */
	bool lasts, v2;
	char group[UNDO_PATH - 32];
};

static int batch_write_group_file(const struct batch_throttle *b, const char *file, const char *text)
{
	return undoable_write_file(b->undo, groups_file_path(b->group, file).text, text);
}

static int batch_end_episode(struct throttle_method *f)
{
	struct batch_throttle *b = (struct batch_throttle *)f;
	bool lasted = b->lasts;

	b->lasts = false;
	return lasted && undo_changes_after_mark(b->undo, b->mark) ? -EIO : 0;
}

static int batch_begin_episode(struct throttle_method *f, const struct high_load_process *tag, size_t n)
{
	struct batch_throttle *b = (struct batch_throttle *)f;
	int err;

	(void)tag, (void)n;
	batch_end_episode(f);
	b->mark = undo_get_current_mark(b->undo);
	err = b->v2 ? batch_write_group_file(b, "cpu.max", "1000 1000000\n") : batch_write_group_file(b, "cpu.cfs_period_us", "1000000\n");
	if (!err && !b->v2)
		err = batch_write_group_file(b, "cpu.cfs_quota_us", "1000\n");
	if (err)
		undo_changes_after_mark(b->undo, b->mark);
	b->lasts = !err;
	return err;
}

static void batch_throttle_close(struct throttle_method *f)
{
	batch_end_episode(f);
	free(f);
}

static void batch_describe(const struct throttle_method *f, char *text, size_t size)
{
	const struct batch_throttle *b = (const struct batch_throttle *)f;

	snprintf(text, size, "%s has %s", b->group, b->lasts ? "1 ms of CPU time a second" : "its CPU time");
}

static const struct throttle_method_hooks batch_ops = { batch_begin_episode, NULL, batch_end_episode, batch_throttle_close,
	batch_describe };

static bool batch_group_file_is_writable(const struct batch_throttle *b, const char *file)
{
	return !access(groups_file_path(b->group, file).text, W_OK);
}

int batch_throttle_open(struct throttle_method **out, const char *group, struct undo_recorder *undo, struct why *why)
{
	struct batch_throttle *b = calloc(1, sizeof(*b));
	int n = b ? snprintf(b->group, sizeof(b->group), "%s", group) : 0;

	if (!b || n >= (int)sizeof(b->group)) {
		why_say(why, b ? "--batch %s: the path is too long" : "no memory", group);
		free(b);
		return -ENOMEM;
	}
	b->throttle = (struct throttle_method){ &batch_ops, true };
	b->undo = undo;
	b->v2 = batch_group_file_is_writable(b, "cpu.max");
	if (!b->v2 && !batch_group_file_is_writable(b, "cpu.cfs_quota_us")) {
		why_say(why, "--batch %s: no cpu group whose quota may be set; "
			 "name the folder of one, as root or where it is delegated", group);
		free(b);
		return -EACCES;
	}
	*out = &b->throttle;
	return 0;
}
