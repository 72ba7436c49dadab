// SPDX-License-Identifier: GPL-3.0-or-later
/* undo - real processes and files: what is changed comes back in order, and after kill -9; what is born meanwhile, too. */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "clock.h"
#include "files.h"
#include "vamp/undo.h"
#define BEFORE_ALL make_folder
#define AFTER_ALL remove_folder
#include "../../../../../tests/unit/folder.h"
#include "stage.h"

#define PATIENCE (60 * NS_PER_S) /* bounds only a test that would else hang for ever */

static char file[64], other[64];

static void assert_holds(const char *path, const char *text)
{
	char is[64];

	assert_int_equal(files_read_line(path, is, sizeof(is)), 0);
	assert_string_equal(is, text);
}

static int make_files(void **state)
{
	(void)state;
	snprintf(file, sizeof(file), "%s/one", folder);
	snprintf(other, sizeof(other), "%s/other", folder);
	write_to("1024\n", "%s", file);
	write_to("none\n", "%s", other);
	return 0;
}

static uint64_t start_of(pid_t pid)
{
	struct proc_stat task;

	assert_int_equal(proc_read_stat(pid, &task), 0);
	return task.start;
}

static int nice_of(pid_t tid)
{
	errno = 0;
	return getpriority(PRIO_PROCESS, (id_t)tid);
}

static bool may_lower_nice(void)
{
	return geteuid() == 0;
}

/* ---- */

TEST_WITH(make_files, NULL, files_come_back_in_reverse)
{
	struct undo_recorder *u;
	size_t mark;

	assert_int_equal(undo_open(&u, 10), 0);
	assert_int_equal(undoable_write_file(u, file, "341\n"), 0);
	mark = undo_mark(u);
	assert_int_equal(undoable_write_file(u, file, "56\n"), 0);
	assert_int_equal(undoable_write_file(u, file, "11\n"), 0);
	assert_holds(file, "11");
	assert_int_equal(undo_revert(u, mark), 0);
	assert_holds(file, "341");
	assert_int_equal(undo_mark(u), mark);
	assert_int_equal(undo_close(u), 0);
	assert_holds(file, "1024");
}

TEST_WITH(make_files, NULL, what_cannot_be_done_is_not_noted)
{
	char path[80], lengthy[600];
	struct undo_recorder *u;

	memset(lengthy, 'a', sizeof(lengthy) - 1);
	lengthy[0] = '/';
	lengthy[sizeof(lengthy) - 1] = '\0';
	snprintf(path, sizeof(path), "%s/missing", folder);
	assert_int_equal(undo_open(&u, 2), 0);
	assert_int_equal(undoable_write_file(u, path, "1\n"), -ENOENT);
	assert_int_equal(undoable_write_file(u, lengthy, "1\n"), -ENAMETOOLONG);
	assert_int_equal(undoable_make(u, UNDO_MKDIR, folder), -EEXIST); /* not ours: it must not be removed */
	snprintf(path, sizeof(path), "%s/missing/group", folder);
	assert_int_equal(undoable_make(u, UNDO_MKDIR, path), -ENOENT);
	assert_int_equal(undo_mark(u), 0);
	assert_int_equal(undoable_write_file(u, file, "1\n"), 0);
	assert_int_equal(undoable_write_file(u, file, "2\n"), 0);
	assert_int_equal(undoable_write_file(u, file, "3\n"), -ENOSPC);
	assert_holds(file, "2");
	assert_int_equal(undo_close(u), 0);
	assert_int_equal(access(folder, F_OK), 0);
	assert_holds(file, "1024");
}

