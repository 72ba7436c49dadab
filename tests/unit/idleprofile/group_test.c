// SPDX-License-Identifier: GPL-3.0-or-later
/* group - where a cpu cgroup can be made, from made-up mount tables and trees; and that a real one is gone after any end. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdbool.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "clock.h"
#include "idleprofile/group.h"

static char why[200];

static int find(const char *text, struct group_place *out)
{
	FILE *f = fmemopen((void *)(uintptr_t)text, strlen(text), "r");
	int err;

	assert_non_null(f);
	why[0] = '\0';
	err = group_find(f, out, why, sizeof(why));
	fclose(f);
	return err;
}

static void a_version_1_hierarchy_with_cpu_is_found(void **state)
{
	struct group_place p;

	(void)state;
	assert_int_equal(find("25 20 0:22 / /sys/fs/cgroup ro,nosuid - tmpfs tmpfs ro,mode=755\n"
			      "26 25 0:23 / /sys/fs/cgroup/cpuset rw - cgroup cgroup rw,cpuset\n"
			      "27 25 0:24 / /sys/fs/cgroup/cpu,cpuacct rw,nosuid shared:9 master:2 - cgroup cgroup rw,cpu,cpuacct\n", &p), 0);
	assert_int_equal(p.version, 1);
	assert_string_equal(p.root, "/sys/fs/cgroup/cpu,cpuacct");
}

static void cpuset_and_cpuacct_are_not_cpu(void **state)
{
	struct group_place p;

	(void)state;
	assert_int_equal(find("26 25 0:23 / /sys/fs/cgroup/cpuset rw - cgroup cgroup rw,cpuset\n"
			      "27 25 0:24 / /sys/fs/cgroup/cpuacct rw - cgroup cgroup rw,cpuacct\n", &p), -ENOENT);
	assert_string_equal(why, "no cpu cgroups are mounted");
	assert_int_equal(p.version, 0);
}

static void a_container_is_told_by_its_namespace(void **state)
{
	(void)state;
	assert_false(group_is_contained("cgroup:[4026531835]"));	/* 0xeffffffb, of the kernel's first process */
	assert_true(group_is_contained("cgroup:[4026532193]"));
}

static void blanks_in_a_mount_point_are_read(void **state)
{
	struct group_place p;

	(void)state;
	assert_int_equal(find("27 25 0:24 / /a\\040place/cpu rw - cgroup cgroup rw,cpu\n", &p), 0);
	assert_string_equal(p.root, "/a place/cpu");
}

/* A made-up version 2 tree; the caller says which controllers its top hands down. */
static char tree[64];
static int find_in_tree(const char *controllers, const char *before, struct group_place *p)
{
	char path[128], text[256];
	FILE *f;

	strcpy(tree, "/tmp/thinprobe-test-XXXXXX");
	assert_non_null(mkdtemp(tree));
	snprintf(path, sizeof(path), "%s/cgroup.subtree_control", tree);
	f = fopen(path, "w");
	assert_non_null(f);
	fprintf(f, "%s\n", controllers);
	fclose(f);
	snprintf(text, sizeof(text), "%s30 23 0:26 / %s rw,nosuid - cgroup2 cgroup2 rw,nsdelegate\n", before, tree);
	return find(text, p);
}

static void drop_tree(void)
{
	static const char *const files[] = { "cgroup.subtree_control", "cpu.idle", "cgroup.procs" };
	char path[128];

	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++) {
		snprintf(path, sizeof(path), "%s/%s", tree, files[i]);
		unlink(path);
	}
	assert_int_equal(rmdir(tree), 0);
}

static void version_2_is_found_where_cpu_is_handed_down(void **state)
{
	struct group_place p;

	(void)state;
	assert_int_equal(find_in_tree("cpuset cpu io memory pids", "", &p), 0);
	assert_int_equal(p.version, 2);
	assert_string_equal(p.root, tree);
	drop_tree();
}

static void version_2_without_cpu_is_said(void **state)
{
	struct group_place p;

	(void)state;
	assert_int_equal(find_in_tree("cpuset io memory pids", "", &p), -ENOENT);
	assert_non_null(strstr(why, "the cpu controller is not in "));
	assert_non_null(strstr(why, tree));
	drop_tree();
}

static void in_a_mixed_tree_the_controller_is_where_version_1_has_it(void **state)
{
	struct group_place p;

	(void)state;
	assert_int_equal(find_in_tree("", "27 25 0:24 / /one/cpu rw - cgroup cgroup rw,cpu\n", &p), 0);
	assert_int_equal(p.version, 1);
	assert_string_equal(p.root, "/one/cpu");
	drop_tree();
}

