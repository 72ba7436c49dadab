// SPDX-License-Identifier: GPL-3.0-or-later
/* undo_back - the way back over the list, in order or after a crash. Each step may have been done already, in whole or in part. */
#include "undo_inside.h"
#include "clock.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PASSES 50		/* over what is born while it is looked for; a task that cannot be moved must not hold us for ever */
#define NAP (20 * NS_PER_MS)	/* an emptied group is busy until its last task has been reaped */

static void warn_left(const char *what, int err)
{
	warn("could not undo: %s: %s", what, strerror(-err));
}

int undo_read_nice(pid_t tid, int *nice)
{
	errno = 0;
	*nice = getpriority(PRIO_PROCESS, (id_t)tid);
	return -errno;
}

/* ---- who is noted, and who has inherited ---- */

struct undo_note *undo_noted(const struct undo *u, enum undo_kind kind, pid_t tid, uint64_t start)
{
	size_t i = u->index ? u->index->newest[(size_t)tid % UNDO_BUCKETS] : u->list->top;

	for (; i > 0; i = u->index ? u->index->older[i - 1] : i - 1) {
		struct undo_note *note = &u->list->note[i - 1];

		if (note->tid == tid && note->kind == kind && note->start == start)
			return note;
	}
	return NULL;
}

/* The list ends at `top` again: what lay behind is in no bucket. */
static void cut(struct undo *u, size_t top)
{
	u->list->top = top;
	for (size_t i = 0; u->index && i < UNDO_BUCKETS; i++)
		while (u->index->newest[i] > top)
			u->index->newest[i] = u->index->older[u->index->newest[i] - 1];
}

static pid_t process_of(pid_t tid)
{
	char path[40], line[256];
	int process = tid;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)tid);
	f = fopen(path, "re");
	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "Tgid: %d", &process) == 1)
			break;
	if (f)
		fclose(f);
	return process;
}

static bool as_it_was_made(const struct undo_note *note, int nice, const cpu_set_t *set)
{
	switch (note->kind) {
	case UNDO_NICE: return note->nice_now == nice;
	case UNDO_AFFINITY: return CPU_EQUAL(&note->set_now, set);
	default: return true;	/* a move: the caller has found the task in the group */
	}
}

/* The process itself before the parent before another of the session. */
struct undo_note *undo_inherited(const struct undo *u, size_t from, enum undo_kind kind, pid_t tid, const struct proc_stat *task,
				 int nice, const cpu_set_t *set)
{
	struct undo_note *parent = NULL, *session = NULL;
	pid_t process = 0;

	if (from < u->list->top && task->start < u->list->note[from].tick)
		return NULL;	/* notes come in the order of time: it is older than all of them */
	for (size_t i = from; i < u->list->top; i++) {
		struct undo_note *note = &u->list->note[i];

		if (note->kind != kind || task->start < note->tick || !as_it_was_made(note, nice, set) ||
		    (note->tid != task->ppid && note->session != task->session))
			continue;
		if (!process)
			process = process_of(tid);
		if (!syscall(SYS_tgkill, process, note->tid, 0))
			return note;
		if (note->tid == task->ppid)
			parent = note;
		else
			session = note;
	}
	return parent ? parent : session;
}

/* ---- groups ---- */

/* Into the file `from`; where its group has ended meanwhile, into that of the nearest group above which takes it. */
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
		warn("process %d: its group has ended; it is now in that of %s", (int)pid, path);
	return err;
}

/* What was born in a group goes where its parent came from, else where the last one came from, else to `above`. */
static void empty_group(const struct undo *u, size_t from, const char *file, const char *above)
{
	for (int pass = 0; pass < PASSES; pass++) {
		pid_t *pid;
		size_t n;

		if (files_numbers(file, &pid, &n) || !n) {
			free(pid);
			return;
		}
		for (size_t i = 0; i < n; i++) {
			struct undo_note *note = NULL;
			struct proc_stat task;

			if (!files_stat(pid[i], &task))
				note = undo_inherited(u, from, UNDO_MOVE, pid[i], &task, 0, NULL);
			if (note && strcmp(note->path, file))
				note = NULL;	/* of another group */
			for (size_t k = u->list->top; !note && k-- > from;)
				if (u->list->note[k].kind == UNDO_MOVE && !strcmp(u->list->note[k].path, file))
					note = &u->list->note[k];
			if (note || above)
				move_back(pid[i], note ? note->was : above);
		}
		free(pid);
		if (pass > 1)
			clock_sleep_until(clock_now() + NAP);
	}
}

static int remove_group(const struct undo *u, size_t from, const char *folder)
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
		empty_group(u, from, file, above);
		if (pass)
			clock_sleep_until(clock_now() + NAP);
	}
	return -EBUSY;
}

