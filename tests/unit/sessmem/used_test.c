// SPDX-License-Identifier: GPL-3.0-or-later
/* used - accounts of the kernel written by hand: a machine, and groups of both versions. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "sessmem/used.h"

static char folder[] = "/tmp/thinprobe-used.XXXXXX";

static void write_file(const char *name, const char *text)
{
	char path[128];
	FILE *out;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	out = fopen(path, "w");
	assert_non_null(out);
	fputs(text, out);
	fclose(out);
}

static const char *path_of(const char *name)
{
	static char path[128];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return path;
}

static int make(void **state)
{
	(void)state;
	return mkdtemp(folder) ? 0 : -1;
}

static int drop(void **state)
{
	static const char *const names[] = { "meminfo", "memory.stat", "memory.usage_in_bytes",
					     "memory.kmem.usage_in_bytes", "memory.current", "memory.swap.current", "smaps_rollup" };

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		unlink(path_of(names[i]));
	return rmdir(folder);
}

/* In MB: 1000 there, 300 free, 400 + 20 cached of which 30 shared memory, 50 of slabs can go: 260 are in use. */
static void test_machine(void **state)
{
	struct machine_memory_use m;

	(void)state;
	write_file("meminfo",
		   "MemTotal: 1024000 kB\nMemFree: 307200 kB\nMemAvailable: 700000 kB\nBuffers: 20480 kB\nCached: 409600 kB\nSwapCached: 7 kB\n"
			      "AnonPages: 102400 kB\nShmem: 30720 kB\nSReclaimable: 51200 kB\nSUnreclaim: 20480 kB\nKernelStack: "
			      "2048 kB\nPageTables: 3072 kB\n"
			      "SecPageTables: 0 kB\nPercpu: 1024 kB\nSwapTotal: 2048 kB\nSwapFree: 1024 kB\nHugePages_Total: 0\n");
	assert_int_equal(read_machine_memory_use(path_of("meminfo"), &m), 0);
	assert_int_equal(m.total, INT64_C(1000) << 20);
	assert_int_equal(m.used, INT64_C(260) << 20);	/* 1000 - 300 - 20 - 400 - 50 + 30 */
	assert_int_equal(m.processes, INT64_C(130) << 20);
	assert_int_equal(m.kernel, INT64_C(26) << 20);
	assert_int_equal(m.cache, INT64_C(390) << 20);
	assert_int_equal(m.swapped, INT64_C(1) << 20);
	assert_int_equal(m.available, INT64_C(700000) * 1024);
	write_file("meminfo", "MemTotal: 1024000 kB\n");
	assert_int_equal(read_machine_memory_use(path_of("meminfo"), &m), -EPROTO);
	assert_int_equal(read_machine_memory_use(path_of("nothing"), &m), -ENOENT);
}

static void test_no_group(void **state)
{
	struct cgroup_memory_use g;

	(void)state;
	assert_int_equal(read_cgroup_memory_use(folder, &g), 0);
	assert_int_equal(g.version, 0);
}

/* The plain lines are of the group alone, those with total_ of all below it too. */
static void test_version_1(void **state)
{
	struct cgroup_memory_use g;

	(void)state;
	write_file("memory.usage_in_bytes", "1000\n");
	write_file("memory.kmem.usage_in_bytes", "100\n");
	write_file("memory.stat",
		   "cache 1\nrss 2\nshmem 3\nswap 4\ntotal_cache 600\ntotal_rss 300\ntotal_rss_huge 9\ntotal_shmem 50\ntotal_swap 70\n");
	assert_int_equal(read_cgroup_memory_use(folder, &g), 0);
	assert_int_equal(g.version, 1);
	assert_int_equal(g.charged, 1000);
	assert_int_equal(g.anonymous, 300);
	assert_int_equal(g.shared_memory, 50);
	assert_int_equal(g.cache, 550);
	assert_int_equal(g.kernel, 100);
	assert_int_equal(g.swapped, 70);
	unlink(path_of("memory.usage_in_bytes"));
	unlink(path_of("memory.kmem.usage_in_bytes"));
}

static void test_version_2(void **state)
{
	struct cgroup_memory_use g;

	(void)state;
	write_file("memory.current", "5000\n");
	write_file("memory.swap.current", "40\n");
	write_file("memory.stat", "anon 3000\nfile 1500\nkernel 500\nkernel_stack 16\nshmem 200\nfile_mapped 7\n");
	assert_int_equal(read_cgroup_memory_use(folder, &g), 0);
	assert_int_equal(g.version, 2);
	assert_int_equal(g.charged, 5000);
	assert_int_equal(g.anonymous, 3000);
	assert_int_equal(g.shared_memory, 200);
	assert_int_equal(g.cache, 1300);
	assert_int_equal(g.kernel, 500);
	assert_int_equal(g.swapped, 40);
	/* a kernel that does not sum up its own part, a group without swap */
	unlink(path_of("memory.swap.current"));
	write_file("memory.stat", "anon 3000\nfile 1500\nshmem 200\n");
	assert_int_equal(read_cgroup_memory_use(folder, &g), 0);
	assert_int_equal(g.kernel, -1);
	assert_int_equal(g.swapped, -1);
	write_file("memory.stat", "file 1500\nshmem 200\n");
	assert_int_equal(read_cgroup_memory_use(folder, &g), -EPROTO);
}

/* As of proc(5); files are shared with other processes, and old kernels do not tell the parts. */
static void test_pss_without_files(void **state)
{
	(void)state;
	write_file("smaps_rollup", "5617e11c1000-7ffd00a6d000 ---p 00000000 00:00 0                          [rollup]\n"
		   "Rss:                1716 kB\nPss:                 221 kB\nPss_Dirty:           112 kB\nPss_Anon:            100 kB\n"
		   "Pss_File:            109 kB\nPss_Shmem:            12 kB\nShared_Clean:       1568 kB\nAnonymous:           112 kB\n");
	assert_int_equal(read_pss_without_files(path_of("smaps_rollup")), 112 * 1024);
	write_file("smaps_rollup", "5617e11c1000-7ffd00a6d000 ---p 00000000 00:00 0 [rollup]\nPss: 221 kB\nAnonymous: 112 kB\n");
	assert_int_equal(read_pss_without_files(path_of("smaps_rollup")), -1);
	assert_int_equal(read_pss_without_files(path_of("nothing")), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_machine), cmocka_unit_test(test_no_group), cmocka_unit_test(test_version_1),
			cmocka_unit_test(test_version_2), cmocka_unit_test(test_pss_without_files),
	};

	return cmocka_run_group_tests(tests, make, drop);
}
