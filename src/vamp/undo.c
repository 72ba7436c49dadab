// SPDX-License-Identifier: GPL-3.0-or-later
#include "undo_inside.h"
#include "clock.h"

#include <errno.h>
#include <linux/capability.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Holds no file of ours but standard error, hears no signal, is in no group of processes that a signal for us is sent to.
 * It waits for us with a pidfd: the end of a pipe would be held open by each child that we forked. */
static __attribute__((noreturn)) void watchdog_main(struct undo *u, int us)
{
	struct pollfd end = { .fd = STDIN_FILENO, .events = POLLIN };

	prctl(PR_SET_NAME, "vamp-undo");
	u->index = NULL;	/* of the time of the fork */
	dup2(us, STDIN_FILENO);
	close(STDOUT_FILENO);
	syscall(SYS_close_range, 3U, ~0U, 0U);
	if (chdir("/"))
		_exit(EXIT_RUN);
	while (poll(&end, 1, -1) < 1)
		;
	_exit(undo_back(u, 0) ? EXIT_RUN : EXIT_OK);
}

static int start_watchdog(struct undo *u)
{
	int us = (int)syscall(SYS_pidfd_open, getpid(), 0), err = 0;
	sigset_t all, before;

	if (us < 0)
		return -errno;
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &before);	/* it must not hear one before it gets there */
	u->watchdog = fork();
	if (!u->watchdog)
		watchdog_main(u, us);
	if (u->watchdog < 0)
		err = -errno;
	else
		setpgid(u->watchdog, u->watchdog);
	sigprocmask(SIG_SETMASK, &before, NULL);
	close(us);
	return err;
}

int undo_start(struct undo **out, size_t room)
{
	struct undo *u = calloc(1, sizeof(*u));
	size_t size = sizeof(*u->list) + room * sizeof(*u->list->note);
	int err;

	if (!u)
		return -ENOMEM;
	u->room = room;
	u->index = calloc(1, sizeof(*u->index) + room * sizeof(*u->index->older));	/* where there is none, it takes longer */
	u->list = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	err = u->list == MAP_FAILED ? -errno : start_watchdog(u);
	if (err) {
		if (u->list != MAP_FAILED)
			munmap(u->list, size);
		free(u->index);
		free(u);
		return err;
	}
	*out = u;
	return 0;
}

pid_t undo_watchdog(const struct undo *u)
{
	return u->watchdog;
}

size_t undo_mark(const struct undo *u)
{
	return u->list->count;
}

size_t undo_stop(struct undo *u)
{
	size_t failed;

	undo_back(u, 0);
	failed = u->failed;

	if (!waitpid(u->watchdog, NULL, WNOHANG)) {	/* it has not ended, so the pid is still its own */
		kill(u->watchdog, SIGKILL);
		while (waitpid(u->watchdog, NULL, 0) < 0 && errno == EINTR)
			;
	}
	munmap(u->list, sizeof(*u->list) + u->room * sizeof(*u->list->note));
	free(u->index);
	free(u);
	return failed;
}

/* ---- notes ---- */

static uint64_t ticks_now(void)
{
	uint64_t per_s = (uint64_t)sysconf(_SC_CLK_TCK);
	struct timespec t;

	clock_gettime(CLOCK_BOOTTIME, &t);
	return (uint64_t)t.tv_sec * per_s + (uint64_t)t.tv_nsec * per_s / NS_PER_S;
}

/* The place of the next note. It counts from note_keep on, when it is complete. */
static int note_begin(struct undo *u, enum undo_kind kind, struct undo_note **out)
{
	size_t count = u->list->count;

	if (count == u->room)
		return -ENOSPC;
	if (waitpid(u->watchdog, NULL, WNOHANG)) {	/* it has ended, or somebody else has waited for it */
		int err = start_watchdog(u);

		if (err)
			return err;
	}
	*out = &u->list->note[count];
	(*out)->kind = kind;
	(*out)->tick = ticks_now();
	(*out)->tid = 0;
	return 0;
}

static void note_keep(struct undo *u)
{
	size_t at = u->list->count;
	uint32_t *newest = u->index ? &u->index->newest[(size_t)u->list->note[at].tid % UNDO_BUCKETS] : NULL;

	if (newest) {
		u->index->older[at] = *newest;
		*newest = (uint32_t)at + 1;
	}
	u->list->top = u->list->count + 1;
	u->list->count = u->list->top;
}

static int note_result(struct undo *u, int err)
{
	if (err) {
		size_t at = u->list->count - 1;

		if (u->index)
			u->index->newest[(size_t)u->list->note[at].tid % UNDO_BUCKETS] = u->index->older[at];
		u->list->count = at;
		u->list->top = at;
	}
	return err;
}

static int copy_path(char to[UNDO_PATH], const char *from)
{
	return snprintf(to, UNDO_PATH, "%s", from) < UNDO_PATH ? 0 : -ENAMETOOLONG;
}

