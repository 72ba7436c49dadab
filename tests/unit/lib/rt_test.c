// SPDX-License-Identifier: GPL-3.0-or-later
/* rt - what is granted depends on who asks; what is said must be what was granted. */
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "rt.h"
#include "../unit.h"

TEST(said_in_words)
{
	char text[128];

	rt_describe(&(struct rt_granted){ true, 20, 0 }, text, sizeof(text));
	assert_string_equal(text, "memory locked, SCHED_FIFO 20");
	rt_describe(&(struct rt_granted){ false, 0, EPERM }, text, sizeof(text));
	assert_string_equal(text, "memory not locked, normal priority (Operation not permitted)");
	rt_describe(&(struct rt_granted){ true, 0, 0 }, text, sizeof(text));
	assert_string_equal(text, "memory locked, normal priority");
}

TEST(cut_off_but_never_beyond_the_end)
{
	for (size_t size = 1; size < 64; size++) {
		char text[66];

		memset(text, '#', sizeof(text));
		rt_describe(&(struct rt_granted){ false, 0, EPERM }, text, size);
		assert_true(strlen(text) < size);
		assert_int_equal(text[size], '#');
	}
}

/* In a child, so that the tests after it are not real-time. */
static int in_child(int priority)
{
	int status;
	pid_t pid;

	fflush(NULL);
	pid = fork();
	if (!pid) {
		struct rt_granted got;
		struct sched_param param;

		rt_setup(priority, &got);
		sched_getparam(0, &param);
		if (prctl(PR_GET_TIMERSLACK, 0UL, 0UL, 0UL, 0UL) > 1) /* 0 for a real-time task */
			_exit(10);
		if (got.fifo && (got.why || sched_getscheduler(0) != (SCHED_FIFO | SCHED_RESET_ON_FORK) ||
				 param.sched_priority != priority || got.fifo != priority))
			_exit(11);
		if (!got.fifo && (sched_getscheduler(0) & ~SCHED_RESET_ON_FORK) == SCHED_FIFO)
			_exit(12);
		if (!got.fifo && priority > 0 && !got.why)
			_exit(13);
		if (priority <= 0 && (got.fifo || got.why))
			_exit(14);
		_exit(priority > 99 && got.fifo ? 15 : 0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

#ifndef __SANITIZE_ADDRESS__ /* it locks nothing, and says that it did */
static long locked_kb(void)
{
	char line[128];
	long kb = -1;
	FILE *f = fopen("/proc/self/status", "r");

	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "VmLck: %ld", &kb) == 1)
			break;
	if (f)
		fclose(f);
	return kb;
}

/* As where the thread that watches asks after the program: what is locked stays, though no more may be. */
TEST(a_second_thread_unlocks_nothing)
{
	int status;
	pid_t pid;

	fflush(NULL);
	pid = fork();
	if (!pid) {
		struct rt_granted got;

		rt_setup(0, &got);
		if (!got.locked || locked_kb() <= 0)
			_exit(77);
		if (setrlimit(RLIMIT_MEMLOCK, &(struct rlimit){ 0, 0 }) || (!geteuid() && setuid(65534)))
			_exit(1);
		rt_setup(0, &got);
		_exit(got.locked && locked_kb() > 0 ? 0 : 2);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	if (WEXITSTATUS(status) == 77)
		skip();
	assert_int_equal(WEXITSTATUS(status), 0);
}
#endif

TEST(tells_what_was_granted)
{
	assert_int_equal(in_child(0), 0);
	assert_int_equal(in_child(-1), 0);
	assert_int_equal(in_child(1), 0);
	assert_int_equal(in_child(20), 0);
	assert_int_equal(in_child(1000), 0); /* no such priority: refused, and said so */
}
