// SPDX-License-Identifier: GPL-3.0-or-later
/* used - accounts of the kernel written by hand: a machine, and groups of both versions. */
#include <errno.h>

#include "sessmem/used.h"
#define BEFORE_ALL make_folder
#define AFTER_ALL remove_folder
#include "../folder.h"

/* In MB: 1000 there, 300 free, 400 + 20 cached of which 30 shared memory, 50 of slabs can go: 260 are in use. */
TEST(test_machine)
{
	struct machine_use m;

	put("meminfo",
	    "MemTotal: 1024000 kB\nMemFree: 307200 kB\nMemAvailable: 700000 kB\nBuffers: 20480 kB\nCached: 409600 kB\nSwapCached: 7 kB\n"
	    "AnonPages: 102400 kB\nShmem: 30720 kB\nSReclaimable: 51200 kB\nSUnreclaim: 20480 kB\nKernelStack: "
	    "2048 kB\nPageTables: 3072 kB\n"
	    "SecPageTables: 0 kB\nPercpu: 1024 kB\nSwapTotal: 2048 kB\nSwapFree: 1024 kB\nHugePages_Total: 0\n");
	assert_int_equal(used_read_machine(in_folder("meminfo"), &m), 0);
	assert_int_equal(m.total, INT64_C(1000) << 20);
	assert_int_equal(m.used, INT64_C(260) << 20); /* 1000 - 300 - 20 - 400 - 50 + 30 */
	assert_int_equal(m.processes, INT64_C(130) << 20);
	assert_int_equal(m.kernel, INT64_C(26) << 20);
	assert_int_equal(m.cache, INT64_C(390) << 20);
	assert_int_equal(m.swapped, INT64_C(1) << 20);
	assert_int_equal(m.available, INT64_C(700000) * 1024);
	put("meminfo", "MemTotal: 1024000 kB\n");
	assert_int_equal(used_read_machine(in_folder("meminfo"), &m), -EPROTO);
	assert_int_equal(used_read_machine(in_folder("nothing"), &m), -ENOENT);
}

TEST(test_no_group)
{
	struct group_use g;

	assert_int_equal(used_read_group(folder, &g), 0);
	assert_int_equal(g.version, 0);
}

/* The plain lines are of the group alone, those with total_ of all below it too. */
TEST(test_version_1)
{
	struct group_use g;

	put("memory.usage_in_bytes", "1000\n");
	put("memory.kmem.usage_in_bytes", "100\n");
	put("memory.stat",
	    "cache 1\nrss 2\nshmem 3\nswap 4\ntotal_cache 600\ntotal_rss 300\ntotal_rss_huge 9\ntotal_shmem 50\ntotal_swap 70\n");
	assert_int_equal(used_read_group(folder, &g), 0);
	assert_int_equal(g.version, 1);
	assert_int_equal(g.charged, 1000);
	assert_int_equal(g.anonymous, 300);
	assert_int_equal(g.shared_memory, 50);
	assert_int_equal(g.cache, 550);
	assert_int_equal(g.kernel, 100);
	assert_int_equal(g.swapped, 70);
	unlink(in_folder("memory.usage_in_bytes"));
	unlink(in_folder("memory.kmem.usage_in_bytes"));
}

TEST(test_version_2)
{
	struct group_use g;

	put("memory.current", "5000\n");
	put("memory.swap.current", "40\n");
	put("memory.stat", "anon 3000\nfile 1500\nkernel 500\nkernel_stack 16\nshmem 200\nfile_mapped 7\n");
	assert_int_equal(used_read_group(folder, &g), 0);
	assert_int_equal(g.version, 2);
	assert_int_equal(g.charged, 5000);
	assert_int_equal(g.anonymous, 3000);
	assert_int_equal(g.shared_memory, 200);
	assert_int_equal(g.cache, 1300);
	assert_int_equal(g.kernel, 500);
	assert_int_equal(g.swapped, 40);
	/* a kernel that does not sum up its own part, a group without swap */
	unlink(in_folder("memory.swap.current"));
	put("memory.stat", "anon 3000\nfile 1500\nshmem 200\n");
	assert_int_equal(used_read_group(folder, &g), 0);
	assert_int_equal(g.kernel, -1);
	assert_int_equal(g.swapped, -1);
	put("memory.stat", "file 1500\nshmem 200\n");
	assert_int_equal(used_read_group(folder, &g), -EPROTO);
}

/* As of proc(5); files are shared with other processes, and old kernels do not tell the parts. */
TEST(test_pss_without_files)
{
	put("smaps_rollup",
	    "5617e11c1000-7ffd00a6d000 ---p 00000000 00:00 0                          [rollup]\n"
	    "Rss:                1716 kB\nPss:                 221 kB\nPss_Dirty:           112 kB\nPss_Anon:            100 kB\n"
	    "Pss_File:            109 kB\nPss_Shmem:            12 kB\nShared_Clean:       1568 kB\nAnonymous:           112 kB\n");
	assert_int_equal(used_read_nonfile_pss(in_folder("smaps_rollup")), 112 * 1024);
	put("smaps_rollup", "5617e11c1000-7ffd00a6d000 ---p 00000000 00:00 0 [rollup]\nPss: 221 kB\nAnonymous: 112 kB\n");
	assert_int_equal(used_read_nonfile_pss(in_folder("smaps_rollup")), -1);
	assert_int_equal(used_read_nonfile_pss(in_folder("nothing")), -1);
}