int undo_write(struct undo *u, const char *path, const char *text)
{
	struct undo_note *note;
	int err = note_begin(u, UNDO_WRITE, &note);

	if (!err)
		err = copy_path(note->path, path);
	if (!err)
		err = files_read(path, note->was, sizeof(note->was));
	if (err)
		return err;
	note_keep(u);
	return note_result(u, files_write(path, text));
}

int undo_enable(struct undo *u, const char *path, const char *word)
{
	struct undo_note *note;
	char add[32];
	int err = note_begin(u, UNDO_ENABLE, &note);

	if (!err)
		err = copy_path(note->path, path);
	if (err)
		return err;
	snprintf(note->was, sizeof(note->was), "-%s", word);
	snprintf(add, sizeof(add), "+%s", word);
	note_keep(u);
	return note_result(u, files_write(path, add));
}

int undo_mkdir(struct undo *u, const char *path)
{
	struct undo_note *note;
	int err = note_begin(u, UNDO_MKDIR, &note);

	if (!err)
		err = copy_path(note->path, path);
	if (!err && !access(path, F_OK))
		err = -EEXIST;	/* somebody else's: noted, it would be removed */
	if (err)
		return err;
	note_keep(u);
	return note_result(u, mkdir(path, 0755) ? -errno : 0);
}

static int note_task(struct undo_note *note, pid_t tid, uint64_t start)
{
	struct proc_stat task;
	int err = files_stat(tid, &task);

	if (err || (start && task.start != start))
		return -ESRCH;
	note->tid = tid;
	note->start = task.start;
	note->session = task.session;
	return 0;
}

int undo_move(struct undo *u, pid_t tid, uint64_t start, const char *to, const char *from)
{
	struct undo_note *note;
	int err = note_begin(u, UNDO_MOVE, &note);

	if (!err)
		err = note_task(note, tid, start);
	if (!err)
		err = copy_path(note->path, to);
	if (!err)
		err = copy_path(note->was, from);
	if (err)
		return err;
	note_keep(u);
	return note_result(u, files_write_number(to, tid));
}

/* Who may raise a nice value may not lower it again without a right to that. */
static bool may_set_nice(pid_t tid, int nice)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2] = { { 0 } };
	struct rlimit limit;

	if (!syscall(SYS_capget, &head, data) && data[0].effective & 1U << CAP_SYS_NICE)
		return true;
	return !prlimit(tid, RLIMIT_NICE, NULL, &limit) && 20 - nice <= (int)(limit.rlim_cur < 40 ? limit.rlim_cur : 40);
}

static int set_nice(pid_t tid, int nice)
{
	return setpriority(PRIO_PROCESS, (id_t)tid, nice) ? -errno : 0;
}

int undo_nice(struct undo *u, pid_t tid, uint64_t start, int nice)
{
	struct undo_note *note, *before;
	int err = note_begin(u, UNDO_NICE, &note);

	if (!err)
		err = note_task(note, tid, start);
	if (err)
		return err;
	before = undo_noted(u, UNDO_NICE, tid, note->start);
	if (before) {
		before->nice_now = nice;
		return set_nice(tid, nice);
	}
	err = undo_nice_was(u, tid, &note->nice);
	if (!err && !may_set_nice(tid, note->nice))
		err = -EPERM;
	if (err)
		return err;
	note->nice_now = nice;
	note_keep(u);
	return note_result(u, set_nice(tid, nice));
}

static int set_affinity(pid_t tid, const cpu_set_t *set)
{
	return sched_setaffinity(tid, sizeof(*set), set) ? -errno : 0;
}

int undo_affinity(struct undo *u, pid_t tid, uint64_t start, const cpu_set_t *set)
{
	struct undo_note *note, *before;
	int err = note_begin(u, UNDO_AFFINITY, &note);

	if (!err)
		err = note_task(note, tid, start);
	if (err)
		return err;
	before = undo_noted(u, UNDO_AFFINITY, tid, note->start);
	if (before) {
		before->set_now = *set;
		return set_affinity(tid, set);
	}
	err = undo_affinity_was(u, tid, &note->set);
	if (err)
		return err;
	note->set_now = *set;
	note_keep(u);
	return note_result(u, set_affinity(tid, set));
}

int undo_nice_was(const struct undo *u, pid_t tid, int *nice)
{
	struct undo_note *note;
	struct proc_stat task;
	int err = files_stat(tid, &task);

	if (!err)
		err = undo_read_nice(tid, nice);
	if (err)
		return err;
	note = undo_noted(u, UNDO_NICE, tid, task.start);
	if (!note)
		note = undo_inherited(u, 0, UNDO_NICE, tid, &task, *nice, NULL);
	if (note)
		*nice = note->nice;
	return 0;
}

int undo_affinity_was(const struct undo *u, pid_t tid, cpu_set_t *set)
{
	struct undo_note *note;
	struct proc_stat task;
	int err = files_stat(tid, &task);

	if (!err && sched_getaffinity(tid, sizeof(*set), set))
		err = -errno;
	if (err)
		return err;
	note = undo_noted(u, UNDO_AFFINITY, tid, task.start);
	if (!note)
		note = undo_inherited(u, 0, UNDO_AFFINITY, tid, &task, 0, set);
	if (note)
		*set = note->set;
	return 0;
}