TEST_WITH(make_files, NULL, a_file_that_has_gone_is_nothing_to_undo_and_a_folder_in_use_is_left_with_a_word)
{
	char group[80], inside[96];
	struct undo_recorder *u;

	snprintf(group, sizeof(group), "%s/group", folder);
	snprintf(inside, sizeof(inside), "%s/file", group);
	assert_int_equal(undo_open(&u, 4), 0);
	assert_int_equal(undoable_make(u, UNDO_MKDIR, group), 0);
	write_to("1\n", "%s", inside);
	assert_int_equal(undoable_write_file(u, file, "1\n"), 0);
	assert_int_equal(unlink(file), 0);
	assert_int_equal(undo_revert(u, 0), 1); /* not empty */
	assert_int_equal(undo_mark(u), 0);
	unlink(inside);
	rmdir(group);
	assert_int_equal(undo_close(u), 1); /* what was left is counted to the end */
	make_files(NULL);
}

/* Of any program may be what is at that path when it is removed: only a fifo goes. */
TEST_WITH(make_files, NULL, a_fifo_goes_with_the_list)
{
	char fifo[80];
	struct undo_recorder *u;

	snprintf(fifo, sizeof(fifo), "%s/fifo", folder);
	assert_int_equal(undo_open(&u, 4), 0);
	assert_int_equal(undoable_make(u, UNDO_MKFIFO, file), -EEXIST);
	assert_int_equal(undoable_make(u, UNDO_MKFIFO, fifo), 0);
	assert_int_equal(undoable_make(u, UNDO_MKFIFO, fifo), -EEXIST);
	assert_int_equal(undo_revert(u, 0), 0);
	assert_int_equal(access(fifo, F_OK), -1);
	assert_int_equal(undoable_make(u, UNDO_MKFIFO, fifo), 0);
	unlink(fifo);
	assert_int_equal(undo_revert(u, 0), 0); /* it has gone already */
	assert_int_equal(undoable_make(u, UNDO_MKFIFO, fifo), 0);
	unlink(fifo);
	write_to("1\n", "%s", fifo);
	assert_int_equal(undo_close(u), 0);
	assert_holds(fifo, "1");
	unlink(fifo);
}

TEST_WITH(make_files, NULL, a_move_notes_where_the_task_was)
{
	struct undo_recorder *u;
	char number[16];
	pid_t pid = sleeper();

	snprintf(number, sizeof(number), "%d", (int)pid);
	write_to("", "%s", file);
	assert_int_equal(undo_open(&u, 4), 0);
	assert_int_equal(undoable_move_task(u, pid, start_of(pid) + 1, file, other), -ESRCH); /* the pid is another's now */
	assert_int_equal(undo_mark(u), 0);
	assert_int_equal(undoable_move_task(u, pid, start_of(pid), file, other), 0);
	assert_holds(file, number);
	write_to("", "%s", file); /* as the kernel would */
	assert_int_equal(undo_close(u), 0);
	assert_holds(other, number);
	reap(pid);
}

TEST_WITH(make_files, NULL, a_task_that_has_ended_is_nothing_to_undo)
{
	struct undo_recorder *u;
	pid_t pid = sleeper();

	write_to("", "%s", file);
	assert_int_equal(undo_open(&u, 4), 0);
	assert_int_equal(undoable_move_task(u, pid, 0, file, other), 0);
	assert_int_equal(undoable_set_nice(u, pid, 0, 19), may_lower_nice() ? 0 : -EPERM);
	reap(pid);
	write_to("", "%s", file);
	assert_int_equal(undoable_set_nice(u, pid, 0, 5), -ESRCH);
	assert_int_equal(undo_close(u), 0);
	assert_holds(other, "none");
}

TEST_WITH(make_files, NULL, a_nice_value_keeps_its_first_note)
{
	struct undo_recorder *u;
	pid_t pid = sleeper();
	struct undo_setting was;

	if (!may_lower_nice()) {
		reap(pid);
		skip();
	}
	assert_int_equal(setpriority(PRIO_PROCESS, (id_t)pid, 3), 0);
	assert_int_equal(undo_open(&u, 4), 0);
	assert_int_equal(undoable_set_nice(u, pid, 0, 8), 0);
	assert_int_equal(undoable_set_nice(u, pid, 0, 16), 0);
	assert_int_equal(nice_of(pid), 16);
	assert_int_equal(undo_mark(u), 1);
	assert_int_equal(undo_first_setting(u, UNDO_NICE, pid, &was), 0);
	assert_int_equal(was.nice, 3);
	assert_int_equal(undo_close(u), 0);
	assert_int_equal(nice_of(pid), 3);
	reap(pid);
}

