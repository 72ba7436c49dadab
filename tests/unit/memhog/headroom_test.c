// SPDX-License-Identifier: GPL-3.0-or-later
/* room - texts of the kernel typed in by hand, groups of both versions in a tree of our own, and sums done by hand. */
#include <errno.h>

#include "clock.h"
#include "memhog/headroom.h"
#define BEFORE_ALL make_folder
#define AFTER_ALL remove_folder
#include "../folder.h"

#define M (1LL << 20)

static void put_below(const char *path, const char *words)
{
	for (const char *p = path; (p = strchr(p, '/')); p++) {
		char above[100];

		snprintf(above, sizeof(above), "%.*s", (int)(p - path), path);
		mkdir(in_folder(above), 0700);
	}
	put(path, words);
}

TEST(meminfo_is_read)
{
	struct machine_memory m;

	put_below("proc/meminfo", "MemTotal:       24683508 kB\nMemFree:        23703208 kB\n"
				  "MemAvailable:   24134180 kB\nSwapCached:            0 kB\n"
				  "SwapTotal:       2097148 kB\nSwapFree:        1048574 kB\nHugePages_Total:       0\n");
	put_below("proc2/meminfo", "MemTotal:       24683508 kB\nMemFree:        23703208 kB\nSwapTotal: 0 kB\nSwapFree: 0 kB\n");
	assert_int_equal(headroom_read_meminfo(in_folder("proc"), &m), 0);
	assert_int_equal(m.total, 25275912192);
	assert_int_equal(m.available, 24713400320);
	assert_int_equal(m.swap_total, 2147479552);
	assert_int_equal(m.swap_free, 1073739776);
	assert_int_equal(headroom_read_meminfo(in_folder("proc2"), &m), -EPROTO);
}

static struct group_memory read_group(int version, const char *name)
{
	struct group_memory g = { .version = version };

	snprintf(g.folder, sizeof(g.folder), "%s/%s", folder, name);
	assert_int_equal(headroom_read_group(&g), 0);
	return g;
}

TEST(a_group_of_version_1)
{
	struct group_memory g;

	put_below("v1/outer/inner/memory.limit_in_bytes", "9223372036854771712\n");
	put_below("v1/outer/inner/memory.usage_in_bytes", "104857600\n");
	put_below("v1/outer/inner/memory.stat",
		  "cache 4096\nswap 1\nhierarchical_memory_limit 268435456\ntotal_cache 1\ntotal_swap 8192\n");
	g = read_group(1, "v1/outer/inner");
	assert_int_equal(g.limits.lowest, 256 * M); /* of the one above */
	assert_int_equal(g.limits.room, 156 * M);
	assert_int_equal(g.swapped, 8192);
	/* in a container only a part of the hierarchy may be mounted */
	g = read_group(1, "v1/outer/inner/docker/abc");
	assert_int_equal(g.limits.room, 156 * M);
	assert_int_equal(g.swapped, 8192);
	put_below("v1/outer/inner/memory.limit_in_bytes", "134217728\n");
	assert_int_equal(read_group(1, "v1/outer/inner").limits.lowest, 128 * M);
}

TEST(a_group_of_version_2_has_the_lowest_limit_above_it)
{
	struct group_memory g;

	put_below("v2/user.slice/memory.max", "536870912\n");
	put_below("v2/user.slice/memory.current", "10485760\n"); /* with other groups below it */
	put_below("v2/user.slice/a b/memory.max", "max\n");
	put_below("v2/user.slice/a b/memory.current", "1048576\n");
	put_below("v2/user.slice/a b/memory.swap.current", "2097152\n");
	/* a group that the controller was not handed down to is counted in the one above */
	put_below("v2/user.slice/a b/inner/cgroup.procs", "");
	for (int inner = 0; inner < 2; inner++) {
		g = read_group(2, inner ? "v2/user.slice/a b/inner" : "v2/user.slice/a b");
		assert_int_equal(g.limits.lowest, 512 * M);
		assert_int_equal(g.limits.room, 502 * M);
		assert_int_equal(g.swapped, 2 * M);
	}
	/* the top has no files and no limit */
	g = read_group(2, "v2");
	assert_true(g.limits.lowest == INT64_MAX);
	assert_true(g.limits.room == INT64_MAX);
	assert_int_equal(g.swapped, -1);
	g.version = 0;
	assert_int_equal(headroom_read_group(&g), -ENOENT);
}

TEST(memory_high_is_a_limit_of_version_2)
{
	struct memory_limits limits;

	put("memory.max", "max\n");
	put("memory.high", "1000000\n");
	put("memory.current", "400000\n");
	put("memory.stat", "active_file 0\n");
	limits = account_read_limits(folder);
	assert_int_equal(limits.lowest, 1000000);
	assert_int_equal(limits.room, 600000);
}

/* 8 GiB, of which 6 are available, and 2 GiB of swap, 1 of them free. */
static const struct machine_memory machine = { 8192 * M, 6144 * M, 2048 * M, 1024 * M };

TEST(what_is_left_of_a_machine)
{
	const struct group_memory none = { .version = 0, .limits = { INT64_MAX, INT64_MAX } },
				  loose = { .version = 1, .limits = { 9223372036854771712, 9223372036854771712 } };

	assert_false(headroom_is_limited(&machine, &none) || headroom_is_limited(&machine, &loose));
	assert_int_equal(headroom_left(&machine, &none, 0), 7168 * M);
	assert_int_equal(headroom_left(&machine, &none, 1000 * M), 6168 * M);
	assert_int_equal(headroom_left(&machine, &loose, 7200 * M), -32 * M);
	assert_int_equal(headroom_percent_base(&machine, &loose), 8192 * M);
}

TEST(a_group_takes_no_more_than_its_limit)
{
	const struct group_memory g = { .version = 2, .limits = { 512 * M, 400 * M } },
				  full = { .version = 2, .limits = { 512 * M, 0 } };

	assert_true(headroom_is_limited(&machine, &g));
	assert_int_equal(headroom_left(&machine, &g, 0), 6144 * M);
	assert_int_equal(headroom_left(&machine, &g, 100 * M), 6044 * M);
	assert_int_equal(headroom_left(&machine, &g, 5120 * M), 5744 * M); /* what is beyond goes to swap, or ends it */
	assert_int_equal(headroom_left(&machine, &full, 5120 * M), 6144 * M);
	assert_int_equal(headroom_percent_base(&machine, &g), 512 * M);
}

TEST(the_reserve_and_when_to_look)
{
	const struct machine_memory small = { 1024 * M, 0, 0, 0 };

	assert_int_equal(headroom_default_reserve(&machine), 8192 * M / 10);
	assert_int_equal(headroom_default_reserve(&small), 256 * M);
	/* at 40 GB/s: 4 GB last 100 ms; never busier than every 2 ms, never later than after 1 s */
	assert_int_equal(headroom_next_check_ns(4000000000), 100 * NS_PER_MS);
	assert_int_equal(headroom_next_check_ns(0), 2 * NS_PER_MS);
	assert_int_equal(headroom_next_check_ns(-5), 2 * NS_PER_MS);
	assert_int_equal(headroom_next_check_ns(INT64_MAX), NS_PER_S);
}