/* ---- born since ---- */

/* Whether it had to be changed. */
static bool restore_born(const struct undo *u, size_t from, pid_t tid)
{
	struct undo_note *note;
	struct proc_stat task;
	bool changed = false;
	cpu_set_t set;
	int nice;

	if (files_stat(tid, &task) || task.start < u->list->note[from].tick)
		return false;
	if (!undo_noted(u, UNDO_NICE, tid, task.start) && !undo_read_nice(tid, &nice)) {
		note = undo_inherited(u, from, UNDO_NICE, tid, &task, nice, NULL);
		if (note && note->nice != nice)
			changed = !setpriority(PRIO_PROCESS, (id_t)tid, note->nice);
	}
	if (!undo_noted(u, UNDO_AFFINITY, tid, task.start) && !sched_getaffinity(tid, sizeof(set), &set)) {
		note = undo_inherited(u, from, UNDO_AFFINITY, tid, &task, 0, &set);
		if (note && !CPU_EQUAL(&note->set, &set))
			changed = !sched_setaffinity(tid, sizeof(note->set), &note->set) || changed;
	}
	return changed;
}

/* Once more over all that is there: a task that was born of one which was not yet restored. */
static void restore_all_born(const struct undo *u, size_t from)
{
	bool changed = true;

	for (int pass = 0; changed && pass < PASSES; pass++) {
		size_t n, threads;
		pid_t *pid, *tid;

		changed = false;
		if (files_numbered("/proc", &pid, &n))
			return;
		for (size_t i = 0; i < n; i++) {
			char folder[40];

			snprintf(folder, sizeof(folder), "/proc/%d/task", (int)pid[i]);
			if (files_numbered(folder, &tid, &threads))
				continue;
			for (size_t k = 0; k < threads; k++)
				changed = restore_born(u, from, tid[k]) || changed;
			free(tid);
		}
		free(pid);
	}
}

/* Of the notes from `from` on, which are all undone. */
static void take_back_born(const struct undo *u, size_t from)
{
	const char *emptied = "";
	bool inherited = false;

	for (size_t i = from; i < u->list->top; i++) {
		const struct undo_note *note = &u->list->note[i];

		inherited = inherited || note->kind == UNDO_NICE || note->kind == UNDO_AFFINITY;
		if (note->kind == UNDO_MOVE && strcmp(note->path, emptied)) {
			emptied = note->path;
			empty_group(u, from, emptied, NULL);
		}
	}
	if (inherited)
		restore_all_born(u, from);
}

/* ---- back ---- */

static int revert(const struct undo *u, size_t at)
{
	const struct undo_note *note = &u->list->note[at];
	struct proc_stat task;
	int err = 0;

	if (note->tid && (files_stat(note->tid, &task) || task.start != note->start))
		return 0;
	switch (note->kind) {
	case UNDO_WRITE:
	case UNDO_ENABLE:
		err = files_write(note->path, note->was);
		break;
	case UNDO_MKDIR:
		err = remove_group(u, at, note->path);
		break;
	case UNDO_MOVE:
		err = move_back(note->tid, note->was);
		break;
	case UNDO_NICE:
		if (setpriority(PRIO_PROCESS, (id_t)note->tid, note->nice))
			err = -errno;
		break;
	case UNDO_AFFINITY:
		if (sched_setaffinity(note->tid, sizeof(note->set), &note->set))
			err = -errno;
		break;
	}
	if (err == -ESRCH || (err == -ENOENT && !note->tid) || (err == -ENODEV && !note->tid))
		return 0;
	return err;
}

static void warn_note(const struct undo_note *note, int err)
{
	static const char *const whats[] = { "write", "enable", "mkdir", "move", "nice", "affinity" };
	char what[UNDO_PATH + 64];

	if (note->tid)
		snprintf(what, sizeof(what), "%s of task %d", whats[note->kind], (int)note->tid);
	else
		snprintf(what, sizeof(what), "%s %s", whats[note->kind], note->path);
	warn_left(what, err);
}

size_t undo_back(struct undo *u, size_t mark)
{
	struct undo_list *list = u->list;
	size_t failed = 0;

	while (list->count > mark) {
		size_t at = list->count - 1;
		int err;

		if (list->note[at].kind == UNDO_MKDIR) {	/* and then nobody is left in it */
			take_back_born(u, at + 1);
			cut(u, at + 1);
		}
		err = revert(u, at);
		if (err) {
			warn_note(&list->note[at], err);
			failed++;
		}
		list->count = at;
	}
	take_back_born(u, mark);
	cut(u, list->count);
	u->failed += failed;
	return failed;
}
