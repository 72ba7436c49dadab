// SPDX-License-Identifier: GPL-3.0-or-later
/* Groups of both versions, as folders of ordinary files: what is read from them and what is written to them. */
#include "pagein/memgroup.h"
#include "why.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

static char folder[64];

static void put(const char *name, const char *text)
{
	char path[200];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	f = fopen(path, "w");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

static const char *got(const char *name)
{
	static char text[200];
	char path[200];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	f = fopen(path, "r");
	assert_non_null(f);
	text[fread(text, 1, sizeof(text) - 1, f)] = '\0';
	fclose(f);
	return text;
}

static int make_folder(void **state)
{
	(void)state;
	snprintf(folder, sizeof(folder), "/tmp/memgroup_test.XXXXXX");
	return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
	char command[100];

	(void)state;
	snprintf(command, sizeof(command), "rm -r %s", folder);
	return system(command);
}

static void version_1(void **state)
{
	struct memgroup g;
	struct why why;
	char below[100];

	(void)state;
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
	assert_int_equal(memgroup_swap_cached_bytes(&g), 8192);
	assert_true(memgroup_has_process(&g, 345));
	assert_false(memgroup_has_process(&g, 34));
	assert_false(memgroup_has_process(&g, 77));
	snprintf(below, sizeof(below), "%s/below", folder);
	assert_int_equal(mkdir(below, 0700), 0);
	put("below/cgroup.procs", "77\n");
	assert_true(memgroup_has_process(&g, 77));
	assert_int_equal(memgroup_page_out(&g), 0);
	assert_string_equal(got("memory.force_empty"), "0");
}

static void version_2(void **state)
{
	struct memgroup g;
	struct why why;
	bool machine;

	(void)state;
	put("cgroup.procs", "12\n");
	put("memory.current", "7340032\n");
	put("memory.stat", "anon 1\nfile 2\nswapcached 12288\npgfault 9\npswpin 100\npswpout 7\n");
	put("memory.reclaim", "");
	assert_int_equal(memgroup_open(&g, folder, &why), 0);
	assert_int_equal(g.version, 2);
	assert_int_equal(memgroup_swap_cached_bytes(&g), 12288);
	assert_int_equal(memgroup_swapped_in_bytes(&g, &machine), 100 * sysconf(_SC_PAGESIZE));
	assert_false(machine);
	assert_int_equal(memgroup_page_out(&g), 0);
	assert_string_equal(got("memory.reclaim"), "7340032");
	put("memory.stat", "anon 1\n");		/* older kernels count swap for the machine only */
	assert_true(memgroup_swapped_in_bytes(&g, &machine) >= 0);
	assert_true(machine);
}

static void what_keeps_it_from_being_emptied_is_named(void **state)
{
	struct memgroup g;
	struct why why;

	(void)state;
	put("cgroup.procs", "12\n");
	put("memory.limit_in_bytes", "1\n");
	put("memory.swappiness", "0\n");
	assert_int_equal(memgroup_open(&g, folder, &why), 0);
	assert_int_equal(memgroup_check_can_evict(&g, &why), -1);
	assert_non_null(strstr(why.text, "memory.force_empty"));
	put("memory.force_empty", "");
	assert_int_equal(memgroup_check_can_evict(&g, &why), -1);
	assert_non_null(strstr(why.text, "swappiness"));
	put("memory.swappiness", "60\n");
	/* that, or this machine has no swap */
	if (memgroup_check_can_evict(&g, &why))
		assert_non_null(strstr(why.text, "there is no swap"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(version_1, make_folder, remove_folder),
		cmocka_unit_test_setup_teardown(version_2, make_folder, remove_folder),
		cmocka_unit_test_setup_teardown(what_keeps_it_from_being_emptied_is_named, make_folder, remove_folder),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
