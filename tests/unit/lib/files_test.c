// SPDX-License-Identifier: GPL-3.0-or-later
/* files - a folder with files of known text. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "files.h"

static char folder[] = "/tmp/thinprobe-files.XXXXXX";

static const char *at(const char *name)
{
	static char path[128];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return path;
}

static void put(const char *name, const char *text)
{
	FILE *f = fopen(at(name), "w");

	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

static void text_and_its_first_line(void **state)
{
	char text[8];

	(void)state;
	put("text", "one\ntwo\n");
	assert_int_equal(files_read_all(at("text"), text, sizeof(text)), 0);
	assert_string_equal(text, "one\ntwo");		/* all that fits */
	assert_int_equal(files_read_first_line(at("text"), text, sizeof(text)), 0);
	assert_string_equal(text, "one");
	put("text", "1234567");
	assert_int_equal(files_read_first_line(at("text"), text, sizeof(text)), -E2BIG);
	put("text", "123456");
	assert_int_equal(files_read_first_line(at("text"), text, sizeof(text)), 0);
	assert_string_equal(text, "123456");
	assert_int_equal(files_read_first_line(at("none"), text, sizeof(text)), -ENOENT);
	assert_string_equal(text, "");
	assert_int_equal(files_read_all(folder, text, sizeof(text)), -EISDIR);
	assert_string_equal(text, "");
}

static void a_file_that_is_not_there_is_not_made(void **state)
{
	char text[16];

	(void)state;
	assert_int_equal(files_write_text(at("none"), "1\n"), -ENOENT);
	assert_int_equal(access(at("none"), F_OK), -1);
	put("one", "");
	assert_int_equal(files_write_number(at("one"), -17), 0);
	assert_int_equal(files_read_first_line(at("one"), text, sizeof(text)), 0);
	assert_string_equal(text, "-17");
}

static void lists_grow(void **state)
{
	pid_t *list = NULL;
	char text[4096] = "";
	size_t n = 0;

	(void)state;
	for (int i = 0; i < 300; i++)
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "%d\n", 7 * i);
	put("numbers", text);
	assert_int_equal(files_list_numbers_in_file(at("numbers"), &list, &n), 0);
	assert_int_equal(files_list_numbers_in_file(at("numbers"), &list, &n), 0);
	assert_int_equal(n, 600);
	for (int i = 0; i < 600; i++)
		assert_int_equal(list[i], 7 * (i % 300));
	assert_int_equal(files_list_numbers_in_file(at("none"), &list, &n), -ENOENT);
	assert_int_equal(n, 600);
	free(list);
}

static void names_that_are_numbers(void **state)
{
	pid_t *list = NULL;
	size_t n = 0;

	(void)state;
	mkdir(at("names"), 0755);
	put("names/12", "");
	put("names/12a", "");
	put("names/-3", "");
	put("names/self", "");
	assert_int_equal(files_list_numeric_names(at("names"), &list, &n), 0);
	assert_int_equal(n, 1);
	assert_int_equal(list[0], 12);
	free(list);
}

static void a_group_and_those_below(void **state)
{
	pid_t *list = NULL;
	size_t n = 0;
	int sum = 0;

	(void)state;
	mkdir(at("group"), 0755);
	mkdir(at("group/one"), 0755);
	mkdir(at("group/one/two"), 0755);
	mkdir(at("group/none"), 0755);	/* removed meanwhile: it has no list */
	put("group/cgroup.procs", "1\n2\n");
	put("group/one/cgroup.procs", "");
	put("group/one/two/cgroup.procs", "40\n");
	assert_int_equal(files_list_processes_of_cgroup(at("group"), &list, &n), 0);
	assert_int_equal(n, 3);
	for (size_t i = 0; i < n; i++)
		sum += list[i];
	assert_int_equal(sum, 43);
	free(list);
}

static int begin(void **state)
{
	(void)state;
	return mkdtemp(folder) ? 0 : -1;
}

static int finish(void **state)
{
	char command[64];

	(void)state;
	snprintf(command, sizeof(command), "rm -r %s", folder);
	return system(command);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(text_and_its_first_line),
		cmocka_unit_test(a_file_that_is_not_there_is_not_made),
		cmocka_unit_test(lists_grow),
		cmocka_unit_test(names_that_are_numbers),
		cmocka_unit_test(a_group_and_those_below),
	};

	return cmocka_run_group_tests(tests, begin, finish);
}
