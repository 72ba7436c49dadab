// SPDX-License-Identifier: GPL-3.0-or-later
/* guard - what was changed is undone when the program is killed, also where close_range() is refused (Linux before 5.9). */
#include "guard.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <seccomp.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include "../folder.h"

static void make_file(void *with)
{
	close(open(with, O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
}

static void refuse_close_range(void)
{
	scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ALLOW);

	seccomp_rule_add(filter, SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(close_range), 0);
	seccomp_load(filter);
	seccomp_release(filter);
}

/* Kills a program that has a guard; the guard holds no end of `out`, so that its reader sees the program's end. */
static void kill_guarded(const char *undone)
{
	struct exit_guard g;
	struct pollfd end;
	char ready;
	int out[2];
	pid_t pid;

	assert_int_equal(pipe(out), 0);
	pid = fork();
	if (!pid) {
		refuse_close_range();
		if (!guard_start(&g, make_file, (void *)(uintptr_t)undone) && write(out[1], "r", 1) == 1)
			pause();
		_exit(1);
	}
	close(out[1]);
	assert_int_equal(read(out[0], &ready, 1), 1);
	assert_int_equal(kill(pid, SIGKILL), 0);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	end = (struct pollfd){ .fd = out[0], .events = POLLIN };
	assert_int_equal(poll(&end, 1, 10000), 1);
	assert_true(end.revents & POLLHUP);
	close(out[0]);
}

TEST_WITH(make_folder, remove_folder, undone_after_a_kill_without_close_range)
{
	const char *undone = in_folder("undone");

	assert_int_equal(prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0), 0); /* the guard becomes our child */
	kill_guarded(undone);
	for (int i = 0; i < 1000 && waitpid(-1, NULL, WNOHANG) <= 0; i++)
		poll(NULL, 0, 10);
	assert_int_equal(access(undone, F_OK), 0);
}
