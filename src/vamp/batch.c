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

struct batch {
	struct throttle throttle;
	struct undo *undo;
	size_t mark;		/* undo_mark() before the episode */
	bool lasts, v2;
	char group[UNDO_PATH - 32];
};

static int batch_write(const struct batch *b, const char *file, const char *text)
{
	return undo_write_file(b->undo, groups_path(b->group, file).text, text);
}

static int batch_end(struct throttle *f)
{
	struct batch *b = (struct batch *)f;
	bool lasted = b->lasts;

	b->lasts = false;
	return lasted && undo_to_mark(b->undo, b->mark) ? -EIO : 0;
}

static int batch_begin(struct throttle *f, const struct loaded_process *tag, size_t n)
{
	struct batch *b = (struct batch *)f;
	int err;

	(void)tag, (void)n;
	batch_end(f);
	b->mark = undo_mark(b->undo);
	err = b->v2 ? batch_write(b, "cpu.max", "1000 1000000\n") : batch_write(b, "cpu.cfs_period_us", "1000000\n");
	if (!err && !b->v2)
		err = batch_write(b, "cpu.cfs_quota_us", "1000\n");
	if (err)
		undo_to_mark(b->undo, b->mark);
	b->lasts = !err;
	return err;
}

static void batch_close(struct throttle *f)
{
	batch_end(f);
	free(f);
}

static void batch_describe(const struct throttle *f, char *text, size_t size)
{
	const struct batch *b = (const struct batch *)f;

	snprintf(text, size, "%s has %s", b->group, b->lasts ? "1 ms of CPU time a second" : "its CPU time");
}

static const struct throttle_ops batch_ops = { batch_begin, NULL, batch_end, batch_close, batch_describe };

static bool batch_can_write(const struct batch *b, const char *file)
{
	return !access(groups_path(b->group, file).text, W_OK);
}

int batch_open(struct throttle **out, const char *group, struct undo *undo, char *why, size_t size)
{
	struct batch *b = calloc(1, sizeof(*b));
	int n = b ? snprintf(b->group, sizeof(b->group), "%s", group) : 0;

	if (!b || n >= (int)sizeof(b->group)) {
		snprintf(why, size, b ? "--batch %s: the path is too long" : "no memory", group);
		free(b);
		return -ENOMEM;
	}
	b->throttle = (struct throttle){ &batch_ops, true };
	b->undo = undo;
	b->v2 = batch_can_write(b, "cpu.max");
	if (!b->v2 && !batch_can_write(b, "cpu.cfs_quota_us")) {
		snprintf(why, size, "--batch %s: no cpu group whose quota may be set; name the folder of one, as root or where it is delegated",
			 group);
		free(b);
		return -EACCES;
	}
	*out = &b->throttle;
	return 0;
}