static void broken_lines_are_passed_over(void **state)
{
	struct group_place p;

	(void)state;
	assert_int_equal(find("\n1 2\n27 25 0:24 / /x rw\n - \n27 25 0:24 / /x rw - cgroup\n", &p), -ENOENT);
}

static void read_file(const char *name, char *text, size_t size)
{
	char path[128];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", tree, name);
	f = fopen(path, "r");
	assert_non_null(f);
	text[fread(text, 1, size - 1, f)] = '\0';
	fclose(f);
}

static void idle_and_joining_are_these_two_files(void **state)
{
	struct group_place p;
	char path[128], text[16] = "";

	(void)state;
	find_in_tree("cpu", "", &p);
	assert_int_equal(group_set_idle(tree), -ENOENT);	/* never made where the kernel has none */
	snprintf(path, sizeof(path), "%s/cpu.idle", tree);
	fclose(fopen(path, "w"));
	snprintf(path, sizeof(path), "%s/cgroup.procs", tree);
	fclose(fopen(path, "w"));
	assert_int_equal(group_set_idle(tree), 0);
	assert_int_equal(group_join(tree), 0);
	read_file("cpu.idle", text, sizeof(text));
	assert_string_equal(text, "1");
	read_file("cgroup.procs", text, sizeof(text));
	assert_string_equal(text, "0");
	drop_tree();
}

static bool gone_within(const char *path, int64_t ns)
{
	struct stat st;
	int64_t end = clock_now() + ns;

	while (!stat(path, &st) && clock_now() < end)
		clock_sleep_until(clock_now() + NS_PER_MS);
	return stat(path, &st) != 0;
}

static void a_real_one_is_made_entered_and_removed(void **state)
{
	struct group g;
	struct stat st;
	char said[64] = "", line[512] = "", path[PATH_MAX];
	int ends[2];
	pid_t pid;

	(void)state;
	group_make(&g);
	if (!g.path[0]) {
		print_message("# %s\n", g.why);
		assert_true(g.why[0]);
		group_end(&g);
		skip();
	}
	assert_int_equal(stat(g.path, &st), 0);
	snprintf(path, sizeof(path), "%s", g.path);
	assert_int_equal(pipe(ends), 0);
	pid = fork();
	if (!pid) {
		FILE *f;

		group_enter(&g, said, sizeof(said));
		dprintf(ends[1], "%s\n", said);
		f = fopen("/proc/self/cgroup", "r");
		while (f && fgets(line, sizeof(line), f))
			dprintf(ends[1], "%s", line);
		_exit(0);
	}
	close(ends[1]);
	waitpid(pid, NULL, 0);
	{
		char text[8192];
		ssize_t n = read(ends[0], text, sizeof(text) - 1);

		assert_true(n > 0);
		text[n] = '\0';
		assert_int_equal(strncmp(text, "cgroup v", 8), 0);
		assert_non_null(strstr(text, strrchr(path, '/')));
	}
	close(ends[0]);
	group_end(&g);
	assert_int_not_equal(stat(path, &st), 0);
}

static void it_is_gone_after_its_maker_was_killed(void **state)
{
	char path[PATH_MAX] = "";
	int ends[2];
	pid_t pid;
	ssize_t n;

	(void)state;
	assert_int_equal(pipe(ends), 0);
	pid = fork();
	if (!pid) {
		struct group g;

		group_make(&g);
		if (write(ends[1], g.path, strlen(g.path)) < 0)
			_exit(1);
		close(ends[1]);
		for (;;)
			pause();
	}
	close(ends[1]);
	n = read(ends[0], path, sizeof(path) - 1);
	close(ends[0]);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	if (n <= 0)
		skip();
	assert_true(gone_within(path, 20 * NS_PER_S));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_version_1_hierarchy_with_cpu_is_found),
		cmocka_unit_test(cpuset_and_cpuacct_are_not_cpu),
		cmocka_unit_test(a_container_is_told_by_its_namespace),
		cmocka_unit_test(blanks_in_a_mount_point_are_read),
		cmocka_unit_test(version_2_is_found_where_cpu_is_handed_down),
		cmocka_unit_test(version_2_without_cpu_is_said),
		cmocka_unit_test(in_a_mixed_tree_the_controller_is_where_version_1_has_it),
		cmocka_unit_test(broken_lines_are_passed_over),
		cmocka_unit_test(idle_and_joining_are_these_two_files),
		cmocka_unit_test(a_real_one_is_made_entered_and_removed),
		cmocka_unit_test(it_is_gone_after_its_maker_was_killed),
	};

	return cmocka_run_group_tests_name("group", tests, NULL, NULL);
}
