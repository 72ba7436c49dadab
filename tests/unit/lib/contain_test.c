// SPDX-License-Identifier: GPL-3.0-or-later
#include "../unit.h"
#include "contain.h"

#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static struct contained_memory picture;

struct call {
	int (*what)(void *arg);
	void *arg;
	int crashed, result;
};

static void *make_call(void *call)
{
	struct call *c = call;

	c->crashed = contain_call(c->what, c->arg, &c->result);
	return NULL;
}

/* In a new thread: cmocka replaces the signal handlers before each test, and a thread installs ours only once. */
static int crash_of(int (*what)(void *arg), void *arg, int *result)
{
	struct call c = { .what = what, .arg = arg };
	pthread_t thread;

	assert_int_equal(pthread_create(&thread, NULL, make_call, &c), 0);
	pthread_join(thread, NULL);
	*result = c.result;
	return c.crashed;
}

static int answer(void *arg)
{
	return *(int *)arg;
}

static int read_page_0(void *arg)
{
	static volatile int *volatile there = (int *)sizeof(int); /* not NULL, which UBSan does not let us read */

	(void)arg;
	return *there;
}

static int end_program(void *arg)
{
	(void)arg;
	abort();
}

static int (*volatile deeper)(void *arg); /* else the compiler makes a loop of it */

static int fill_stack(void *arg)
{
	volatile char big[64 << 10];

	big[0] = 1;
	return deeper(arg) + big[0];
}

static int raise_signal(void *arg)
{
	return raise(*(int *)arg);
}

static void *crash_twice(void *crashes)
{
	int result, *n = crashes;

	*n += contain_call(read_page_0, NULL, &result) == SIGSEGV;
	*n += contain_call(end_program, NULL, &result) == SIGABRT;
	return NULL;
}

TEST(a_call_that_returns_is_as_any_other)
{
	int forty = 40, result = 0;

	assert_int_equal(crash_of(answer, &forty, &result), 0);
	assert_int_equal(result, 40);
}

TEST(each_kind_of_crash_is_told_by_its_signal)
{
	static int others[] = { SIGBUS, SIGFPE, SIGILL };
	int result;

	deeper = fill_stack;
	for (int again = 0; again < 2; again++) {
		assert_int_equal(crash_of(read_page_0, NULL, &result), SIGSEGV);
		assert_int_equal(crash_of(end_program, NULL, &result), SIGABRT);
		assert_int_equal(crash_of(fill_stack, NULL, &result), SIGSEGV);
		for (size_t i = 0; i < COUNT(others); i++)
			assert_int_equal(crash_of(raise_signal, &others[i], &result), others[i]);
	}
}

TEST(each_thread_has_its_own)
{
	pthread_t thread[4];
	int crashes[4] = { 0 };

	for (int i = 0; i < 4; i++)
		assert_int_equal(pthread_create(&thread[i], NULL, crash_twice, &crashes[i]), 0);
	for (int i = 0; i < 4; i++) {
		pthread_join(thread[i], NULL);
		assert_int_equal(crashes[i], 2);
	}
}

TEST(a_crash_outside_of_a_call_ends_the_program)
{
	int forty = 40, result, status;
	pid_t child = fork();

	if (!child) {
		crash_of(answer, &forty, &result);
		read_page_0(NULL);
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV);
}

static size_t pixel;

static int write_pixel(void *arg)
{
	((volatile uint32_t *)picture.at)[pixel] = 1;
	return *(int *)arg;
}

TEST(behind_a_picture_nothing_can_be_written)
{
	int forty = 40, result = 0;

	assert_non_null(contain_picture(&picture, 1024, 2));
	pixel = 1024 * 2 - 1;
	assert_int_equal(crash_of(write_pixel, &forty, &result), 0);
	assert_int_equal(((uint32_t *)picture.at)[0], 0);
	pixel = 1024 * 2; /* a page ends here */
	assert_int_equal(crash_of(write_pixel, &forty, &result), SIGSEGV);
	if (sizeof(void *) == 8) { /* the end of the farthest rectangle */
		pixel = (size_t)1024 * (UINT16_MAX + UINT16_MAX) + UINT16_MAX;
		assert_int_equal(crash_of(write_pixel, &forty, &result), SIGSEGV);
	}
	assert_non_null(contain_picture(&picture, 1, 1)); /* in place of the first */
	assert_null(contain_picture(&picture, 0, 100));
	assert_null(contain_picture(&picture, UINT16_MAX, UINT16_MAX));
	assert_null(picture.at);
}
