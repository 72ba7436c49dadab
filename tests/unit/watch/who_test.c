// SPDX-License-Identifier: GPL-3.0-or-later
#include "../unit.h"
#include "clock.h"
#include "watch/who.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define OWN 9

/* Two looks two seconds apart, of 100 ticks a second; what the rows of `now` had before stands in `was`. */
static const char *compare(struct who_process *was, size_t was_n, struct who_process *now, size_t now_n, int64_t busy)
{
	static char text[96];
	struct who_scene before = { was, was_n, 5 * NS_PER_S, busy < 0 ? -1 : 7000 },
			 after = { now, now_n, 7 * NS_PER_S, busy < 0 ? -1 : 7000 + busy };

	who_compare(&before, &after, OWN, 100, text, sizeof(text));
	return text;
}
#define COMPARE(was, now, busy) compare(was, sizeof(was) / sizeof(*(was)), now, sizeof(now) / sizeof(*(now)), busy)

TEST(a_program_counts_with_all_its_processes)
{
	struct who_process was[] = { { 1, 1, 5000, "init" }, { 20, 3, 10, "cc1" }, { 21, 3, 40, "backup" } }, now[] = {
		{ 1, 1, 5000, "init" }, { 20, 3, 100, "cc1" }, { 21, 3, 160, "backup" }, { 30, 8, 60, "cc1" }
	};

	assert_string_equal(COMPARE(was, now, 270), "cc1 75 %");
}

TEST(a_number_used_again_is_a_new_process)
{
	struct who_process was[] = { { 20, 3, 9000, "old" } }, now[] = { { 20, 44, 60, "new" } };

	assert_string_equal(COMPARE(was, now, 60), "new 30 %");
}

TEST(neither_this_process_nor_a_little_is_named)
{
	struct who_process was[] = { { 4, 1, 0, "x" }, { OWN, 1, 0, "prototap" } },
			   now[] = { { 4, 1, 39, "x" }, { OWN, 1, 150, "prototap" } };

	assert_string_equal(COMPARE(was, now, 189), "no program");
	now[0].ticks = 40;
	assert_string_equal(COMPARE(was, now, 190), "x 20 %");
}

TEST(what_has_ended_or_is_hidden_is_said)
{
	struct who_process was[] = { { 4, 1, 0, "make" }, { 50, 1, 3, "sh" } }, now[] = { { 4, 1, 50, "make" } };

	assert_string_equal(COMPARE(was, now, 170), "programs that have ended or are not shown, 60 %");
	assert_string_equal(COMPARE(was, now, -1), "make 25 %");
}

TEST(a_name_cannot_write_to_the_terminal)
{
	struct who_process was[] = { { 4, 1, 0, "" } }, now[] = { { 4, 1, 50, "\033[2J\n" } };

	assert_string_equal(COMPARE(was, now, 50), "?[2J  25 %");
}

TEST(a_look_finds_a_process_with_its_name_and_time)
{
	const struct who_process *found = NULL;
	struct who w = { 0 };
	pid_t child = fork();

	if (!child) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		prctl(PR_SET_NAME, "greedy ) (");
		for (;;)
			;
	}
	while (clock_pid_cpu(child) < 200 * NS_PER_MS)
		usleep(10000);
	assert_string_equal(who_look(&w, clock_now()), "");
	for (size_t i = 0; i < w.was.n; i++)
		if (w.was.process[i].pid == child)
			found = &w.was.process[i];
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	assert_non_null(found);
	assert_string_equal(found->name, "greedy ) (");
	assert_true(found->ticks * NS_PER_S / sysconf(_SC_CLK_TCK) >=
		    180 * NS_PER_MS); /* the kernel counts in ticks of up to 10 ms */
	assert_true(w.was.busy >= found->ticks);
	assert_string_not_equal(who_look(&w, clock_now() + WHO_SHORTEST_NS), "");
	who_free(&w);
}