TEST(without_the_right_to_go_back_a_nice_value_is_not_changed)
{
	pid_t pid = fork();
	int status;

	if (!pid) {
		struct rlimit none = { 0, 0 };
		struct undo_recorder *u;
		int nice = nice_of(0), err;

		setrlimit(RLIMIT_NICE, &none);
		if (geteuid() == 0 && setresuid(65534, 65534, 65534))
			_exit(3);
		if (undo_open(&u, 4))
			_exit(4);
		err = undoable_set_nice(u, getpid(), 0, nice + 1 < 19 ? nice + 1 : 19);
		_exit(err != -EPERM ? 5 : nice_of(0) != nice ? 6 : undo_close(u) ? 7 : 0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(WIFEXITED(status) ? WEXITSTATUS(status) : 99, 0);
}

/* ---- tasks born meanwhile ---- */

static void *thread_main(void *said)
{
	pid_t tid = (pid_t)syscall(SYS_gettid);

	if (write(*(int *)said, &tid, sizeof(tid)) != sizeof(tid))
		abort();
	for (;;)
		pause();
	return NULL;
}

/* Says the tid of a thread and the pid of a child, each born when a byte comes. */
static pid_t parent_to_be(int *ask, int *say)
{
	int in[2], out[2];
	pid_t pid;

	assert_int_equal(pipe(in), 0);
	assert_int_equal(pipe(out), 0);
	pid = fork();
	if (pid) {
		close(in[0]);
		close(out[1]);
		*ask = in[1];
		*say = out[0];
		return pid;
	}
	proc_end_with_parent(SIGKILL, getppid());
	close(in[1]);
	setsid(); /* nothing else of this test is in this session */
	for (char c; read(in[0], &c, 1) == 1;) {
		pthread_t thread;
		pid_t child;

		pthread_create(&thread, NULL, thread_main, &out[1]);
		child = sleeper();
		if (write(out[1], &child, sizeof(child)) != sizeof(child))
			abort();
	}
	_exit(0);
}

static void two_born(int ask, int say, pid_t born[2])
{
	assert_int_equal(write(ask, "x", 1), 1);
	for (int i = 0; i < 2; i++)
		assert_int_equal(read(say, &born[i], sizeof(*born)), sizeof(*born));
}

TEST(tasks_born_meanwhile_get_what_their_parent_had)
{
	pid_t before[2], born[2], late;
	struct undo_setting was;
	int ask, say;
	pid_t pid = parent_to_be(&ask, &say);
	cpu_set_t all, one, is;
	struct undo_recorder *u;

	if (!may_lower_nice()) {
		reap(pid);
		skip();
	}
	sched_getaffinity(0, sizeof(all), &all);
	CPU_ZERO(&one);
	for (size_t cpu = 0; !CPU_COUNT(&one); cpu++)
		if (CPU_ISSET(cpu, &all))
			CPU_SET(cpu, &one);
	two_born(ask, say, before);
	for (int i = 0; i < 2; i++)
		assert_int_equal(setpriority(PRIO_PROCESS, (id_t)before[i], 10), 0); /* the nice value that undo_nice sets below */
	assert_int_equal(setpriority(PRIO_PROCESS, (id_t)pid, 2), 0);
	usleep(30000); /* the birth of a task is known to a clock tick */
	assert_int_equal(undo_open(&u, 10), 0);
	assert_int_equal(undoable_set_nice(u, pid, 0, 10), 0);
	assert_int_equal(undoable_set_cpus(u, pid, 0, &one), 0);
	two_born(ask, say, born);
	late = sleeper(); /* another parent's, which happens to be as they were made */
	setpgid(late, late);
	assert_int_equal(setpriority(PRIO_PROCESS, (id_t)late, 10), 0);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(nice_of(born[i]), 10);
		assert_int_equal(sched_getaffinity(born[i], sizeof(is), &is), 0);
		assert_true(CPU_EQUAL(&is, &one));
		assert_int_equal(undo_first_setting(u, UNDO_NICE, born[i], &was), 0);
		assert_int_equal(was.nice, 2);
		assert_int_equal(undo_first_setting(u, UNDO_AFFINITY, born[i], &was), 0);
		assert_true(CPU_EQUAL(&was.set, &all));
	}
	assert_int_equal(undo_close(u), 0);
	assert_int_equal(nice_of(pid), 2);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(nice_of(born[i]), 2);
		assert_int_equal(sched_getaffinity(born[i], sizeof(is), &is), 0);
		assert_true(CPU_EQUAL(&is, &all));
		assert_int_equal(nice_of(before[i]), 10);
	}
	assert_int_equal(nice_of(late), 10);
	reap(late);
	close(ask);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	close(say);
}

