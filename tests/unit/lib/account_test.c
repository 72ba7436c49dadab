// SPDX-License-Identifier: GPL-3.0-or-later
/* account: figures from files written by hand, after cgroups' and proc(5)'s own words. */

#include "account.h"
#define BEFORE_ALL make_folder
#define AFTER_ALL remove_folder
#include "../folder.h"

static int64_t one(const char *text, const char *key)
{
	put("file", text);
	return account_read_number(folder, "file", key);
}

TEST(files_of_one_number)
{
	assert_int_equal(one("0\n", NULL), 0);
	assert_int_equal(one("9223372036854771712\n", NULL), 9223372036854771712);
	assert_true(one("max\n", NULL) == INT64_MAX);
	assert_int_equal(one("", NULL), -1);
	assert_int_equal(one("none\n", NULL), -1);
	assert_int_equal(account_read_number(folder, "not there", NULL), -1);
	assert_int_equal(account_read_number("/nowhere", "file", NULL), -1);
}

TEST(lines_with_a_key)
{
	static const char stat[] = "swap 1\nswapcached 2\ntotal_swap 3\nbroken x\nbig 9223372036854775807\n";
	static const char status[] = "Name:\ta VmSwap: 7\nVmSwap:\t     12 kB\nVmSwap:\t     13 kB\nHuge: "
				     "9223372036854775807 kB\nThreads:\t3\n";

	assert_int_equal(one(stat, "swap"), 1);
	assert_int_equal(one(stat, "swapcached"), 2);
	assert_int_equal(one(stat, "total_swap"), 3);
	assert_int_equal(one(stat, "broken"), -1);
	assert_true(one(stat, "big") == INT64_MAX);
	assert_int_equal(one(stat, "total"), -1);
	assert_int_equal(one(stat, "other"), -1);
	assert_int_equal(one(status, "VmSwap:"), 12288);
	assert_int_equal(one(status, "Threads:"), 3);
	assert_int_equal(one(status, "Huge:"), -1);
}

#define M (1LL << 20)

static struct memory_limits limits_of(const char *group)
{
	return account_read_limits(in_folder(group));
}

/* A login beside others in a group G; what is charged to G counts, but for the file cache. */
TEST(limits_of_the_groups_above)
{
	mkdir(in_folder("G"), 0700);
	mkdir(in_folder("G/login"), 0700);
	assert_true(limits_of("G/login").lowest == INT64_MAX && limits_of("G/login").room == INT64_MAX);
	/* version 1: no limit of its own */
	put("G/login/memory.limit_in_bytes", "9223372036854771712\n");
	put("G/login/memory.usage_in_bytes", "104857600\n");
	put("G/memory.limit_in_bytes", "1073741824\n");
	put("G/memory.usage_in_bytes", "838860800\n");
	put("G/memory.stat", "active_file 7\nhierarchical_memory_limit 9223372036854771712\n"
			     "total_inactive_file 104857600\ntotal_active_file 52428800\n");
	assert_int_equal(limits_of("G/login").lowest, 1024 * M);
	assert_int_equal(limits_of("G/login").room, 374 * M); /* 1024 - (800 - 100 - 50) */
	assert_int_equal(limits_of("G/login/not/there").room, 374 * M);
	/* a limit above what is visible here */
	put("G/login/memory.stat", "hierarchical_memory_limit 209715200\n");
	assert_int_equal(limits_of("G/login").lowest, 200 * M);
	assert_int_equal(limits_of("G/login").room, 100 * M);
	put("G/login/memory.usage_in_bytes", "209719296\n");
	assert_int_equal(limits_of("G/login").room, 0);
}

TEST(limits_of_version_2)
{
	mkdir(in_folder("slice"), 0700);
	mkdir(in_folder("slice/login"), 0700);
	put("slice/login/memory.max", "max\n");
	put("slice/login/memory.current", "1048576\n");
	put("slice/memory.max", "536870912\n");
	put("slice/memory.current", "314572800\n");
	put("slice/memory.stat", "anon 1\ninactive_file 104857600\nactive_file 4194304\nslab_reclaimable 2097152\n");
	assert_int_equal(limits_of("slice/login").lowest, 512 * M);
	assert_int_equal(limits_of("slice/login").room, 318 * M); /* 512 - (300 - 104 - 2) */
	put("slice/login/memory.max", "268435456\n");
	assert_int_equal(limits_of("slice/login").lowest, 256 * M);
	assert_int_equal(limits_of("slice/login").room, 255 * M);
}
