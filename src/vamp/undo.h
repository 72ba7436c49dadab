/* SPDX-License-Identifier: GPL-3.0-or-later */
/* undo - every change to the machine, noted before it is made, and undone in reverse: in order, or by a watchdog.
 *
 * The list lies in memory shared with a watchdog child, which waits for the end of this process (also kill -9) and then undoes
 * what is still on the list. The orderly way back is the same code: undo_back. A change that could not be undone is told on
 * standard error, one line each; where the task, group or file has gone, nothing is to be undone. A watchdog that has ended is
 * started again before the next change.
 *
 * A task that is born after its parent was changed inherits the change. undo_back finds such tasks: those of the process, of a
 * noted parent or of a noted session that have the setting of a noted task and are younger than its note. They get the setting that
 * the noted task had before; a task that was born in a group goes where its parent came from. (Not found: a grandchild in another
 * session whose parent has ended.)
 *
 * A copy of the list is not kept on disk: where both are killed at once, `thinprobe lab clean` finds what is left by its name
 * (groups "thinprobe-vamp-PID"). */
#ifndef VAMP_UNDO_H
#define VAMP_UNDO_H

#include <sched.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct undo;

/* Makes the list (room for so many changes, more are refused with -ENOSPC before they are made) and forks the watchdog: call it
 * while there is one thread. 0 or -errno. */
int undo_start(struct undo **out, size_t room);
pid_t undo_watchdog(const struct undo *u);

/* Each notes the state before and then makes the change. 0 or -errno; then nothing changed and nothing is noted. -ESRCH: the task
 * (`start`: clock ticks after the boot; 0: any) has ended. Paths are shorter than UNDO_PATH, else -ENAMETOOLONG.
 * A task whose nice value or affinity is noted already keeps that note, and takes no more room. */
#define UNDO_PATH 512
int undo_write_file(struct undo *u, const char *path, const char *text);		/* a file of one line, as in sysfs and cgroups */
int undo_enable_word(struct undo *u, const char *path, const char *word);		/* a list of words that takes +word and -word */
int undo_mkdir(struct undo *u, const char *path);				/* a cgroup; undone by rmdir when it is emptied */
int undo_mkfifo(struct undo *u, const char *path);				/* undone by unlink */
/* Writes tid into the file `to` (cgroup.procs, tasks); back: into `from`, or that of the nearest group above that is left. */
int undo_move_task(struct undo *u, pid_t tid, uint64_t start, const char *to, const char *from);
int undo_set_nice(struct undo *u, pid_t tid, uint64_t start, int nice);		/* -EPERM also where it could not be undone */
int undo_set_affinity(struct undo *u, pid_t tid, uint64_t start, const cpu_set_t *set);

/* How the task was before the first change noted, its own or one that it inherited; else how it is. 0, -ESRCH. */
int undo_original_nice(const struct undo *u, pid_t tid, int *nice);
int undo_original_affinity(const struct undo *u, pid_t tid, cpu_set_t *set);

/* How many changes are noted; and back to that many, the last first. Returns how many could not be undone. */
size_t undo_mark(const struct undo *u);
size_t undo_to_mark(struct undo *u, size_t mark);

/* Undoes all, ends the watchdog and frees. How many could not be undone, now and before. */
size_t undo_stop(struct undo *u);

#endif