/* ---- the watchdog ---- */

static bool comes_back(const char *path, const char *text)
{
	char is[64];

	for (int64_t end = clock_now() + PATIENCE; clock_now() < end; usleep(2000))
		if (!files_read_line(path, is, sizeof(is)) && !strcmp(is, text))
			return true;
	return false;
}

/* A daemon in a process group of its own that changes the file and makes a folder; *watchdog tells its pid. */
static pid_t daemon_of(const char *group, pid_t *watchdog, bool again)
{
	int ends[2];
	pid_t pid;

	assert_int_equal(pipe(ends), 0);
	pid = fork();
	if (!pid) {
		struct undo_recorder *u;
		pid_t is;

		setpgid(0, 0);
		if (undo_open(&u, 10) || undoable_make(u, UNDO_MKDIR, group) || undoable_write_file(u, file, "56\n"))
			_exit(1);
		if (again) { /* its watchdog is killed: the next change starts another */
			kill(undo_watchdog(u), SIGKILL);
			while (waitid(P_PID, (id_t)undo_watchdog(u), &(siginfo_t){ 0 }, WEXITED | WNOWAIT))
				;
			if (undoable_write_file(u, file, "11\n"))
				_exit(1);
		}
		is = undo_watchdog(u);
		if (write(ends[1], &is, sizeof(is)) != sizeof(is))
			_exit(1);
		for (;;)
			pause();
	}
	close(ends[1]);
	assert_int_equal(read(ends[0], watchdog, sizeof(*watchdog)), sizeof(*watchdog));
	close(ends[0]);
	return pid;
}

TEST_WITH(make_files, NULL, a_killed_daemon_is_undone_by_its_watchdog)
{
	char group[80];
	pid_t watchdog, pid;

	snprintf(group, sizeof(group), "%s/group", folder);
	for (int again = 0; again < 2; again++) {
		pid = daemon_of(group, &watchdog, again);
		assert_int_equal(access(group, F_OK), 0);
		/* all signals that a terminal or a supervisor sends to the group, and those it could be sent itself */
		kill(watchdog, SIGTERM);
		kill(watchdog, SIGHUP);
		kill(watchdog, SIGINT);
		kill(-pid, SIGKILL);
		assert_int_equal(waitpid(pid, NULL, 0), pid);
		assert_true(comes_back(file, "1024"));
		for (int64_t end = clock_now() + PATIENCE; clock_now() < end && !access(group, F_OK);)
			usleep(2000);
		assert_int_equal(access(group, F_OK), -1);
		for (int64_t end = clock_now() + PATIENCE; clock_now() < end && !kill(watchdog, 0);)
			usleep(2000);
		assert_int_equal(kill(watchdog, 0), -1); /* and goes itself */
	}
}
