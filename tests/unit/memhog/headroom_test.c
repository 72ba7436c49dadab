// SPDX-License-Identifier: GPL-3.0-or-later
/* room - texts of the kernel typed in by hand, groups of both versions in a tree of our own, and sums done by hand. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "clock.h"
#include "memhog/headroom.h"

#define M (1LL << 20)

static FILE *text(const char *words)
{
	FILE *f = fmemopen((void *)(uintptr_t)words, strlen(words), "r");

	assert_non_null(f);
	return f;
}

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

static int find(const char *cgroup, const char *mounts, struct memory_cgroup_usage *g)
{
	FILE *c = text(cgroup), *m = text(mounts);
	int err = headroom_find_memory_cgroup(c, m, top, g);

	fclose(c);
	fclose(m);
	return err;
}

static const char mounts_v1[] = "31 23 0:28 / /sys/fs/cgroup rw - tmpfs tmpfs rw,mode=755\n"
	"32 31 0:29 / /sys/fs/cgroup/cpu rw,relatime - cgroup cgroup rw,cpu\n"
	"35 31 0:32 / /sys/fs/cgroup/memory rw,relatime shared:7 - cgroup cgroup rw,memory\n"
	"41 31 0:38 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw\n";

static void a_group_of_version_1(void **state)
{
	struct memory_cgroup_usage g;

	(void)state;
	put("sys/fs/cgroup/memory/outer/inner/memory.limit_in_bytes", "9223372036854771712\n");
	put("sys/fs/cgroup/memory/outer/inner/memory.usage_in_bytes", "104857600\n");
	put("sys/fs/cgroup/memory/outer/inner/memory.stat",
	    "cache 4096\nswap 1\nhierarchical_memory_limit 268435456\ntotal_cache 1\ntotal_swap 8192\n");
	assert_int_equal(find("5:cpu:/elsewhere\n4:memory:/outer/inner\n0::/\n", mounts_v1, &g), 0);
	assert_int_equal(g.version, 1);
	assert_int_equal(headroom_read_memory_cgroup(&g), 0);
	assert_int_equal(g.limits.lowest, 256 * M);	/* of the one above */
	assert_int_equal(g.limits.room, 156 * M);
	assert_int_equal(g.swapped, 8192);
	put("sys/fs/cgroup/memory/outer/inner/memory.limit_in_bytes", "134217728\n");
	assert_int_equal(headroom_read_memory_cgroup(&g), 0);
	assert_int_equal(g.limits.lowest, 128 * M);
	/* several controllers in one hierarchy; a name that merely contains the word is none */
	assert_int_equal(find("5:memory_hotplug:/a\n4:cpu,memory:/outer/inner\n", mounts_v1, &g), 0);
	assert_true(strstr(g.folder, "/sys/fs/cgroup/memory/outer/inner") != NULL);
}

static void a_group_of_version_2_has_the_lowest_limit_above_it(void **state)
{
	static const char mounts[] = "30 23 0:26 / /sys/fs/cgroup2 rw - cgroup2 none rw,nsdelegate\n";
	struct memory_cgroup_usage g;

	(void)state;
	put("sys/fs/cgroup2/user.slice/memory.max", "536870912\n");
	put("sys/fs/cgroup2/user.slice/memory.current", "10485760\n");	/* with other groups below it */
	put("sys/fs/cgroup2/user.slice/a b/memory.max", "max\n");
	put("sys/fs/cgroup2/user.slice/a b/memory.current", "1048576\n");
	put("sys/fs/cgroup2/user.slice/a b/memory.swap.current", "2097152\n");
	assert_int_equal(find("0::/user.slice/a b\n", mounts, &g), 0);
	assert_int_equal(g.version, 2);
	assert_int_equal(headroom_read_memory_cgroup(&g), 0);
	assert_int_equal(g.limits.lowest, 512 * M);
	assert_int_equal(g.limits.room, 502 * M);
	assert_int_equal(g.swapped, 2 * M);
	/* a group that the controller was not handed down to is counted in the one above */
	put("sys/fs/cgroup2/user.slice/a b/inner/cgroup.procs", "");
	assert_int_equal(find("0::/user.slice/a b/inner\n", mounts, &g), 0);
	assert_int_equal(headroom_read_memory_cgroup(&g), 0);
	assert_int_equal(g.limits.lowest, 512 * M);
	assert_int_equal(g.limits.room, 502 * M);
	assert_int_equal(g.swapped, 2 * M);
	/* the top has no files and no limit */
	assert_int_equal(find("0::/\n", mounts, &g), 0);
	assert_int_equal(headroom_read_memory_cgroup(&g), 0);
	assert_true(g.limits.lowest == INT64_MAX);
	assert_true(g.limits.room == INT64_MAX);
	assert_int_equal(g.swapped, -1);
}

static void a_part_of_the_hierarchy_or_none(void **state)
{
	struct memory_cgroup_usage g;

	(void)state;
	/* a container's own part, mounted as if it were the top */
	assert_int_equal(find("4:memory:/docker/abc/inner\n", "35 31 0:32 /docker/abc /mnt/memory ro - cgroup cgroup rw,memory\n", &g), 0);
	assert_string_equal(g.folder + strlen(top), "/mnt/memory/inner");
	assert_int_equal(find("4:memory:/docker/abc\n", "35 31 0:32 /docker/abc /mnt/memory ro - cgroup cgroup rw,memory\n", &g), 0);
	assert_string_equal(g.folder + strlen(top), "/mnt/memory");
	assert_int_equal(find("4:cpu:/a\n", mounts_v1, &g), -ENOENT);
	assert_int_equal(find("4:memory:/a\n", "35 31 0:32 / /x rw - cgroup cgroup rw,cpu\n", &g), -ENOENT);
	assert_int_equal(g.version, 0);
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
		cmocka_unit_test(a_part_of_the_hierarchy_or_none),
		cmocka_unit_test(what_is_left_of_a_machine),
		cmocka_unit_test(a_group_takes_no_more_than_its_limit),
		cmocka_unit_test(the_reserve_and_when_to_look),
	};

	return cmocka_run_group_tests(tests, make_top, remove_top);
}
