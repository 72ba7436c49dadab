// SPDX-License-Identifier: GPL-3.0-or-later
#include "../folder.h"
#include "apart.h"
#include "proc.h"
#include "rec.h"
#include "rt.h"

#include <signal.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static void raise_signal(void *number)
{
	signal(*(int *)number, SIG_DFL); /* cmocka and the sanitizers have handlers of their own */
	raise(*(int *)number);
}

/* The signal by which `call` crashed. */
static int crash_of(void (*call)(void *arg), void *arg)
{
	int status;

	if (apart_fork(&status)) {
		for (int i = 0; i < PROC_CRASHES; i++)
			signal(proc_crashes[i], SIG_DFL);
		call(arg);
		_exit(7);
	}
	assert_true(apart_crash(status) || WIFSIGNALED(status) || WEXITSTATUS(status) == 7);
	return apart_crash(status);
}

TEST(each_kind_of_crash_is_told_by_its_signal)
{
	int others = SIGKILL;

	for (int i = 0; i < PROC_CRASHES; i++) {
		int number = proc_crashes[i];

		assert_int_equal(crash_of(raise_signal, &number), number);
	}
	assert_int_equal(crash_of(raise_signal, &others), 0);
}

static void count(void *array)
{
	((int *)array)[99]++;
}

TEST(an_array_is_shared_with_a_child)
{
	int *array = apart_new(100, sizeof(*array));

	assert_int_equal(array[99], 0);
	assert_int_equal(crash_of(count, array), 0);
	assert_int_equal(array[99], 1);
	apart_delete(array);
	apart_delete(NULL);
}

static void stop_parent(void *arg)
{
	(void)arg;
	signal(SIGTERM, SIG_DFL);
	kill(getppid(), SIGTERM);
	sleep(60);
}

TEST(a_stop_signal_is_passed_on)
{
	int status;

	if (apart_fork(&status)) {
		stop_parent(NULL);
		_exit(0);
	}
	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), SIGTERM);
}

static struct apart_memory picture;

static void write_pixel(void *number)
{
	((volatile uint32_t *)picture.at)[*(size_t *)number] = 1;
}

static int crash_of_pixel(size_t number)
{
	return crash_of(write_pixel, &number);
}

#ifndef __SANITIZE_ADDRESS__ /* its own memory is larger than any limit */
/* VmLck of this process, kB. */
static long locked_kb(void)
{
	FILE *f = fopen("/proc/self/status", "re");
	char line[128];
	long kb = -1;

	while (f && fgets(line, sizeof(line), f))
		sscanf(line, "VmLck: %ld", &kb);
	if (f)
		fclose(f);
	return kb;
}

#define LOCKED_MOST ((rlim_t)64 << 20)
#define PICTURE_KB (320 * 240 * 4 / 1024)

/* 0: only what can be used of a picture is locked, whether it or the lock was first; behind it are 160 MiB. */
static int lock_pictures(void)
{
	struct apart_memory first = { 0 }, second = { 0 };
	struct rt_granted got;
	long before;

	if (!apart_picture(&first, 320, 240))
		return 1;
	rt_setup(0, &got);
	if (!got.locked)
		return 2;
	before = locked_kb();
	if (before < PICTURE_KB || before > 100 << 10)
		return 3;
	if (!apart_picture(&second, 320, 240) || locked_kb() - before != PICTURE_KB)
		return 4;
	return 0;
}

static int status_of(int (*run)(void))
{
	int status;
	pid_t child = fork();

	if (!child)
		_exit(run());
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

/* As an ordinary user who may lock less than what is behind a picture. */
static int lock_pictures_as_user(void)
{
	struct rlimit most;

	if (getrlimit(RLIMIT_MEMLOCK, &most))
		return 10;
	most.rlim_cur = most.rlim_max = most.rlim_max < LOCKED_MOST ? most.rlim_max : LOCKED_MOST;
	if (setrlimit(RLIMIT_MEMLOCK, &most) || (!getuid() && setresuid(12345, 12345, 12345)))
		return 11;
	return lock_pictures();
}

TEST(the_memory_behind_a_picture_does_not_count_as_locked)
{
	struct rlimit most;

	assert_int_equal(getrlimit(RLIMIT_MEMLOCK, &most), 0);
	assert_true(getuid() || !status_of(lock_pictures));
	if (most.rlim_max >= 6 << 20) /* for the program itself */
		assert_int_equal(status_of(lock_pictures_as_user), 0);
}
#endif

TEST(behind_a_picture_nothing_can_be_written)
{
	assert_non_null(apart_picture(&picture, 1024, 2));
	assert_int_equal(crash_of_pixel(1024 * 2 - 1), 0);
	assert_int_equal(((uint32_t *)picture.at)[0], 0);
	assert_int_equal(crash_of_pixel(1024 * 2), SIGSEGV); /* a page ends here */
	if (sizeof(void *) == 8)			     /* the end of the farthest rectangle */
		assert_int_equal(crash_of_pixel((size_t)1024 * (UINT16_MAX + UINT16_MAX) + UINT16_MAX), SIGSEGV);
	assert_non_null(apart_picture(&picture, 1, 1)); /* in place of the first */
	assert_null(apart_picture(&picture, 0, 100));
	assert_null(apart_picture(&picture, UINT16_MAX, UINT16_MAX));
	assert_null(apart_picture(&picture, -1, -1)); /* a server says 0xffffffff */
	assert_null(apart_picture(&picture, -2, -100000));
	assert_int_equal(crash_of_pixel(0), 0); /* that in its place is still there */
	apart_free(&picture);
	assert_null(picture.at);
}

static int entries_of_folder(void)
{
	DIR *all = opendir(folder);
	int n = 0;

	assert_non_null(all);
	while (readdir(all))
		n++;
	closedir(all);
	return n;
}

/* The child that only helps leaves the parent's report alone; one that goes on in its place removes it. */
TEST_WITH(make_folder, remove_folder, an_open_report_belongs_to_the_child_that_goes_on)
{
	struct rec_report *out = rec_open(&(struct rec_cfg){ .path = in_folder("report") }, "test");
	int before = entries_of_folder(), status;
	pid_t helper;

	assert_non_null(out);
	helper = apart_start();
	if (!helper) {
		rec_abandon();
		_exit(0);
	}
	assert_int_equal(waitpid(helper, NULL, 0), helper);
	assert_int_equal(entries_of_folder(), before);
	if (apart_fork(&status)) {
		rec_abandon();
		_exit(0);
	}
	assert_int_equal(entries_of_folder(), before - 1);
	assert_int_not_equal(rec_close(out), 0);
}
