/* SPDX-License-Identifier: GPL-3.0-or-later */
/* undo_inside - the list of changes: undo.c writes the notes, undo_back.c undoes them, in the program or in its watchdog. */
#pragma once

#include "proc.h"
#include "undo.h"

#include <stdatomic.h>

/* 0 or -errno. */
int undo_read_setting(enum undo_kind kind, pid_t tid, struct undo_setting *out);
int undo_write_setting(enum undo_kind kind, pid_t tid, const struct undo_setting *to);

struct undo_entry {
	enum undo_kind kind;
	pid_t tid, session;
	uint64_t start, tick; /* start of the task, and time of the note: clock ticks after the boot */
	struct undo_setting before, now;
	char path[UNDO_PATH]; /* the written file, the made folder, or the file to which the task was written */
	char was[UNDO_PATH];  /* text of the file before, or the file to which the task is written back */
	size_t next;	      /* 1 + index of the note before this one in the chain of its task's number; 0: none */
};

#define UNDO_CHAINS 4096

/* In memory shared with the watchdog. Notes from `count` to `top` are undone already, but still needed to find tasks that
 * inherited a change: an interrupted undo is then repeated. */
struct undo_list {
	atomic_size_t count, top;
	size_t chain[UNDO_CHAINS]; /* by number of the task: 1 + index of its last note, which may be `top` */
	struct undo_entry note[];
};
/* Lowers `top`, and takes the notes above it out of their chains. */
void undo_lower_top(struct undo_list *list, size_t top);

struct undo_recorder {
	struct undo_list *list;
	size_t room;
	size_t failed; /* changes that could not be undone so far */
	pid_t watchdog;
};

/* The note of this kind for this task; NULL: none. */
struct undo_entry *undo_find_entry(const struct undo_recorder *u, enum undo_kind kind, pid_t tid, uint64_t start);
/* The note, at index `from` or later, whose change this task has inherited; NULL: none. For a task without a note of its own.
 * `is`: its current setting. */
struct undo_entry *undo_find_inherited(const struct undo_recorder *u, size_t from, enum undo_kind kind, pid_t tid,
				       const struct proc_stat *task, const struct undo_setting *is);
