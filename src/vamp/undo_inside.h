/* SPDX-License-Identifier: GPL-3.0-or-later */
/* undo_inside - the list of changes: undo.c writes it, undo_back.c goes back over it, in the program or in its watchdog. */
#ifndef VAMP_UNDO_INSIDE_H
#define VAMP_UNDO_INSIDE_H

#include "proc.h"
#include "undo.h"

#include <stdatomic.h>

enum undo_kind { UNDO_WRITE, UNDO_MKDIR, UNDO_MKFIFO, UNDO_MOVE, UNDO_NICE, UNDO_AFFINITY };

/* Of a task: the one that the kind (UNDO_NICE, UNDO_AFFINITY) says. */
struct undo_setting {
	int nice;
	cpu_set_t set;
};
/* 0 or -errno */
int undo_read_setting(enum undo_kind kind, pid_t tid, struct undo_setting *out);
int undo_write_setting(enum undo_kind kind, pid_t tid, const struct undo_setting *to);

struct undo_note {
	enum undo_kind kind;
	pid_t tid, session;
	uint64_t start, tick;		/* of the task, and of the note: clock ticks after the boot */
	uint32_t older;			/* number of the next older note of the same bucket + 1; 0: none */
	struct undo_setting before, now;
	char path[UNDO_PATH];		/* the file that was written, the folder that was made, or where the task was moved to */
	char was[UNDO_PATH];		/* the text before the write, or where the task was before the move */
};

/* Shared with the watchdog. Notes from `count` to `top` are undone already, but are still needed to find the tasks that inherited a
 * change: a way back that was interrupted is gone again. */
struct undo_list {
	atomic_size_t count, top;
	struct undo_note note[];
};

enum { UNDO_BUCKETS = 4096 };
struct undo {
	struct undo_list *list;
	bool indexed;			/* false in the watchdog, which has `newest` as it was at the fork */
	uint32_t newest[UNDO_BUCKETS];	/* by tid: number of the newest note + 1; 0: none */
	size_t room;
	size_t failed;			/* changes that could not be undone, up to now */
	pid_t watchdog;
};

/* The note of this task; NULL. */
struct undo_note *undo_find_note(const struct undo *u, enum undo_kind kind, pid_t tid, uint64_t start);
/* The note, from `from` on, whose change a task that has no note of its own has inherited; NULL. `is`: its setting now. */
struct undo_note *undo_find_inherited_note(const struct undo *u, size_t from, enum undo_kind kind, pid_t tid,
					   const struct proc_stat *task, const struct undo_setting *is);

#endif
