// SPDX-License-Identifier: GPL-3.0-or-later
/* files - a folder with files of known text. */
#include <errno.h>
#include <sys/stat.h>

#include "files.h"
#define BEFORE_ALL make_folder
#define AFTER_ALL remove_folder
#include "../folder.h"

TEST(text_and_its_first_line)
{
	char text[8];

	put("text", "one\ntwo\n");
	assert_int_equal(files_read_all(in_folder("text"), text, sizeof(text)), 0);
	assert_string_equal(text, "one\ntwo"); /* all that fits */
	assert_int_equal(files_read_line(in_folder("text"), text, sizeof(text)), 0);
	assert_string_equal(text, "one");
	put("text", "1234567");
	assert_int_equal(files_read_line(in_folder("text"), text, sizeof(text)), -E2BIG);
	put("text", "123456");
	assert_int_equal(files_read_line(in_folder("text"), text, sizeof(text)), 0);
	assert_string_equal(text, "123456");
	assert_int_equal(files_read_line(in_folder("none"), text, sizeof(text)), -ENOENT);
	assert_string_equal(text, "");
	assert_int_equal(files_read_all(folder, text, sizeof(text)), -EISDIR);
	assert_string_equal(text, "");
}

TEST(a_file_that_is_not_there_is_not_made)
{
	char text[16];

	assert_int_equal(files_write_text(in_folder("none"), "1\n"), -ENOENT);
	assert_int_equal(access(in_folder("none"), F_OK), -1);
	put("one", "");
	assert_int_equal(files_write_number(in_folder("one"), -17), 0);
	assert_int_equal(files_read_line(in_folder("one"), text, sizeof(text)), 0);
	assert_string_equal(text, "-17");
}

TEST(lists_grow)
{
	pid_t *list = NULL;
	char text[4096] = "";
	size_t n = 0;

	for (int i = 0; i < 300; i++)
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "%d\n", 7 * i);
	put("numbers", text);
	assert_int_equal(files_list_numbers(in_folder("numbers"), &list, &n), 0);
	assert_int_equal(files_list_numbers(in_folder("numbers"), &list, &n), 0);
	assert_int_equal(n, 600);
	for (int i = 0; i < 600; i++)
		assert_int_equal(list[i], 7 * (i % 300));
	assert_int_equal(files_list_numbers(in_folder("none"), &list, &n), -ENOENT);
	assert_int_equal(n, 600);
	free(list);
}

TEST(a_private_file_is_its_owners_alone)
{
	struct stat st;
	mode_t old = umask(022);
	FILE *f = files_create_private(in_folder("private"));

	umask(old);
	assert_non_null(f);
	assert_int_equal(fclose(f), 0);
	assert_int_equal(stat(in_folder("private"), &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
}

TEST(names_that_are_numbers)
{
	pid_t *list = NULL;
	size_t n = 0;

	mkdir(in_folder("names"), 0755);
	put("names/12", "");
	put("names/12a", "");
	put("names/-3", "");
	put("names/self", "");
	assert_int_equal(files_list_numeric_names(in_folder("names"), &list, &n), 0);
	assert_int_equal(n, 1);
	assert_int_equal(list[0], 12);
	free(list);
}

TEST(a_group_and_those_below)
{
	pid_t *list = NULL;
	size_t n = 0;
	int sum = 0;

	mkdir(in_folder("group"), 0755);
	mkdir(in_folder("group/one"), 0755);
	mkdir(in_folder("group/one/two"), 0755);
	mkdir(in_folder("group/none"), 0755); /* removed meanwhile: it has no list */
	put("group/cgroup.procs", "1\n2\n");
	put("group/one/cgroup.procs", "");
	put("group/one/two/cgroup.procs", "40\n");
	assert_int_equal(files_list_group_pids(in_folder("group"), &list, &n), 0);
	assert_int_equal(n, 3);
	for (size_t i = 0; i < n; i++)
		sum += list[i];
	assert_int_equal(sum, 43);
	free(list);
}
