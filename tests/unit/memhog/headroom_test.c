// SPDX-License-Identifier: GPL-3.0-or-later
/* room - texts of the kernel typed in by hand, groups of both versions in a tree of our own, and sums done by hand. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "clock.h"
#include "memhog/headroom.h"

#define M (1LL << 20)

static char top[] = "/tmp/room_test.XXXXXX";

static void put(const char *path, const char *words)
{
	char whole[256];
	FILE *f;

	for (const char *p = path; (p = strchr(p, '/')); p++) {
		snprintf(whole, sizeof(whole), "%s/%.*s", top, (int)(p - path), path);
		mkdir(whole, 0700);
	}
	snprintf(whole, sizeof(whole), "%s/%s", top, path);
	f = fopen(whole, "w");
	assert_non_null(f);
	fputs(words, f);
	fclose(f);
}

static void meminfo_is_read(void **state)
{
	struct machine_memory m;

	(void)state;
	put("proc/meminfo", "MemTotal:       24683508 kB\nMemFree:        23703208 kB\n"
	    "MemAvailable:   24134180 kB\nSwapCached:            0 kB\n"
	    "SwapTotal:       2097148 kB\nSwapFree:        1048574 kB\nHugePages_Total:       0\n");
	put("proc2/meminfo", "MemTotal:       24683508 kB\nMemFree:        23703208 kB\nSwapTotal: 0 kB\nSwapFree: 0 kB\n");
	assert_int_equal(chdir(top), 0);
	assert_int_equal(headroom_read_meminfo("proc", &m), 0);
	assert_int_equal(m.total, 25275912192);
	assert_int_equal(m.available, 24713400320);
	assert_int_equal(m.swap_total, 2147479552);
	assert_int_equal(m.swap_free, 1073739776);
	assert_int_equal(headroom_read_meminfo("proc2", &m), -EPROTO);
	assert_int_equal(chdir("/"), 0);
}

static struct memory_cgroup_usage read_group(int version, const char *folder)
{
	struct memory_cgroup_usage g = { .version = version };

	snprintf(g.folder, sizeof(g.folder), "%s/%s", top, folder);
	assert_int_equal(headroom_read_memory_cgroup(&g), 0);
	return g;
}

static void a_group_of_version_1(void **state)
{
	struct memory_cgroup_usage g;

	(void)state;
	put("v1/outer/inner/memory.limit_in_bytes", "9223372036854771712\n");
	put("v1/outer/inner/memory.usage_in_bytes", "104857600\n");
	put("v1/outer/inner/memory.stat", "cache 4096\nswap 1\nhierarchical_memory_limit 268435456\ntotal_cache 1\ntotal_swap 8192\n");
	g = read_group(1, "v1/outer/inner");
	assert_int_equal(g.limits.lowest, 256 * M);	/* of the one above */
	assert_int_equal(g.limits.room, 156 * M);
	assert_int_equal(g.swapped, 8192);
	/* in a container only a part of the hierarchy may be mounted */
	g = read_group(1, "v1/outer/inner/docker/abc");
	assert_int_equal(g.limits.room, 156 * M);
	assert_int_equal(g.swapped, 8192);
	put("v1/outer/inner/memory.limit_in_bytes", "134217728\n");
	assert_int_equal(read_group(1, "v1/outer/inner").limits.lowest, 128 * M);
}

static void a_group_of_version_2_has_the_lowest_limit_above_it(void **state)
{
	struct memory_cgroup_usage g;

	(void)state;
	put("v2/user.slice/memory.max", "536870912\n");
	put("v2/user.slice/memory.current", "10485760\n");	/* with other groups below it */
	put("v2/user.slice/a b/memory.max", "max\n");
	put("v2/user.slice/a b/memory.current", "1048576\n");
	put("v2/user.slice/a b/memory.swap.current", "2097152\n");
	/* a group that the controller was not handed down to is counted in the one above */
	put("v2/user.slice/a b/inner/cgroup.procs", "");
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
	assert_int_equal(headroom_read_memory_cgroup(&g), -ENOENT);
}

/* 8 GiB, of which 6 are available, and 2 GiB of swap, 1 of them free. */
static const struct machine_memory machine = { 8192 * M, 6144 * M, 2048 * M, 1024 * M };

static void what_is_left_of_a_machine(void **state)
{
	const struct memory_cgroup_usage none = { .version = 0, .limits = { INT64_MAX, INT64_MAX } },
		loose = { .version = 1, .limits = { 9223372036854771712, 9223372036854771712 } };

	(void)state;
	assert_false(is_memory_limited_by_cgroup(&machine, &none) || is_memory_limited_by_cgroup(&machine, &loose));
	assert_int_equal(headroom_left_after_bytes(&machine, &none, 0), 7168 * M);
	assert_int_equal(headroom_left_after_bytes(&machine, &none, 1000 * M), 6168 * M);
	assert_int_equal(headroom_left_after_bytes(&machine, &loose, 7200 * M), -32 * M);
	assert_int_equal(total_memory_or_cgroup_limit(&machine, &loose), 8192 * M);
}

static void a_group_takes_no_more_than_its_limit(void **state)
{
	const struct memory_cgroup_usage g = { .version = 2, .limits = { 512 * M, 400 * M } },
		full = { .version = 2, .limits = { 512 * M, 0 } };

	(void)state;
	assert_true(is_memory_limited_by_cgroup(&machine, &g));
	assert_int_equal(headroom_left_after_bytes(&machine, &g, 0), 6144 * M);
	assert_int_equal(headroom_left_after_bytes(&machine, &g, 100 * M), 6044 * M);
	assert_int_equal(headroom_left_after_bytes(&machine, &g, 5120 * M), 5744 * M);	/* what is beyond goes to swap, or ends it */
	assert_int_equal(headroom_left_after_bytes(&machine, &full, 5120 * M), 6144 * M);
	assert_int_equal(total_memory_or_cgroup_limit(&machine, &g), 512 * M);
}

static void the_reserve_and_when_to_look(void **state)
{
	const struct machine_memory small = { 1024 * M, 0, 0, 0 };

	(void)state;
	assert_int_equal(headroom_default_reserve(&machine), 8192 * M / 10);
	assert_int_equal(headroom_default_reserve(&small), 256 * M);
	/* at 40 GB/s: 4 GB last 100 ms; never busier than every 2 ms, never later than after 1 s */
	assert_int_equal(headroom_check_interval_ns(4000000000), 100 * NS_PER_MS);
	assert_int_equal(headroom_check_interval_ns(0), 2 * NS_PER_MS);
	assert_int_equal(headroom_check_interval_ns(-5), 2 * NS_PER_MS);
	assert_int_equal(headroom_check_interval_ns(INT64_MAX), NS_PER_S);
}

static int make_top(void **state)
{
	(void)state;
	return mkdtemp(top) ? 0 : -1;
}

static int remove_top(void **state)
{
	char command[64];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf %s", top);
	return system(command);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(meminfo_is_read),
		cmocka_unit_test(a_group_of_version_1),
		cmocka_unit_test(a_group_of_version_2_has_the_lowest_limit_above_it),
		cmocka_unit_test(what_is_left_of_a_machine),
		cmocka_unit_test(a_group_takes_no_more_than_its_limit),
		cmocka_unit_test(the_reserve_and_when_to_look),
	};

	return cmocka_run_group_tests(tests, make_top, remove_top);
}
