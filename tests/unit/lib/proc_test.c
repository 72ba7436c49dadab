// SPDX-License-Identifier: GPL-3.0-or-later
/* proc - real processes: a chain that dies together, a stop signal at every moment, CPUs, the kernel's accounts. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include "clock.h"
#include "proc.h"
#include "../unit.h"

#define PATIENCE (60 * NS_PER_S) /* bounds only a test that would else hang for ever */

/* Waits until all who hold the other end of the pipe are gone. */
static bool deserted(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	char byte;

	for (int64_t end = clock_now() + PATIENCE; clock_now() < end;) {
		if (poll(&p, 1, 1000) > 0 && read(fd, &byte, 1) == 0)
			return true;
	}
	return false;
}

TEST(a_chain_dies_with_its_head)
{
	int ends[2], status;
	char said[3] = "";
	pid_t head;

	assert_int_equal(pipe(ends), 0);
	fflush(NULL);
	head = fork();
	if (!head) {
		pid_t me = getpid(), second = fork();

		if (!second) {
			pid_t third;

			if (proc_end_with_parent(SIGKILL, me))
				_exit(1);
			me = getpid();
			third = fork();
			if (!third && proc_end_with_parent(SIGKILL, me))
				_exit(1);
			if (write(ends[1], "x", 1) != 1)
				_exit(1);
		}
		for (;;)
			pause();
	}
	close(ends[1]);
	for (size_t n = 0; n < 2;) {
		ssize_t got = read(ends[0], said + n, 2 - n);

		assert_true(got > 0);
		n += (size_t)got;
	}
	kill(head, SIGKILL);
	assert_int_equal(waitpid(head, &status, 0), head);
	assert_true(deserted(ends[0]));
	close(ends[0]);
}

TEST(a_load_program_stops_with_its_parent)
{
	int ends[2], status;
	char byte = 0;
	pid_t head;

	assert_int_equal(pipe(ends), 0);
	fflush(NULL);
	head = fork();
	if (!head) {
		if (!fork()) {
			proc_catch_stop();
			proc_set_parent_death_term();
			if (write(ends[1], "r", 1) != 1)
				_exit(1);
			proc_sleep(clock_now() + PATIENCE);
			/* a friendly end: it has time to report */
			_exit(write(ends[1], proc_stop == SIGTERM ? "T" : "?", 1) != 1);
		}
		for (;;)
			pause();
	}
	close(ends[1]);
	assert_int_equal(read(ends[0], &byte, 1), 1);
	kill(head, SIGKILL);
	assert_int_equal(waitpid(head, &status, 0), head);
	assert_int_equal(read(ends[0], &byte, 1), 1);
	assert_int_equal(byte, 'T');
	close(ends[0]);
}

TEST(a_lost_terminal_ends_it_but_not_under_nohup)
{
	signal(SIGHUP, SIG_IGN);
	proc_catch_stop();
	proc_stop = 0;
	raise(SIGHUP);
	assert_int_equal(proc_stop, 0);
	signal(SIGHUP, SIG_DFL);
	proc_catch_stop();
	raise(SIGHUP);
	assert_int_equal(proc_stop, SIGHUP);
	proc_sleep(INT64_MAX);
	proc_stop = 0;
	signal(SIGHUP, SIG_DFL);
}

