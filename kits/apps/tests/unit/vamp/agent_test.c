// SPDX-License-Identifier: GPL-3.0-or-later
/* agent - what it counts against the kernel's account of a known process, and what it sends through a socket; and its lines:
 * known ones, bad ones, and thousands that are nearly right. */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "clock.h"
#include "proc.h"
#include "vamp/agent.h"
#include "vamp/throttle.h"
#include "why.h"
#include "../../../../../tests/unit/unit.h"
#include "../../../../../tests/unit/seeds.h"

#define PATIENCE (60 * NS_PER_S) /* bounds only a test that would else hang for ever */

static void *burn(void *arg)
{
	struct timespec nap = { .tv_nsec = 3000000 };

	for (;;) {
		for (volatile int i = 0; i < 1000000; i++)
			;
		if (arg)
			nanosleep(&nap, NULL);
	}
	return NULL;
}

/* A process with two threads on the CPU, one of them that sleeps at times. */
static pid_t start_burner(int cpu)
{
	struct cli_cpus one = { 1, { cpu } };
	pid_t parent = getpid(), pid;
	char byte = 'x';
	int ready[2];

	assert_int_equal(pipe(ready), 0);
	pid = fork();
	if (!pid) {
		pthread_t second;

		if (proc_end_with_parent(SIGKILL, parent) || proc_pin_thread(&one) || pthread_create(&second, NULL, burn, &one) ||
		    write(ready[1], &byte, 1) != 1)
			_exit(1);
		burn(NULL);
	}
	close(ready[1]);
	assert_int_equal(read(ready[0], &byte, 1), 1); /* from here on it is on no other CPU */
	close(ready[0]);
	return pid;
}

