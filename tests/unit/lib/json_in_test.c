// SPDX-License-Identifier: GPL-3.0-or-later
/* json_in - dotted paths, exact whole numbers, and words for what is wrong. */

#include "json_in.h"
#include "why.h"
#include <errno.h>
#define BEFORE_ALL make_folder
#define AFTER_ALL remove_folder
#include "../folder.h"

static struct json_document *read_text(const char *text, struct why *why)
{
	put("json", text);
	return json_read_file(in_folder("json"), why);
}

TEST(a_file_that_cannot_be_read_is_no_wrong_json)
{
	struct why why;

	assert_null(json_read_file(".", &why)); /* a folder can be opened, and not be read */
	assert_string_equal(why.text, strerror(EISDIR));
}

TEST(values_by_path)
{
	struct why why;
	struct json_document *j =
		read_text("{\"a\": {\"b\": [1, {\"c\": 2.5}], \"ns\": 9007199254740993, \"no\": null, \"yes\": true,"
			  " \"d.o.t\": \"s\"}, \"s\": \"words\", \"low\": -9223372036854775808}",
			  &why);
	double real = -1;
	int64_t whole = -1;
	bool flag = false;

	assert_non_null(j);
	assert_true(json_get_real(j, "a.b.1.c", &real));
	assert_near(real, 2.5, 0);
	assert_true(json_get_real(j, "a.b.0", &real));
	assert_near(real, 1, 0);
	assert_true(json_get_int(j, "a.ns", &whole));
	assert_true(whole == 9007199254740993); /* not a double: the last digit would be 2 */
	assert_true(json_get_int(j, "low", &whole));
	assert_true(whole == INT64_MIN);
	assert_true(json_get_bool(j, "a.yes", &flag));
	assert_true(flag);
	assert_string_equal(json_get_str(j, "s"), "words");
	assert_string_equal(json_get_str(j, "a.d.o.t"), "s");
	assert_null(json_get_str(j, "a.d.o"));
	json_free(j);
}

TEST(what_is_not_there_changes_nothing)
{
	struct why why;
	struct json_document *j = read_text("{\"a\": {\"no\": null, \"s\": \"x\", \"r\": 1.5}, \"l\": [1]}", &why);
	double real = -1;
	int64_t whole = -1;
	bool flag = true;

	assert_non_null(j);
	assert_false(json_get_real(j, "a.no", &real));
	assert_false(json_get_real(j, "a.s", &real));
	assert_false(json_get_real(j, "b.c.d", &real));
	assert_false(json_get_real(j, "a.r.deeper", &real));
	assert_false(json_get_real(j, "l.1", &real));
	assert_false(json_get_real(j, "l.x", &real));
	assert_false(json_get_int(j, "a.r", &whole));
	assert_false(json_get_bool(j, "a.r", &flag));
	assert_null(json_get_str(j, "a.r"));
	assert_near(real, -1, 0);
	assert_int_equal(whole, -1);
	assert_true(flag);
	json_free(j);
	json_free(NULL);
}

TEST(no_json_is_said_with_its_line)
{
	struct why why;

	assert_null(read_text("{\"a\": 1,\n\"b\": }", &why));
	assert_non_null(strstr(why.text, "line 2"));
	assert_null(read_text("", &why));
	assert_null(read_text("{\"a\": 1, \"a\": 2}", &why));
	assert_null(json_read_file("/nonexistent/file.json", &why));
	assert_string_equal(why.text, "No such file or directory");
}
