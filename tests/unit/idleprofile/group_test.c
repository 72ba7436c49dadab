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
#include "why.h"

static struct why why;

/* A made-up root with a mount table and, where `controllers` is not NULL, the cgroup.subtree_control of a group at /top. */
static char tree[64];

static void write_file(const char *name, const char *text)
{
	char path[128];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", tree, name);
	f = fopen(path, "w");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

static const char *const folders[] = { "", "/proc", "/proc/self", "/top" };

static void make_tree(const char *mounts, const char *controllers)
{
	char path[128];

	strcpy(tree, "/tmp/thinprobe-test-XXXXXX");
	assert_non_null(mkdtemp(tree));
	for (size_t i = 1; i < 4; i++) {
		snprintf(path, sizeof(path), "%s%s", tree, folders[i]);
		assert_int_equal(mkdir(path, 0755), 0);
	}
	write_file("proc/self/mounts", mounts);
	if (controllers)
		write_file("top/cgroup.subtree_control", controllers);
}

static void drop_tree(void)
{
	static const char *const files[] = { "proc/self/mounts", "top/cgroup.subtree_control", "top/cpu.idle", "top/cgroup.procs" };
	char path[128];

	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++) {
		snprintf(path, sizeof(path), "%s/%s", tree, files[i]);
		unlink(path);
	}
	for (size_t i = 4; i--;) {
		snprintf(path, sizeof(path), "%s%s", tree, folders[i]);
		assert_int_equal(rmdir(path), 0);
	}
}

static int find(const char *mounts, const char *controllers, struct cpu_cgroup_mount *out)
{
	int err;

	make_tree(mounts, controllers);
	why.text[0] = '\0';
	err = group_find_cpu_cgroup_mount(tree, out, &why);
	drop_tree();
	return err;
}

static void a_version_1_hierarchy_with_cpu_is_found(void **state)
{
	struct cpu_cgroup_mount p;

	(void)state;
	assert_int_equal(find("tmpfs /sys/fs/cgroup tmpfs ro,mode=755 0 0\n"
			      "cgroup /sys/fs/cgroup/cpuset cgroup rw,cpuset 0 0\n"
			      "cgroup /sys/fs/cgroup/cpu,cpuacct cgroup rw,cpu,cpuacct 0 0\n", NULL, &p), 0);
	assert_int_equal(p.version, 1);
	assert_string_equal(p.root + strlen(tree), "/sys/fs/cgroup/cpu,cpuacct");
}

static void cpuset_and_cpuacct_are_not_cpu(void **state)
{
	struct cpu_cgroup_mount p;

	(void)state;
	assert_int_equal(find("cgroup /sys/fs/cgroup/cpuset cgroup rw,cpuset 0 0\n"
			      "cgroup /sys/fs/cgroup/cpuacct cgroup rw,cpuacct 0 0\n", NULL, &p), -ENOENT);
	assert_true(why.text[0]);
	assert_int_equal(p.version, 0);
}

static void a_container_is_told_by_its_namespace(void **state)
{
	(void)state;
	assert_false(group_is_container_namespace("cgroup:[4026531835]"));	/* 0xeffffffb, of the kernel's first process */
	assert_true(group_is_container_namespace("cgroup:[4026532193]"));
}

static void version_2_is_found_where_cpu_is_handed_down(void **state)
{
	struct cpu_cgroup_mount p;

	(void)state;
	assert_int_equal(find("cgroup2 /top cgroup2 rw,nsdelegate 0 0\n", "cpuset cpu io memory pids\n", &p), 0);
	assert_int_equal(p.version, 2);
	assert_string_equal(p.root + strlen(tree), "/top");
}

static void version_2_without_cpu_is_said(void **state)
{
	struct cpu_cgroup_mount p;

	(void)state;
	assert_int_equal(find("cgroup2 /top cgroup2 rw,nsdelegate 0 0\n", "cpuset io memory pids\n", &p), -ENOENT);
	assert_int_equal(p.version, 0);
	assert_non_null(strstr(why.text, "cgroup.subtree_control"));
	assert_non_null(strstr(why.text, tree));
}

static void in_a_mixed_tree_the_controller_is_where_version_1_has_it(void **state)
{
	struct cpu_cgroup_mount p;

	(void)state;
	assert_int_equal(find("cgroup /one/cpu cgroup rw,cpu 0 0\ncgroup2 /top cgroup2 rw 0 0\n", "\n", &p), 0);
	assert_int_equal(p.version, 1);
	assert_string_equal(p.root + strlen(tree), "/one/cpu");
}

static void read_file(const char *name, char *text, size_t size)
{
	char path[128];
	FILE *f;

	snprintf(path, sizeof(path), "%s/top/%s", tree, name);
	f = fopen(path, "r");
	assert_non_null(f);
	text[fread(text, 1, size - 1, f)] = '\0';
	fclose(f);
}

static void idle_and_joining_are_these_two_files(void **state)
{
	char top[80], text[16] = "";

	(void)state;
	make_tree("", NULL);
	snprintf(top, sizeof(top), "%s/top", tree);
	assert_int_equal(group_set_cgroup_idle(top), -ENOENT);	/* never made where the kernel has none */
	write_file("top/cpu.idle", "");
	write_file("top/cgroup.procs", "");
	assert_int_equal(group_set_cgroup_idle(top), 0);
	assert_int_equal(group_join_cgroup(top), 0);
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
	struct idle_cgroup g;
	struct stat st;
	char said[64] = "", line[512] = "", path[PATH_MAX];
	int ends[2];
	pid_t pid;

	(void)state;
	group_make_idle_cgroup(&g);
	if (!g.path[0]) {
		print_message("# %s\n", g.why.text);
		assert_true(g.why.text[0]);
		group_remove_cgroup(&g);
		skip();
	}
	assert_int_equal(stat(g.path, &st), 0);
	snprintf(path, sizeof(path), "%s", g.path);
	assert_int_equal(pipe(ends), 0);
	pid = fork();
	if (!pid) {
		FILE *f;

		group_enter_idle_cgroup(&g, said, sizeof(said));
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
	group_remove_cgroup(&g);
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
		struct idle_cgroup g;

		group_make_idle_cgroup(&g);
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
		cmocka_unit_test(version_2_is_found_where_cpu_is_handed_down),
		cmocka_unit_test(version_2_without_cpu_is_said),
		cmocka_unit_test(in_a_mixed_tree_the_controller_is_where_version_1_has_it),
		cmocka_unit_test(idle_and_joining_are_these_two_files),
		cmocka_unit_test(a_real_one_is_made_entered_and_removed),
		cmocka_unit_test(it_is_gone_after_its_maker_was_killed),
	};

	return cmocka_run_group_tests_name("group", tests, NULL, NULL);
}
