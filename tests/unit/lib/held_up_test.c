// SPDX-License-Identifier: GPL-3.0-or-later
/* held_up - a program that did not run for half a second or longer knows it. */
#include "held_up.h"
#include "clock.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>
#include "../unit.h"

TEST(pauses_last_half_a_second_at_least)
{
	assert_int_equal(held_up_pause_ns(50 * NS_PER_MS), 0);
	assert_int_equal(held_up_pause_ns(549 * NS_PER_MS), 0);
	assert_int_equal(held_up_pause_ns(550 * NS_PER_MS), 500 * NS_PER_MS);
	assert_int_equal(held_up_pause_ns(3600 * NS_PER_S), 3600 * NS_PER_S - 50 * NS_PER_MS);
}

TEST(what_nobody_watches_is_not_known)
{
	assert_int_equal(held_up_ns(), -1);
	assert_string_equal(held_up_words("it"), "");
}

TEST(a_stop_is_a_pause)
{
	int go[2], status;
	char word;
	pid_t pid;

	assert_int_equal(pipe(go), 0);
	pid = fork();
	if (!pid) {
		held_up_watch(0);
		raise(SIGSTOP);
		_exit(read(go[0], &word, 1) == 1 && held_up_ns() >= 600 * NS_PER_MS ? 0 : 1);
	}
	assert_int_equal(waitpid(pid, &status, WUNTRACED), pid);
	assert_true(WIFSTOPPED(status));
	clock_sleep(clock_now() + 700 * NS_PER_MS);
	kill(pid, SIGCONT);
	assert_int_equal(write(go[1], "x", 1), 1);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(WEXITSTATUS(status), 0);
}