static void end_burner(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static int last_cpu(void)
{
	static struct cli_cpus allowed;

	assert_int_equal(proc_allowed_cpus(&allowed), 0);
	return allowed.cpu[allowed.n - 1];
}

TEST(run_time_counts_for_the_cpu_where_it_was_spent)
{
	static struct agent_cpu_times cpu[AGENT_CPUS];
	int here = last_cpu();
	pid_t pid = start_burner(here), other = start_burner(here);
	struct background_tag tags[] = { { .pid = pid, .comm = "burner" }, { .pid = other, .start = 1, .comm = "not this one" } };
	int64_t interval_ns, before_ns, begun_ns, measured_ns, ended_ns, counted_ns = 0, least_ns, most_ns;
	struct agent_load *l;

	clock_sleep(clock_now() + 100 * NS_PER_MS);
	before_ns = clock_pid_cpu(pid);
	l = agent_load_open(tags, 2);
	begun_ns = measured_ns = clock_pid_cpu(pid);
	assert_non_null(l);
	for (int round = 0; round < 10 || (round < 600 && measured_ns - begun_ns < 100 * NS_PER_MS); round++) {
		clock_sleep(clock_now() + 50 * NS_PER_MS);
		measured_ns = clock_pid_cpu(pid);
		assert_true(agent_load_measure(l, &interval_ns, cpu) > here);
		assert_true(cpu[here].online);
		counted_ns += cpu[here].background_ns;
		for (int i = 0; i < AGENT_CPUS; i++)
			if (i != here)
				assert_int_equal(cpu[i].background_ns, 0);
	}
	ended_ns = clock_pid_cpu(pid);
	/* It went on between our looks and the agent's, however long that took us. */
	least_ns = measured_ns - begun_ns;
	most_ns = ended_ns - before_ns;
	/* the kernel brings a running thread's account up to date at its ticks */
	assert_true(counted_ns > least_ns - 40 * NS_PER_MS - least_ns / 10);
	assert_true(counted_ns < most_ns + 40 * NS_PER_MS + most_ns / 10);
	assert_true(least_ns > 50 * NS_PER_MS);
	end_burner(pid);
	agent_load_measure(l, &interval_ns, cpu);
	agent_load_measure(l, &interval_ns, cpu);
	assert_int_equal(cpu[here].background_ns, 0); /* it has ended, and the other was never tagged: its start is another */
	end_burner(other);
	free(l);
}

/* The next line of what has come and of what the agent still sends, if it is not NULL. */
static bool next_line(struct throttle *agent, int in, char *text, size_t size)
{
	for (size_t n = 0; n + 1 < size;) {
		struct pollfd come = { .fd = in, .events = POLLIN };

		while (agent && !poll(&come, 1, 0)) {
			int64_t due_ns = agent->ops->do_periodic_work(agent, clock_now());

			if (!poll(&come, 1, 0))
				clock_sleep(due_ns);
		}
		if (read(in, text + n, 1) != 1)
			return false;
		if (text[n] == '\n') {
			text[n] = '\0';
			return true;
		}
		n++;
	}
	return false;
}

/* The same for the daemon's loop, which goes on meanwhile. */
static void pass(struct throttle *agent, int64_t ns)
{
	for (int64_t end = clock_now() + ns; clock_now() < end;) {
		int64_t due_ns = agent->ops->do_periodic_work(agent, clock_now());

		clock_sleep(due_ns < end ? due_ns : end);
	}
}

static bool next_parsed(struct throttle *agent, int in, int64_t *sequence, struct agent_line *line)
{
	char text[256];

	if (!next_line(agent, in, text, sizeof(text)))
		return false;
	assert_int_equal(agent_parse(text, line), 0);
	assert_int_equal(line->sequence, ++*sequence);
	return true;
}

/* Reads on until a report gives some percent of the CPU, and none of any other. */
static void until_reported(struct throttle *agent, int in, int64_t *sequence, int cpu)
{
	struct agent_line line;

	for (int64_t end = clock_now() + PATIENCE; clock_now() < end;) {
		assert_true(next_parsed(agent, in, sequence, &line));
		assert_int_equal(line.word, AGENT_CPU);
		if (line.cpu == cpu && line.percent > 0)
			return;
		assert_int_equal(line.percent, 0);
	}
	fail_msg("no report gave any percent of CPU %d", cpu);
}

/* The next line that is no report, and the greatest percent that the reports before it gave of the CPU, of both at most -1. */
static enum agent_message next_word(struct throttle *agent, int in, int64_t *sequence, int cpu, int *most, int *elsewhere)
{
	struct agent_line line;

	*most = *elsewhere = -1;
	while (next_parsed(agent, in, sequence, &line)) {
		int *percent;

		if (line.word != AGENT_CPU)
			return line.word;
		percent = line.cpu == cpu ? most : elsewhere;
		*percent = line.percent > *percent ? line.percent : *percent;
	}
	fail_msg("the agent has ended");
	return AGENT_END;
}

TEST(an_episode_is_told_through_a_socket)
{
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	int server = socket(AF_UNIX, SOCK_STREAM, 0), here = last_cpu(), in, most, elsewhere;
	struct background_tag tag = { .pid = start_burner(here) };
	struct throttle *agent;
	int64_t sequence = 0;
	struct why why;
	char told[256];

	snprintf(at.sun_path, sizeof(at.sun_path), "/tmp/vamp-agent-test.%d", (int)getpid());
	assert_int_equal(bind(server, (struct sockaddr *)&at, sizeof(at)), 0);
	assert_int_equal(listen(server, 1), 0);
	assert_int_equal(agent_open(&agent, at.sun_path, &why), 0);
	in = accept(server, NULL, NULL);
	assert_true(in >= 0);
	assert_int_equal(next_word(agent, in, &sequence, here, &most, &elsewhere), AGENT_ALIVE);
	assert_int_equal(most, -1);
	assert_int_equal(next_word(agent, in, &sequence, here, &most, &elsewhere), AGENT_ALIVE);

	assert_int_equal(agent->ops->begin(agent, &tag, 1), 0);
	while (next_word(agent, in, &sequence, here, &most, &elsewhere) == AGENT_ALIVE)
		;
	until_reported(agent, in, &sequence, here);
	pass(agent, 500 * NS_PER_MS);
	assert_int_equal(agent->ops->begin(agent, NULL, 0), 0); /* the next input comes: nobody is background now */
	assert_int_equal(next_word(agent, in, &sequence, here, &most, &elsewhere), AGENT_END);
	assert_true(elsewhere <= 0);
	assert_int_equal(next_word(agent, in, &sequence, here, &most, &elsewhere), AGENT_BEGIN);
	pass(agent, 200 * NS_PER_MS);
	assert_int_equal(agent->ops->end(agent), 0);
	assert_int_equal(next_word(agent, in, &sequence, here, &most, &elsewhere), AGENT_END);
	assert_true(most <= 0);

	assert_int_equal(agent->ops->begin(agent, &tag, 1), 0);
	while (next_word(agent, in, &sequence, here, &most, &elsewhere) == AGENT_ALIVE)
		;
	agent->ops->describe(agent, told, sizeof(told));
	assert_non_null(strstr(told, ", 0 of them unsent"));
	agent->ops->close(agent);
	assert_int_equal(next_word(NULL, in, &sequence, here, &most, &elsewhere), AGENT_END);
	end_burner(tag.pid);
	close(in);
	close(server);
	unlink(at.sun_path);
}

TEST(a_port_that_is_none_is_refused)
{
	struct throttle *agent;
	struct why why;

	assert_true(agent_open(&agent, "/nonexistent/port", &why) < 0);
	assert_true(agent_open(&agent, "/proc/self/stat", &why) < 0);
	assert_non_null(strstr(why.text, "/proc/self/stat"));
}

/* --- lines --- */

TEST(lines_mean_what_the_header_says)
{
	static const struct {
		const char *text;
		struct agent_line line;
	} good[] = {
		{ "vamp/1 1 begin", { 1, AGENT_BEGIN, 0, 0 } },
		{ "vamp/1 7 end", { 7, AGENT_END, 0, 0 } },
		{ "vamp/1 1000000000000000 alive", { 1000000000000000, AGENT_ALIVE, 0, 0 } },
		{ "vamp/1 20 cpu 0 0", { 20, AGENT_CPU, 0, 0 } },
		{ "vamp/1 21 cpu 511 100", { 21, AGENT_CPU, 511, 100 } },
	};

	for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++) {
		struct agent_line line;
		char text[AGENT_LINE];
		size_t n;

		assert_int_equal(agent_parse(good[i].text, &line), 0);
		assert_int_equal(line.sequence, good[i].line.sequence);
		assert_int_equal(line.word, good[i].line.word);
		assert_int_equal(line.cpu, good[i].line.cpu);
		assert_int_equal(line.percent, good[i].line.percent);
		n = agent_format(&good[i].line, text);
		assert_int_equal(n, strlen(good[i].text) + 1);
		assert_memory_equal(text, good[i].text, n - 1);
		assert_int_equal(text[n - 1], '\n');
	}
}

