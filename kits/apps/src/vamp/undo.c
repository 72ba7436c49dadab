// SPDX-License-Identifier: GPL-3.0-or-later
#include "undo_inside.h"
#include "clock.h"
#include "files.h"

#include <errno.h>
#include <linux/capability.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* The watchdog keeps only standard error open, blocks all signals, and is in a process group of its own, so that no signal for
 * the parent's group reaches it. It waits for its parent with a pidfd: the end of a pipe would be held open by every child of the
 * parent. */
static __attribute__((noreturn)) void watchdog_main(struct undo_recorder *u, int us)
{
	struct pollfd end = { .fd = STDIN_FILENO, .events = POLLIN };

	prctl(PR_SET_NAME, "vamp-undo");
	dup2(us, STDIN_FILENO);
	close(STDOUT_FILENO);
	syscall(SYS_close_range, 3U, ~0U, 0U);
	while (poll(&end, 1, -1) < 1)
		;
	_exit(undo_revert(u, 0) ? EXIT_RUN : EXIT_OK);
}

static int start_watchdog(struct undo_recorder *u)
{
	int us = (int)syscall(SYS_pidfd_open, getpid(), 0), err = 0;
	sigset_t all, before;

	if (us < 0)
		return -errno;
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &before); /* the watchdog must not get a signal before it blocks them */
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

int undo_open(struct undo_recorder **out, size_t room)
{
	struct undo_recorder *u = calloc(1, sizeof(*u));
	size_t size = sizeof(*u->list) + room * sizeof(*u->list->note);
	int err;

	if (!u)
		return -ENOMEM;
	u->room = room;
	u->list = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	err = u->list == MAP_FAILED ? -errno : start_watchdog(u);
	if (err) {
		if (u->list != MAP_FAILED)
			munmap(u->list, size);
		free(u);
		return err;
	}
	*out = u;
	return 0;
}

pid_t undo_watchdog(const struct undo_recorder *u)
{
	return u->watchdog;
}

size_t undo_mark(const struct undo_recorder *u)
{
	return u->list->count;
}

size_t undo_close(struct undo_recorder *u)
{
	size_t failed;

	undo_revert(u, 0);
	failed = u->failed;

	if (!waitpid(u->watchdog, NULL, WNOHANG)) { /* the watchdog has not ended, so its pid is still its own */
		kill(u->watchdog, SIGKILL);
		while (waitpid(u->watchdog, NULL, 0) < 0 && errno == EINTR)
			;
	}
	munmap(u->list, sizeof(*u->list) + u->room * sizeof(*u->list->note));
	free(u);
	return failed;
}

static uint64_t ticks_now(void)
{
	uint64_t per_s = (uint64_t)sysconf(_SC_CLK_TCK);
	struct timespec t;

	clock_gettime(CLOCK_BOOTTIME, &t);
	return (uint64_t)t.tv_sec * per_s + (uint64_t)t.tv_nsec * per_s / NS_PER_S;
}

static int copy_path(char to[static UNDO_PATH], const char *from)
{
	return snprintf(to, UNDO_PATH, "%s", from) < UNDO_PATH ? 0 : -ENAMETOOLONG;
}

/* Prepares the next note. It counts from commit_entry() on. */
static int prepare_entry(struct undo_recorder *u, enum undo_kind kind, const char *path, struct undo_entry **out)
{
	size_t count = u->list->count;

	if (count == u->room)
		return -ENOSPC;
	if (waitpid(u->watchdog, NULL, WNOHANG)) { /* the watchdog has ended, perhaps reaped by other code */
		int err = start_watchdog(u);

		if (err)
			return err;
	}
	*out = &u->list->note[count];
	(*out)->kind = kind;
	(*out)->tick = ticks_now();
	(*out)->tid = 0;
	return copy_path((*out)->path, path);
}

/* Prepares a note about a task. */
static int prepare_task(struct undo_recorder *u, enum undo_kind kind, const char *path, pid_t tid, uint64_t start,
			struct undo_entry **out)
{
	struct proc_stat task;
	int err = prepare_entry(u, kind, path, out);

	if (err)
		return err;
	if (proc_read_stat(tid, &task) || (start && task.start != start))
		return -ESRCH;
	(*out)->tid = tid;
	(*out)->start = task.start;
	(*out)->session = task.session;
	return 0;
}

