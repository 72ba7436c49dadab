// SPDX-License-Identifier: GPL-3.0-or-later
/* group - where a cpu cgroup can be made, from made-up mount tables and trees; and that a real one is gone after any end. */
#include <errno.h>
#include <signal.h>
#include <sys/wait.h>

#include "clock.h"
#include "idleprofile/group.h"
#include "why.h"
#include "../folder.h"

/* A made-up root with a mount table and, where there are controllers, the cgroup.subtree_control of a group at /top. */
static void cgroups_are_found_where_cpu_is(const char *mounts, const char *controllers, int version, const char *root)
{
	struct cgroup_mount p;
	struct why why = { "" };

	make_folder(NULL);
	mkdir(in_folder("proc"), 0755);
	mkdir(in_folder("proc/self"), 0755);
	mkdir(in_folder("top"), 0755);
	put("proc/self/mounts", mounts);
	if (controllers)
		put("top/cgroup.subtree_control", controllers);
	assert_int_equal(group_find_mount(folder, &p, &why), version ? 0 : -ENOENT);
	assert_int_equal(p.version, version);
	if (version)
		assert_string_equal(p.root + strlen(folder), root);
	else
		assert_non_null(strstr(why.text, root));
	remove_folder(NULL);
}

TEST(the_mount_point_of_cpu)
{
	cgroups_are_found_where_cpu_is("tmpfs /sys/fs/cgroup tmpfs ro,mode=755 0 0\n"
				       "cgroup /sys/fs/cgroup/cpuset cgroup rw,cpuset 0 0\n"
				       "cgroup /sys/fs/cgroup/cpu,cpuacct cgroup rw,cpu,cpuacct 0 0\n",
				       NULL, 1, "/sys/fs/cgroup/cpu,cpuacct");
	cgroups_are_found_where_cpu_is("cgroup /sys/fs/cgroup/cpuset cgroup rw,cpuset 0 0\n"
				       "cgroup /sys/fs/cgroup/cpuacct cgroup rw,cpuacct 0 0\n",
				       NULL, 0, "no cpu cgroups");
	cgroups_are_found_where_cpu_is("cgroup2 /top cgroup2 rw,nsdelegate 0 0\n", "cpuset cpu io memory pids\n", 2, "/top");
	cgroups_are_found_where_cpu_is("cgroup2 /top cgroup2 rw,nsdelegate 0 0\n", "cpuset io memory pids\n", 0,
				       "/top/cgroup.subtree_control");
	/* in a mixed tree, where version 1 has it */
	cgroups_are_found_where_cpu_is("cgroup /one/cpu cgroup rw,cpu 0 0\ncgroup2 /top cgroup2 rw 0 0\n", "\n", 1, "/one/cpu");
}

TEST(a_container_is_told_by_its_namespace)
{
	assert_false(group_is_container("cgroup:[4026531835]")); /* 0xeffffffb, of the kernel's first process */
	assert_true(group_is_container("cgroup:[4026532193]"));
}

TEST_WITH(make_folder, remove_folder, idle_and_joining_are_these_two_files)
{
	assert_int_equal(group_set_idle(folder), -ENOENT); /* never made where the kernel has none */
	put("cpu.idle", "");
	put("cgroup.procs", "");
	assert_int_equal(group_set_idle(folder), 0);
	assert_int_equal(group_join(folder), 0);
	assert_string_equal(content(in_folder("cpu.idle")), "1");
	assert_string_equal(content(in_folder("cgroup.procs")), "0");
}

static bool gone_within(const char *path, int64_t ns)
{
	struct stat st;
	int64_t end = clock_now() + ns;

	while (!stat(path, &st) && clock_now() < end)
		clock_sleep(clock_now() + NS_PER_MS);
	return stat(path, &st) != 0;
}

TEST(a_real_one_is_made_entered_and_removed)
{
	struct idle_cgroup g;
	struct stat st;
	char said[64] = "", line[512] = "", path[PATH_MAX];
	int ends[2];
	pid_t pid;

	group_make(&g);
	if (!g.path[0]) {
		print_message("# %s\n", g.why.text);
		assert_true(g.why.text[0]);
		group_remove(&g);
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
	group_remove(&g);
	assert_int_not_equal(stat(path, &st), 0);
}

TEST(it_is_gone_after_its_maker_was_killed)
{
	char path[PATH_MAX] = "";
	int ends[2];
	pid_t pid;
	ssize_t n;

	assert_int_equal(pipe(ends), 0);
	pid = fork();
	if (!pid) {
		struct idle_cgroup g;

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