TEST(what_is_no_line_is_refused)
{
	static const char *const bad[] = {
		"",
		"vamp",
		"vamp/",
		"vamp/1",
		"vamp/1 ",
		"vamp/1 1",
		"vamp/1 1 ",
		"vamp/1 0 begin",
		"vamp/1 01 begin",
		"vamp/1 -1 begin",
		"vamp/1 +1 begin",
		"vamp/1 1 begin ",
		"vamp/1  1 begin",
		" vamp/1 1 begin",
		"vamp/1 1 Begin",
		"vamp/1 1 beginning",
		"vamp/1 1 cpu",
		"vamp/1 1 cpu 0",
		"vamp/1 1 cpu 0 ",
		"vamp/1 1 cpu 0 101",
		"vamp/1 1 cpu 512 0",
		"vamp/1 1 cpu -1 0",
		"vamp/1 1 cpu 0 1 2",
		"vamp/1 1 cpu 0 0x1",
		"vamp/1 1 cpu 0 1.5",
		"vamp/1 1000000000000001 begin",
		"vamp/1 99999999999999999999999999999999999999 begin",
		"vamp/1 1 cpu 99999999999999999999 1",
		"vamp/99999999999 1 begin",
		"vamp/1\t1 begin",
		"vamp/1 1 begin\r",
	};
	struct agent_line line;

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		if (agent_parse(bad[i], &line) != -EPROTO)
			fail_msg("taken: \"%s\"", bad[i]);
	assert_int_equal(agent_parse("vamp/2 1 whatever comes", &line), -EPROTONOSUPPORT);
	assert_int_equal(agent_parse("vamp/0 1 begin", &line), -EPROTONOSUPPORT);
}

/* There is one way to write a line: what is taken and written again is the same. */
TEST(lines_that_are_nearly_right_are_taken_only_where_they_are_right)
{
	static const char letters[] = "vamp/1 0123456789 begincpualivend -+.\t\r\x80\xff";
	static const char *const seeds[] = { "vamp/1 12 begin", "vamp/1 3 cpu 1 50", "vamp/1 90 end", "vamp/1 4 alive" };
	uint32_t die = 1;
	int taken = 0;

	for (int round = 0; round < 200000; round++) {
		char text[48], again[AGENT_LINE];
		struct agent_line line;
		size_t n = strlen(strcpy(text, seeds[seeds_draw(&die, 4)]));

		for (size_t changes = 1 + seeds_draw(&die, 3); changes; changes--) {
			size_t at = seeds_draw(&die, n);

			if (seeds_draw(&die, 2) && n < sizeof(text) - 1)
				memmove(text + at + 1, text + at, ++n - at);
			text[at] = letters[seeds_draw(&die, sizeof(letters) - 1)];
		}
		if (agent_parse(text, &line))
			continue;
		taken++;
		assert_in_range(line.cpu, 0, AGENT_CPUS - 1);
		assert_in_range(line.percent, 0, 100);
		again[agent_format(&line, again) - 1] = '\0';
		assert_string_equal(again, text);
	}
	assert_in_range(taken, 1000, 199000); /* else nothing was tried */
}

TEST(a_share_is_of_the_time_that_the_vcpu_ran)
{
	assert_int_equal(agent_background_percent(0, 40, 0, 0, 10), 0);
	assert_int_equal(agent_background_percent(-3, 40, 0, 0, 10), 0);
	assert_int_equal(agent_background_percent(30, 40, 0, 0, 10), 75);   /* other processes took the rest */
	assert_int_equal(agent_background_percent(10, 40, 30, 0, 10), 100); /* the rest was idle */
	assert_int_equal(agent_background_percent(5, 40, 30, 0, 10), 50);
	assert_int_equal(agent_background_percent(42, 40, 0, 0, 10), 100); /* counted a little late */
	/* stolen: between 30 and 40, so it may have run for no more */
	assert_int_equal(agent_background_percent(3, 40, 0, 30, 10), 100);
	assert_int_equal(agent_background_percent(5, 40, 0, 20, 10), 50);
	assert_int_equal(agent_background_percent(5, 40, 50, 0, 10), 100);
}
