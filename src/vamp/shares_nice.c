// SPDX-License-Identifier: GPL-3.0-or-later
#include "files.h"
#include "shares_inside.h"
#include "undo_inside.h"

#include <errno.h>
#include <stdlib.h>

#define NICE_MOST 19
#define PASSES 4	/* a thread that is born while its process is gone through */

static int take_thread(struct undo *undo, pid_t tid, int more, bool *changed)
{
	int was, now, err;

	err = undo_nice_was(undo, tid, &was);
	if (!err)
		err = undo_read_nice(tid, &now);
	if (err)
		return err;
	was = was + more < NICE_MOST ? was + more : NICE_MOST;
	if (now == was)
		return 0;
	*changed = true;
	return undo_nice(undo, tid, 0, was);
}

int shares_nice_take(struct undo *undo, const struct tag *tag, int more)
{
	struct proc_stat task;
	bool changed = true;
	char folder[40];

	if (files_stat(tag->pid, &task) || task.start != tag->start)
		return -ESRCH;
	snprintf(folder, sizeof(folder), "/proc/%d/task", (int)tag->pid);
	for (int pass = 0; changed && pass < PASSES; pass++) {
		pid_t *tid;
		size_t n;
		int err = files_numbered(folder, &tid, &n);

		changed = false;
		for (size_t i = 0; i < n && (!err || err == -ESRCH); i++)
			err = take_thread(undo, tid[i], more, &changed);
		free(tid);
		if (err && err != -ESRCH)
			return err == -ENOENT ? -ESRCH : err;
	}
	return 0;
}
