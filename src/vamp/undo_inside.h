/* SPDX-License-Identifier: GPL-3.0-or-later */
/* undo_inside - the list of changes: undo.c writes it, undo_back.c goes back over it, in the program or in its watchdog. */
#ifndef VAMP_UNDO_INSIDE_H
#define VAMP_UNDO_INSIDE_H

#include "files.h"
#include "undo.h"

#include <stdatomic.h>
#include <stdbool.h>

enum undo_kind { UNDO_WRITE, UNDO_ENABLE, UNDO_MKDIR, UNDO_MOVE, UNDO_NICE, UNDO_AFFINITY };

struct undo_note {
	enum undo_kind kind;
	pid_t tid, session;
	uint64_t start, tick;		/* of the task, and of the note: clock ticks after the boot */
	int nice, nice_now;
	cpu_set_t set, set_now;
	char path[UNDO_PATH];		/* what is written or made; of a move: to */
	char was[UNDO_PATH];		/* what stood there; of a move: from */
};

/* Shared with the watchdog. Notes from `count` to `top` are undone already, but they still tell who inherited what: what is
 * interrupted in the midst of going back is done again. */
struct undo_list {
	atomic_size_t count, top;
	struct undo_note note[];
};

/* Where the notes of a task are, for this process: those of one bucket lead to the next older one. NULL in the watchdog. */
enum { UNDO_BUCKETS = 4096 };
struct undo_index {
	uint32_t newest[UNDO_BUCKETS];	/* number of the note + 1; 0: none */
	uint32_t older[];		/* by number of the note */
};

struct undo {
	struct undo_list *list;
	struct undo_index *index;	/* or NULL: all notes are looked at */
	size_t room;
	size_t failed;			/* changes that could not be undone, up to now */
	pid_t watchdog;
};

/* The note of this task; NULL. */
struct undo_note *undo_noted(const struct undo *u, enum undo_kind kind, pid_t tid, uint64_t start);
/* The note, from `from` on, whose change a task that is nowhere noted has inherited; NULL. `nice`, `set`: as it is now. */
struct undo_note *undo_inherited(const struct undo *u, size_t from, enum undo_kind kind, pid_t tid, const struct proc_stat *task,
				 int nice, const cpu_set_t *set);
/* getpriority and its error apart. 0 or -errno. */
int undo_read_nice(pid_t tid, int *nice);

#endif