static void commit_entry(struct undo_recorder *u)
{
	size_t at = u->list->count, *chain = &u->list->chain[u->list->note[at].tid % UNDO_CHAINS];

	u->list->note[at].next = *chain;
	*chain = at + 1;
	u->list->top = at + 1;
	u->list->count++;
}

/* Drops the last note if its change has failed. Returns `err`. */
static int drop_failed(struct undo_recorder *u, int err)
{
	if (err)
		undo_lower_top(u->list, --u->list->count);
	return err;
}

/* `back`: the text that undoes the write; NULL: the current text of the file. */
static int write_recorded(struct undo_recorder *u, const char *path, const char *text, const char *back)
{
	struct undo_entry *note;
	int err = prepare_entry(u, UNDO_WRITE, path, &note);

	if (!err)
		err = back ? copy_path(note->was, back) : files_read_line(path, note->was, sizeof(note->was));
	if (err)
		return err;
	commit_entry(u);
	return drop_failed(u, files_write_text(path, text));
}

int undoable_write_file(struct undo_recorder *u, const char *path, const char *text)
{
	return write_recorded(u, path, text, NULL);
}

int undoable_enable_word(struct undo_recorder *u, const char *path, const char *word)
{
	char add[32], take[32];

	snprintf(add, sizeof(add), "+%s", word);
	snprintf(take, sizeof(take), "-%s", word);
	return write_recorded(u, path, add, take);
}

int undoable_make(struct undo_recorder *u, enum undo_kind kind, const char *path)
{
	struct undo_entry *note;
	int err = prepare_entry(u, kind, path, &note);

	if (!err && !access(path, F_OK))
		err = -EEXIST; /* made by another program: undoing must not remove it */
	if (err)
		return err;
	commit_entry(u);
	return drop_failed(u, (kind == UNDO_MKDIR ? mkdir(path, 0755) : mkfifo(path, 0600)) ? -errno : 0);
}

int undoable_move_task(struct undo_recorder *u, pid_t tid, uint64_t start, const char *to, const char *from)
{
	struct undo_entry *note;
	int err = prepare_task(u, UNDO_MOVE, to, tid, start, &note);

	if (!err)
		err = copy_path(note->was, from);
	if (err)
		return err;
	commit_entry(u);
	return drop_failed(u, files_write_number(to, tid));
}

/* May this process set the nice value of a task back? Lowering a nice value needs a right that raising it does not. */
static bool may_restore_nice(pid_t tid, int nice)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2] = { { 0 } };
	struct rlimit limit;

	if (!syscall(SYS_capget, &head, data) && data[0].effective & 1U << CAP_SYS_NICE)
		return true;
	return !prlimit(tid, RLIMIT_NICE, NULL, &limit) && 20 - nice <= (int)(limit.rlim_cur < 40 ? limit.rlim_cur : 40);
}

int undo_first_setting(const struct undo_recorder *u, enum undo_kind kind, pid_t tid, struct undo_setting *out)
{
	struct undo_entry *note;
	struct proc_stat task;
	int err = proc_read_stat(tid, &task);

	if (!err)
		err = undo_read_setting(kind, tid, out);
	if (err)
		return err;
	note = undo_find_entry(u, kind, tid, task.start);
	if (!note)
		note = undo_find_inherited(u, 0, kind, tid, &task, out);
	if (note)
		*out = note->before;
	return 0;
}

static int change_setting(struct undo_recorder *u, enum undo_kind kind, pid_t tid, uint64_t start, const struct undo_setting *to)
{
	struct undo_entry *note, *before;
	int err = prepare_task(u, kind, "", tid, start, &note);

	if (err)
		return err;
	before = undo_find_entry(u, kind, tid, note->start);
	if (before) {
		before->now = *to;
		return undo_write_setting(kind, tid, to);
	}
	err = undo_first_setting(u, kind, tid, &note->before);
	if (!err && kind == UNDO_NICE && !may_restore_nice(tid, note->before.nice))
		err = -EPERM;
	if (err)
		return err;
	note->now = *to;
	commit_entry(u);
	return drop_failed(u, undo_write_setting(kind, tid, to));
}

int undoable_set_nice(struct undo_recorder *u, pid_t tid, uint64_t start, int nice)
{
	return change_setting(u, UNDO_NICE, tid, start, &(struct undo_setting){ .nice = nice });
}

int undoable_set_cpus(struct undo_recorder *u, pid_t tid, uint64_t start, const cpu_set_t *set)
{
	return change_setting(u, UNDO_AFFINITY, tid, start, &(struct undo_setting){ .set = *set });
}
