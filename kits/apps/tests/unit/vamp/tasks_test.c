// SPDX-License-Identifier: GPL-3.0-or-later
/* tasks and scope - a process that works, with a thread that sleeps, held against what the kernel says of it in /proc. */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "clock.h"
#include "proc.h"
#include "vamp/tasks.h"
#include "../../../../../tests/unit/unit.h"

#define SUB (256 * NS_PER_MS)

static atomic_int resting;

static void *rest(void *arg)
{
	(void)arg;
	atomic_store(&resting, (int)gettid());
	for (;;)
		pause();
	return NULL;
}

/* Says its pid when its thread sleeps, and works from then on. */
static void work(int out)
{
	struct proc_stat other = { .state = 'R' };
	pid_t pid = getpid();
	pthread_t thread;

	alarm(600); /* whatever becomes of the test */
	pthread_create(&thread, NULL, rest, NULL);
	while (!atomic_load(&resting) || proc_read_stat(atomic_load(&resting), &other) || other.state != 'S')
		clock_sleep(clock_now() + NS_PER_MS);
	if (write(out, &pid, sizeof(pid)) != sizeof(pid))
		_exit(1);
	for (;;)
		;
}

/* A child of a child: children of vamp itself are not in scope. */
static pid_t start_worker(void)
{
	pid_t pid, between;
	int out[2];

	assert_int_equal(pipe(out), 0);
	between = fork();
	if (!between) {
		if (!fork())
			work(out[1]);
		_exit(0);
	}
	close(out[1]);
	assert_int_equal(read(out[0], &pid, sizeof(pid)), sizeof(pid));
	waitpid(between, NULL, 0);
	close(out[0]);
	return pid;
}

static const struct process_history *find(const struct task_sampler *t, pid_t pid)
{
	const struct process_history *p;

	for (size_t i = 0; (p = tasks_next(t, &i));)
		if (p->pid == pid)
			return p;
	return NULL;
}

static void until_used(pid_t pid, int64_t ns)
{
	for (int i = 0; clock_pid_cpu(pid) < ns && i < 30000; i++)
		clock_sleep(clock_now() + 10 * NS_PER_MS);
}

TEST(test_counts_as_the_kernel)
{
	struct process_scope scope = { .by_user = true, .uid = geteuid() };
	struct proc_schedstat before, after;
	const struct process_history *p;
	struct task_sampler *t;
	pid_t pid = start_worker();
	int64_t first;
	size_t slot;

	if (tasks_open(&t, &scope, SUB))
		skip();
	assert_int_equal(tasks_sample(t, clock_now(), false), 0);
	p = find(t, pid);
	assert_non_null(p);
	first = p->run_ns[history_slot(tasks_times(t)->last)];
	until_used(pid, first + 100 * NS_PER_MS);
	assert_int_equal(proc_read_schedstat(pid, &before), 0);
	assert_int_equal(tasks_sample(t, clock_now(), false), 0);
	assert_int_equal(proc_read_schedstat(pid, &after), 0);
	p = find(t, pid);
	assert_non_null(p);
	slot = history_slot(tasks_times(t)->last);
	assert_true(p->run_ns[slot] >= first + 100 * NS_PER_MS);
	assert_int_equal(p->n, 2); /* its threads are looked at, for it ran */
	for (size_t i = 0; i < p->n; i++)
		if (p->thread[i].tid == pid) {
			assert_in_range(p->thread[i].at[slot].run_ns, before.run_ns, after.run_ns);
			assert_in_range(p->thread[i].at[slot].wait_ns, before.wait_ns, after.wait_ns);
			assert_true(p->thread[i].at[slot].wants);
		} else
			assert_false(p->thread[i].at[slot].wants);
	kill(pid, SIGKILL);
	while (clock_pid_cpu(pid) >= 0)
		clock_sleep(clock_now() + 10 * NS_PER_MS);
	assert_int_equal(tasks_sample(t, clock_now(), true), 0);
	assert_null(find(t, pid));
	tasks_close(t);
}

/* One that is born between two samples is found at the next. */
TEST(test_new_process)
{
	struct process_scope scope = { .by_user = true, .uid = geteuid() };
	struct task_sampler *t;
	pid_t pid;

	if (tasks_open(&t, &scope, SUB))
		skip();
	assert_int_equal(tasks_sample(t, clock_now(), false), 0);
	pid = start_worker();
	until_used(pid, 50 * NS_PER_MS);
	assert_int_equal(tasks_sample(t, clock_now(), false), 0);
	assert_non_null(find(t, pid));
	kill(pid, SIGKILL);
	tasks_close(t);
}

static bool has(const struct process_scope *s, pid_t pid)
{
	struct scope_process *all;
	bool found = false;
	size_t n;

	if (scope_list(s, &all, &n))
		return false;
	while (n--)
		found = found || all[n].pid == pid;
	free(all);
	return found;
}

TEST(test_scope)
{
	struct process_scope all = { 0 }, other = { .by_user = true, .uid = geteuid() + 1 }, nowhere = { .group = "/proc" };
	pid_t pid = start_worker(), child = fork();

	if (!child)
		for (;;)
			pause();
	assert_true(has(&all, pid));
	assert_false(has(&other, pid));
	assert_false(has(&nowhere, pid));
	assert_false(has(&all, child));
	assert_false(has(&all, getpid()));
	assert_false(has(&all, 1));
	assert_false(has(&all, 2)); /* kthreadd, a kernel thread */
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	kill(pid, SIGKILL);
}
