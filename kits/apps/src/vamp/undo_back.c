// SPDX-License-Identifier: GPL-3.0-or-later
/* undo_back - undoes the notes of the list, in this program or in the watchdog. An interrupted step is done again as a whole. */
#include "undo_inside.h"
#include "clock.h"
#include "files.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PASSES 50	     /* limit: tasks may be created meanwhile, and a task that cannot be moved must not block the rest */
#define NAP (20 * NS_PER_MS) /* an emptied group stays busy until its last task has been reaped */

int undo_read_setting(enum undo_kind kind, pid_t tid, struct undo_setting *out)
{
	errno = 0;
	if (kind == UNDO_NICE)
		out->nice = getpriority(PRIO_PROCESS, (id_t)tid);
	else
		sched_getaffinity(tid, sizeof(out->set), &out->set);
	return -errno;
}

int undo_write_setting(enum undo_kind kind, pid_t tid, const struct undo_setting *to)
{
	int failed = kind == UNDO_NICE ? setpriority(PRIO_PROCESS, (id_t)tid, to->nice)
				       : sched_setaffinity(tid, sizeof(to->set), &to->set);

	return failed ? -errno : 0;
}

static bool are_equal(enum undo_kind kind, const struct undo_setting *a, const struct undo_setting *b)
{
	return kind == UNDO_NICE ? a->nice == b->nice : CPU_EQUAL(&a->set, &b->set);
}

void undo_lower_top(struct undo_list *list, size_t top)
{
	for (size_t i = list->top; i > top; i--) {
		size_t *chain = &list->chain[list->note[i - 1].tid % UNDO_CHAINS];

		if (*chain == i)
			*chain = list->note[i - 1].next;
	}
	list->top = top;
}

struct undo_entry *undo_find_entry(const struct undo_recorder *u, enum undo_kind kind, pid_t tid, uint64_t start)
{
	for (size_t i = u->list->chain[tid % UNDO_CHAINS]; i > 0; i = u->list->note[i - 1].next) {
		struct undo_entry *note = &u->list->note[i - 1];

		if (i <= u->list->top && note->tid == tid && note->kind == kind && note->start == start)
			return note;
	}
	return NULL;
}

/* Prefers a note of the process itself, then of the parent, then of another task of the session. (UNDO_MOVE: the caller has found
 * the task in the group.) */
struct undo_entry *undo_find_inherited(const struct undo_recorder *u, size_t from, enum undo_kind kind, pid_t tid,
				       const struct proc_stat *task, const struct undo_setting *is)
{
	struct undo_entry *parent = NULL, *session = NULL;
	pid_t process = 0;

	if (from < u->list->top && task->start < u->list->note[from].tick)
		return NULL; /* notes are in the order of time: the task is older than all of them */
	for (size_t i = from; i < u->list->top; i++) {
		struct undo_entry *note = &u->list->note[i];

		if (note->kind != kind || task->start < note->tick || (kind != UNDO_MOVE && !are_equal(kind, &note->now, is)) ||
		    (note->tid != task->ppid && note->session != task->session))
			continue;
		if (!process)
			process = proc_thread_pid(tid);
		if (process && !syscall(SYS_tgkill, process, note->tid, 0))
			return note;
		if (note->tid == task->ppid)
			parent = note;
		else
			session = note;
	}
	return parent ? parent : session;
}

/* Moves a process back by writing to the file `from`; if its group no longer exists, to that of the nearest group above that
 * accepts it. */
static int move_back(pid_t pid, const char *from)
{
	char path[UNDO_PATH];
	int err = files_write_number(from, pid), first = err;

	snprintf(path, sizeof(path), "%s", from);
	while (err == -ENOENT || err == -ENODEV || (err == -EBUSY && first != -EBUSY)) {
		char *file = strrchr(path, '/'), name[32], *group;

		snprintf(name, sizeof(name), "%s", file);
		*file = '\0';
		group = strrchr(path, '/');
		if (!group)
			return first;
		snprintf(group, sizeof(path) - (size_t)(group - path), "%s", name);
		err = files_write_number(path, pid);
	}
	if (!err && first)
		warn("process %d: its control group is gone; it was moved to %s", (int)pid, path);
	return err;
}

/* Empties a group: a process that was created in it goes where its parent came from, else where the last moved process came from,
 * else to `above`. */
static void evacuate_group(const struct undo_recorder *u, size_t from, const char *file, const char *above)
{
	for (int pass = 0; pass < PASSES; pass++) {
		pid_t *pid = NULL;
		size_t n = 0;

		if (files_list_numbers(file, &pid, &n) || !n) {
			free(pid);
			return;
		}
		for (size_t i = 0; i < n; i++) {
			struct undo_entry *note = NULL;
			struct proc_stat task;

			if (!proc_read_stat(pid[i], &task))
				note = undo_find_inherited(u, from, UNDO_MOVE, pid[i], &task, NULL);
			if (note && strcmp(note->path, file))
				note = NULL; /* the note is about another group */
			for (size_t k = u->list->top; !note && k-- > from;)
				if (u->list->note[k].kind == UNDO_MOVE && !strcmp(u->list->note[k].path, file))
					note = &u->list->note[k];
			if (note || above)
				move_back(pid[i], note ? note->was : above);
		}
		free(pid);
		if (pass > 1)
			clock_sleep(clock_now() + NAP);
	}
}

