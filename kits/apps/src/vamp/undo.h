/* SPDX-License-Identifier: GPL-3.0-or-later */
/* undo - changes to the machine, each noted before it is made, and undone in reverse order: by this program, or by a watchdog.
 *
 * The list of notes is in memory shared with a watchdog child, which waits for the end of this process (also by kill -9) and then
 * undoes the changes still on the list. Both use undo_revert(). For each change that cannot be undone a line is printed
 * on standard error; if the task, group or file no longer exists, there is nothing to undo. If the watchdog has ended, it is
 * started again before the next change.
 *
 * A task that is created after its parent was changed inherits the change. undo_revert() finds such tasks: a task of
 * the process, a child of a noted task, or a task of a noted task's session, which has the setting of the noted task and is younger
 * than the note. It gets the setting that the noted task had before; a task created in a group goes where its parent came from.
 * (Not found: a grandchild in another session whose parent has ended.)
 *
 * The list is not kept on disk: if both processes are killed at once, `thinprobe lab clean` finds groups left behind by their
 * names (thinprobe-vamp-PID). */
#pragma once

#include <sched.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum undo_kind { UNDO_WRITE, UNDO_MKDIR, UNDO_MKFIFO, UNDO_MOVE, UNDO_NICE, UNDO_AFFINITY };

/* Setting of a task: the member that the kind says (UNDO_NICE, UNDO_AFFINITY). */
struct undo_setting {
	int nice;
	cpu_set_t set;
};

struct undo_recorder;

/* Makes the list, with room for `room` changes (more are refused with -ENOSPC), and forks the watchdog: to be called before other
 * threads are started. 0 or -errno. */
int undo_open(struct undo_recorder **out, size_t room);
pid_t undo_watchdog(const struct undo_recorder *u);

#define UNDO_PATH 512
/* Each function below notes the state before, then makes the change. 0, or -errno, and nothing has changed. -ESRCH: the task has
 * ended (`start`: its start in clock ticks after the boot; 0: any). Paths must be shorter than UNDO_PATH, else -ENAMETOOLONG. A
 * task whose nice value or affinity is noted already keeps that note, and needs no further room. */
/* writes a file of one line, in sysfs or a cgroup */
int undoable_write_file(struct undo_recorder *u, const char *path, const char *text);
/* writes +word to a list; undone by -word */
int undoable_enable_word(struct undo_recorder *u, const char *path, const char *word);
/* makes a cgroup (UNDO_MKDIR), which is undone by rmdir once it is empty, or a fifo (UNDO_MKFIFO), which is removed */
int undoable_make(struct undo_recorder *u, enum undo_kind kind, const char *path);
/* Writes tid into the file `to` (cgroup.procs, tasks). Undone by writing it into `from`; if that group no longer exists, into the
 * same file of the nearest group above. */
int undoable_move_task(struct undo_recorder *u, pid_t tid, uint64_t start, const char *to, const char *from);
int undoable_set_nice(struct undo_recorder *u, pid_t tid, uint64_t start, int nice); /* -EPERM also if it could not be undone */
int undoable_set_cpus(struct undo_recorder *u, pid_t tid, uint64_t start, const cpu_set_t *set);

/* The setting of a task before its first noted change, or before a change that it inherited; if there is none, its current
 * setting. 0 or -ESRCH. */
int undo_first_setting(const struct undo_recorder *u, enum undo_kind kind, pid_t tid, struct undo_setting *out);

/* undo_mark(): the number of noted changes. undo_revert(): undoes the changes after that mark, the last one
 * first, and returns how many could not be undone. */
size_t undo_mark(const struct undo_recorder *u);
size_t undo_revert(struct undo_recorder *u, size_t mark);

/* Undoes all changes, ends the watchdog and frees. Returns how many changes could not be undone since undo_open(). */
size_t undo_close(struct undo_recorder *u);
