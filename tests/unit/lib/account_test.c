// SPDX-License-Identifier: GPL-3.0-or-later
/* account: figures from files written by hand, after cgroups' and proc(5)'s own words. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "account.h"

static char folder[] = "/tmp/account_test.XXXXXX";

static void put(const char *name, const char *text)
{
	char path[128];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	f = fopen(path, "w");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

static int64_t one(const char *text, const char *key)
{
	put("file", text);
	return account_read_number_behind_key(folder, "file", key);
}

static void files_of_one_number(void **state)
{
	(void)state;
	assert_int_equal(one("0\n", NULL), 0);
	assert_int_equal(one("9223372036854771712\n", NULL), 9223372036854771712);
	assert_true(one("max\n", NULL) == INT64_MAX);
	assert_int_equal(one("", NULL), -1);
	assert_int_equal(one("none\n", NULL), -1);
	assert_int_equal(account_read_number_behind_key(folder, "not there", NULL), -1);
	assert_int_equal(account_read_number_behind_key("/nowhere", "file", NULL), -1);
}

static void lines_with_a_key(void **state)
{
	static const char stat[] = "swap 1\nswapcached 2\ntotal_swap 3\nbroken x\nbig 9223372036854775807\n";
	static const char status[] = "Name:\ta VmSwap: 7\nVmSwap:\t     12 kB\nVmSwap:\t     13 kB\nHuge: "
		"9223372036854775807 kB\nThreads:\t3\n";

	(void)state;
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

int main(void)
{
	static const struct CMUnitTest tests[] = { cmocka_unit_test(files_of_one_number), cmocka_unit_test(lines_with_a_key) };
	char command[64];
	int failed;

	if (!mkdtemp(folder))
		return 1;
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	snprintf(command, sizeof(command), "rm -r '%s'", folder);
	return failed || system(command);
}
