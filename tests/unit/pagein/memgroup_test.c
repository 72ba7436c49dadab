// SPDX-License-Identifier: GPL-3.0-or-later
/* Groups of both versions, as folders of ordinary files: what is read from them and what is written to them. */
#include "pagein/pagein.h"
#include "why.h"

#include "../folder.h"

TEST_WITH(make_folder, remove_folder, version_1)
{
	struct memgroup g;
	struct why why;

	assert_int_equal(memgroup_open(&g, folder, &why), -1);
	put("cgroup.procs", "12\n345\n");
	assert_int_equal(memgroup_open(&g, folder, &why), -1);
	assert_non_null(strstr(why.text, "controller"));
	put("memory.limit_in_bytes", "67108864\n");
	put("memory.usage_in_bytes", "5000000\n");
	put("memory.stat", "cache 1\nrss 2\nswapcached 4096\ntotal_swapcached 8192\n");
	put("memory.force_empty", "");
	assert_int_equal(memgroup_open(&g, folder, &why), 0);
	assert_int_equal(g.version, 1);
	assert_int_equal(memgroup_used_bytes(&g), 5000000);
	assert_int_equal(memgroup_swap_cache_bytes(&g), 8192);
	assert_true(memgroup_has_process(&g, 345));
	assert_false(memgroup_has_process(&g, 34));
	assert_false(memgroup_has_process(&g, 77));
	assert_int_equal(mkdir(in_folder("below"), 0700), 0);
	put("below/cgroup.procs", "77\n");
	assert_true(memgroup_has_process(&g, 77));
	assert_int_equal(memgroup_page_out(&g), 0);
	assert_string_equal(content(in_folder("memory.force_empty")), "0");
}

TEST_WITH(make_folder, remove_folder, version_2)
{
	struct memgroup g;
	struct why why;
	bool machine;

	put("cgroup.procs", "12\n");
	put("memory.current", "7340032\n");
	put("memory.stat", "anon 1\nfile 2\nswapcached 12288\npgfault 9\npswpin 100\npswpout 7\n");
	put("memory.reclaim", "");
	assert_int_equal(memgroup_open(&g, folder, &why), 0);
	assert_int_equal(g.version, 2);
	assert_int_equal(memgroup_swap_cache_bytes(&g), 12288);
	assert_int_equal(memgroup_swapin_bytes(&g, &machine), 100 * sysconf(_SC_PAGESIZE));
	assert_false(machine);
	assert_int_equal(memgroup_page_out(&g), 0);
	assert_string_equal(content(in_folder("memory.reclaim")), "7340032");
	put("memory.stat", "anon 1\n"); /* older kernels count swap for the machine only */
	assert_true(memgroup_swapin_bytes(&g, &machine) >= 0);
	assert_true(machine);
}

TEST_WITH(make_folder, remove_folder, what_keeps_it_from_being_emptied_is_named)
{
	struct memgroup g;
	struct why why;

	put("cgroup.procs", "12\n");
	put("memory.limit_in_bytes", "1\n");
	put("memory.swappiness", "0\n");
	assert_int_equal(memgroup_open(&g, folder, &why), 0);
	assert_int_equal(memgroup_check_swappable(&g, &why), -1);
	assert_non_null(strstr(why.text, "memory.force_empty"));
	put("memory.force_empty", "");
	assert_int_equal(memgroup_check_swappable(&g, &why), -1);
	assert_non_null(strstr(why.text, "swappiness"));
	put("memory.swappiness", "60\n");
	/* that, or this machine has no swap */
	if (memgroup_check_swappable(&g, &why))
		assert_non_null(strstr(why.text, "there is no swap"));
}

TEST(swap_devices_by_kind)
{
	char text[200];

	memgroup_describe_swap("Filename\t\t\t\tType\t\tSize\t\tUsed\t\tPriority\n"
			       "/dev/zram0                              partition\t1048572\t\t0\t\t100\n"
			       "/swap\\040file                           file\t\t65532\t\t0\t\t-2\n",
			       text, sizeof(text));
	assert_string_equal(text, "zram /dev/zram0; file /swap\\040file");
	memgroup_describe_swap("Filename\t\t\t\tType\t\tSize\t\tUsed\t\tPriority\n", text, sizeof(text));
	assert_string_equal(text, "");
	memgroup_describe_swap("", text, sizeof(text));
	assert_string_equal(text, "");
}