TEST(a_second_signal_ends_a_program_that_does_not_look_at_the_flag)
{
	pid_t pid;
	int status;

	fflush(NULL);
	pid = fork();
	if (!pid) {
		proc_catch_stop();
		proc_stop = 0;
		raise(SIGTERM);
		raise(SIGTERM); /* of a group and its driver at once: as one */
		clock_sleep(clock_now() + PROC_SECOND_STOP_NS + NS_PER_MS);
		raise(SIGTERM);
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
}

TEST(a_signal_before_the_wait_is_not_lost)
{
	int64_t start = clock_now();

	proc_catch_stop();
	proc_stop = 0;
	raise(SIGTERM);
	assert_int_equal(proc_stop, SIGTERM);
	proc_sleep(INT64_MAX);
	proc_stop = 0;
	raise(SIGINT);
	assert_int_equal(proc_stop, SIGINT);
	proc_sleep(start + 3600 * NS_PER_S);
	assert_true(clock_now() - start < PATIENCE);
	proc_stop = 0;
}

/* proc_sleep looks at the clock between its look at the flag and falling asleep: the very moment to be hit. The
 * linker sends its clock_now here (--wrap, see LIBS_proc_test in the Makefile). */
int64_t __real_clock_now(void);
int64_t __wrap_clock_now(void);
static bool strike;

int64_t __wrap_clock_now(void)
{
	if (strike) {
		strike = false;
		raise(SIGTERM);
	}
	return __real_clock_now();
}

TEST(a_signal_just_before_falling_asleep_is_not_lost)
{
	int64_t start = clock_now();

	proc_catch_stop();
	proc_stop = 0;
	strike = true;
	proc_sleep(start + PATIENCE);
	assert_false(strike);
	assert_int_equal(proc_stop, SIGTERM);
	assert_true(clock_now() - start < PATIENCE); /* it was the signal that ended it, not the time */
	proc_stop = 0;
}

TEST(a_signal_at_any_moment_ends_the_wait)
{
	proc_catch_stop();
	for (int i = 0; i < 400; i++) {
		pid_t me = getpid(), pid;
		int status;

		proc_stop = 0;
		fflush(NULL);
		pid = fork();
		if (!pid) {
			int64_t until = clock_now() + i * 500;

			while (clock_now() < until)
				;
			kill(me, i % 2 ? SIGTERM : SIGINT);
			_exit(0);
		}
		proc_sleep(clock_now() + PATIENCE);
		assert_int_not_equal(proc_stop, 0);
		while (waitpid(pid, &status, 0) < 0)
			assert_int_equal(errno, EINTR);
	}
	proc_stop = 0;
}

TEST(without_a_signal_the_time_ends_it)
{
	int64_t until = clock_now() + 20 * NS_PER_MS;
	sigset_t mask;

	proc_stop = 0;
	proc_sleep(until);
	assert_true(clock_now() >= until);
	assert_int_equal(proc_stop, 0);
	proc_sleep(until); /* has passed */
	proc_sleep(0);
	sigprocmask(SIG_BLOCK, NULL, &mask);
	assert_false(sigismember(&mask, SIGTERM));
	assert_false(sigismember(&mask, SIGINT));
}

TEST(ready_is_one_line)
{
	int ends[2];
	char line[16];

	assert_int_equal(pipe(ends), 0);
	assert_int_equal(proc_write_ready(ends[1]), 0);
	assert_int_equal(read(ends[0], line, sizeof(line)), 6);
	assert_memory_equal(line, "ready\n", 6);
	close(ends[0]);
	proc_catch_stop();
	assert_int_equal(proc_write_ready(ends[1]), -EPIPE); /* told, not killed */
	close(ends[1]);
	assert_int_equal(proc_write_ready(ends[1]), -EBADF);
}

TEST(pins_to_what_there_is)
{
	struct cli_cpus before, after, one = { .n = 1 }, none = { .n = 0 }, missing = { .n = 1, .cpu = { 1023 } },
				       some = { .n = 2 };
	struct cli_cpus *tried[] = { &missing, &some };

	assert_int_equal(proc_allowed_cpus(&before), 0);
	assert_true(before.n >= 1);
	one.cpu[0] = before.cpu[before.n - 1];
	assert_int_equal(proc_pin_thread(&one), 0);
	assert_int_equal(proc_allowed_cpus(&after), 0);
	assert_int_equal(after.n, 1);
	assert_int_equal(after.cpu[0], one.cpu[0]);
	assert_int_equal(proc_pin_thread(&none), 0);
	assert_int_equal(proc_allowed_cpus(&after), 0);
	assert_int_equal(after.n, 1);
	some.cpu[0] = one.cpu[0];
	some.cpu[1] = 1023;
	for (size_t i = 0; i < 2; i++)
		assert_int_equal(proc_pin_thread(tried[i]), -ENODEV); /* also where only some are missing */
	assert_int_equal(proc_pin_thread(&before), 0);
	assert_int_equal(proc_allowed_cpus(&after), 0);
	assert_memory_equal(after.cpu, before.cpu, (size_t)before.n * sizeof(int));
}

TEST(the_kernels_account_of_us)
{
	struct proc_schedstat a, b;
	int64_t cpu = clock_thread_cpu();
	int err = proc_read_schedstat(getpid(), &a);

	if (err == -ENOENT)
		skip(); /* this kernel keeps none */
	assert_int_equal(err, 0);
	while (clock_thread_cpu() - cpu < 20 * NS_PER_MS)
		;
	sched_yield();
	assert_int_equal(proc_read_schedstat(getpid(), &b), 0);
	assert_true(b.run_ns - a.run_ns >= 10 * NS_PER_MS);
	assert_true(b.wait_ns >= a.wait_ns);
	assert_true(b.slices >= a.slices);
	assert_true(proc_read_schedstat(999999999, &a) < 0);
}

TEST(autogroup_is_one_line_or_nothing)
{
	char text[64], tiny[5];

	proc_read_line(getpid(), "autogroup", text, sizeof(text));
	assert_null(strchr(text, '\n'));
	if (text[0])
		assert_int_equal(strncmp(text, "/autogroup-", 11), 0);
	proc_read_line(getpid(), "autogroup", tiny, sizeof(tiny));
	assert_true(strlen(tiny) < sizeof(tiny));
	proc_read_line(999999999, "autogroup", text, sizeof(text));
	assert_string_equal(text, "");
}

TEST(the_most_memory_stays_known)
{
	const size_t size = 64 << 20;
	int64_t before = proc_memory_peak(getpid());
	char *room = malloc(size);

	if (!before || !room)
		skip();
	memset(room, 1, size);
	__asm__ volatile("" : : "r"(room) : "memory");
	free(room);
	/* (what was there before may have been paged out meanwhile) */
	assert_true(proc_memory_peak(getpid()) > before + (int64_t)size / 2);
	assert_int_equal(proc_memory_peak(-1), 0);
}

/* By hand, after proc(5). */
TEST(a_line_of_stat)
{
	static const char text[] =
		"812 (a) S 3 (b)) D 700 811 699 34817 -1 4194304 10 11 12 13 5 6 7 8 20 0 3 0 18446744073709551615 1 2\n";
	struct proc_stat s;

	assert_int_equal(proc_parse_stat(text, &s), 0);
	assert_int_equal(s.state, 'D');
	assert_int_equal(s.ppid, 700);
	assert_int_equal(s.session, 699);
	assert_int_equal(s.flags, 4194304);
	assert_int_equal(s.minor, 10);
	assert_int_equal(s.minor_waited, 11);
	assert_int_equal(s.major, 12);
	assert_int_equal(s.major_waited, 13);
	assert_int_equal(s.user, 5);
	assert_int_equal(s.system, 6);
	assert_int_equal(s.user_waited, 7);
	assert_int_equal(s.system_waited, 8);
	assert_int_equal(s.threads, 3);
	assert_true(s.start == UINT64_MAX);
	assert_string_equal(s.comm, "a) S 3 (b)");
	assert_int_equal(s.cpu, -1); /* the line ends before it */
	assert_int_equal(
		proc_parse_stat("9 (a name that is longer than the kernel's) S 1 9 9 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 77 23 24 "
				"18446744073709551615 26 27 28 29 30 31 32 33 34 35 36 37 38 5 0 0",
				&s),
		0);
	assert_string_equal(s.comm, "a name that is ");
	assert_int_equal(s.start, 77);
	assert_int_equal(s.cpu, 5);
	assert_int_equal(proc_parse_stat("12 (cut) S 1 2", &s), -EPROTO);
	assert_int_equal(proc_parse_stat("no brackets", &s), -EPROTO);
	assert_int_equal(proc_parse_stat("", &s), -EPROTO);
}

TEST(the_process_of_a_thread)
{
	struct proc_stat s;
	char text[32];

	assert_int_equal(proc_thread_pid(getpid()), getpid());
	assert_int_equal(proc_thread_pid(999999999), 0);
	assert_int_equal(proc_read_stat(getpid(), &s), 0);
	assert_int_equal(s.ppid, getppid());
	proc_read_line(getpid(), "comm", text, sizeof(text));
	assert_string_equal(s.comm, text);
	assert_int_equal(proc_read_stat(999999999, &s), -ESRCH);
}

static void group_is(const char *lines, const char *controller, int version, const char *group)
{
	FILE *f = tmpfile();
	char text[64];

	assert_non_null(f);
	fputs(lines, f);
	rewind(f);
	assert_int_equal(proc_parse_cgroup(f, controller, text, sizeof(text)), version);
	fclose(f);
	assert_string_equal(text, group);
}

/* By hand, after cgroups(7). */
TEST(a_group_is_that_of_the_controller)
{
	static const char both[] = "12:cpuset:/sets\n5:cpu,cpuacct:/a/b:c\n4:memory:/m\n1:name=systemd:/user\n0::/two\n";

	group_is(both, "cpu", 1, "/a/b:c");
	group_is(both, "cpuacct", 1, "/a/b:c");
	group_is(both, "memory", 1, "/m");
	group_is(both, "io", 2, "/two");
	group_is("0::/two\n", "cpu", 2, "/two");
	group_is("0::/two\n7:cpu:/one\n", "cpu", 1, "/one");
	group_is("3:cpuset:/sets\n", "cpu", 0, "");
	group_is("no such line\n", "cpu", 0, "");
	group_is("", "cpu", 0, "");
	/* no room: part of a name would be another group */
	group_is("4:cpu:/0123456789012345678901234567890123456789012345678901234567890123456789\n", "cpu", 0, "");
	group_is("0::/0123456789012345678901234567890123456789012345678901234567890123456789\n", "cpu", 0, "");
}

/* The last one: from here on we die with our parent. */
TEST(a_parent_already_dead_is_noticed)
{
	assert_int_equal(proc_end_with_parent(SIGKILL, getpid()), -ESRCH); /* not our parent (any more) */
	assert_int_equal(proc_end_with_parent(SIGKILL, getppid()), 0);
}