static int remove_group(const struct undo_recorder *u, size_t from, const char *folder)
{
	char file[UNDO_PATH + 32], above[UNDO_PATH + 32];
	const char *last = strrchr(folder, '/');

	snprintf(file, sizeof(file), "%s/cgroup.procs", folder);
	snprintf(above, sizeof(above), "%.*s/cgroup.procs", (int)(last ? last - folder : 0), folder);
	for (int pass = 0; pass < PASSES; pass++) {
		if (!rmdir(folder) || errno == ENOENT)
			return 0;
		if (errno != EBUSY)
			return -errno;
		evacuate_group(u, from, file, above);
		if (pass)
			clock_sleep(clock_now() + NAP);
	}
	return -EBUSY;
}

/* Restores the settings that a task has inherited. Returns whether one was changed. */
static bool restore_child(const struct undo_recorder *u, size_t from, pid_t tid)
{
	struct proc_stat task;
	bool changed = false;

	if (proc_read_stat(tid, &task) || task.start < u->list->note[from].tick)
		return false;
	for (enum undo_kind kind = UNDO_NICE; kind <= UNDO_AFFINITY; kind++) {
		struct undo_entry *note;
		struct undo_setting is;

		if (undo_find_entry(u, kind, tid, task.start) || undo_read_setting(kind, tid, &is))
			continue;
		note = undo_find_inherited(u, from, kind, tid, &task, &is);
		if (note && !are_equal(kind, &note->before, &is))
			changed = !undo_write_setting(kind, tid, &note->before) || changed;
	}
	return changed;
}

/* Restores all tasks, again as long as one was changed: it may have had children meanwhile. */
static void restore_children(const struct undo_recorder *u, size_t from)
{
	bool changed = true;

	for (int pass = 0; changed && pass < PASSES; pass++) {
		size_t n = 0, threads;
		pid_t *pid = NULL, *tid;

		changed = false;
		files_list_numeric_names("/proc", &pid, &n);
		for (size_t i = 0; i < n; i++) {
			char folder[40];

			snprintf(folder, sizeof(folder), "/proc/%d/task", (int)pid[i]);
			tid = NULL;
			threads = 0;
			files_list_numeric_names(folder, &tid, &threads);
			for (size_t k = 0; k < threads; k++)
				changed = restore_child(u, from, tid[k]) || changed;
			free(tid);
		}
		free(pid);
	}
}

/* Undoes changes that tasks inherited from the notes from `from` on, which are themselves undone. */
static void revert_inherited(const struct undo_recorder *u, size_t from)
{
	const char *emptied = "";
	bool inherited = false;

	for (size_t i = from; i < u->list->top; i++) {
		const struct undo_entry *note = &u->list->note[i];

		inherited = inherited || note->kind == UNDO_NICE || note->kind == UNDO_AFFINITY;
		if (note->kind == UNDO_MOVE && strcmp(note->path, emptied)) {
			emptied = note->path;
			evacuate_group(u, from, emptied, NULL);
		}
	}
	if (inherited)
		restore_children(u, from);
}

static int revert_entry(const struct undo_recorder *u, size_t at)
{
	const struct undo_entry *note = &u->list->note[at];
	struct proc_stat task;
	struct stat st;
	int err = 0;

	if (note->tid && (proc_read_stat(note->tid, &task) || task.start != note->start))
		return 0;
	switch (note->kind) {
	case UNDO_WRITE: err = files_write_text(note->path, note->was); break;
	case UNDO_MKDIR: err = remove_group(u, at, note->path); break;
	case UNDO_MKFIFO: err = lstat(note->path, &st) || (S_ISFIFO(st.st_mode) && unlink(note->path)) ? -errno : 0; break;
	case UNDO_MOVE: err = move_back(note->tid, note->was); break;
	case UNDO_NICE:
	case UNDO_AFFINITY: err = undo_write_setting(note->kind, note->tid, &note->before); break;
	}
	if (err == -ESRCH || (err == -ENOENT && !note->tid) || (err == -ENODEV && !note->tid))
		return 0;
	return err;
}

static void warn_failed(const struct undo_entry *note, int err)
{
	static const char *const whats[] = { "write", "mkdir", "mkfifo", "move", "nice", "affinity" };

	if (note->tid)
		warn("could not undo: %s of task %d: %s", whats[note->kind], (int)note->tid, strerror(-err));
	else
		warn("could not undo: %s %s: %s", whats[note->kind], note->path, strerror(-err));
}

size_t undo_revert(struct undo_recorder *u, size_t mark)
{
	struct undo_list *list = u->list;
	size_t failed = 0;

	while (list->count > mark) {
		size_t at = list->count - 1;
		int err;

		if (list->note[at].kind == UNDO_MKDIR) { /* first move all processes out of the group */
			revert_inherited(u, at + 1);
			undo_lower_top(list, at + 1);
		}
		err = revert_entry(u, at);
		if (err) {
			warn_failed(&list->note[at], err);
			failed++;
		}
		list->count = at;
	}
	revert_inherited(u, mark);
	undo_lower_top(list, list->count);
	u->failed += failed;
	return failed;
}
