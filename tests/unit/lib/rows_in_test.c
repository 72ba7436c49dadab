// SPDX-License-Identifier: GPL-3.0-or-later
/* rows_in - what is no table, and files that do not end. */
#include "rows_in.h"

#include <errno.h>
#include "../unit.h"

static const char *const columns[] = { "value", NULL };

static int keep(void *context, char *const *cell)
{
	return rows_in_int(cell[0], context) ? 0 : -EPROTO;
}

static int read_from(FILE *in, int64_t *value, unsigned long *line)
{
	int err;

	assert_non_null(in);
	err = rows_in_read(in, "test/1", columns, 1, keep, value, line);
	fclose(in);
	return err;
}

static int read_text(const char *text, int64_t *value, unsigned long *line)
{
	return read_from(fmemopen((void *)(uintptr_t)text, strlen(text), "r"), value, line);
}

/* A header, then nothing but digits; an error after `most` of them, 0: none. */
struct endless {
	size_t given, most;
};

static ssize_t give(void *cookie, char *to, size_t size)
{
	static const char head[] = "schema\tvalue\ntest/1\t";
	struct endless *e = cookie;
	size_t n = e->given ? size : strlen(head);

	if (e->most && e->given >= e->most) {
		errno = EIO;
		return -1;
	}
	if (e->given > 32 << 20)
		return 0; /* enough for a test */
	assert_true(n <= size);
	if (e->given)
		memset(to, '7', n);
	else
		memcpy(to, head, n);
	e->given += n;
	return (ssize_t)n;
}

TEST(a_line_without_an_end_is_not_taken_into_memory)
{
	struct endless e = { 0 };
	unsigned long line;
	int64_t value;

	assert_int_equal(read_from(fopencookie(&e, "r", (cookie_io_functions_t){ .read = give }), &value, &line), -EPROTO);
	assert_int_equal(line, 2);
	assert_true(e.given < 100000);
}

TEST(a_file_that_breaks_off_is_no_table)
{
	struct endless e = { .most = 1 };
	unsigned long line;
	int64_t value;

	assert_int_equal(read_from(fopencookie(&e, "r", (cookie_io_functions_t){ .read = give }), &value, &line), -EIO);
}

TEST(the_longest_line)
{
	char *text = calloc(1, 40000), *end;
	unsigned long line;
	int64_t value = 0;

	assert_non_null(text);
	strcpy(text, "schema\tvalue\twords\ntest/1\t42\t");
	end = text + strlen(text);
	memset(end, 'w', 16000);
	strcpy(end + 16000, "\ntest/1\t43\t\n");
	assert_int_equal(read_text(text, &value, &line), 0);
	assert_int_equal(value, 43);
	assert_int_equal(line, 3);
	memset(end, 'w', 17000);
	strcpy(end + 17000, "\n");
	assert_int_equal(read_text(text, &value, &line), -EPROTO);
	assert_int_equal(line, 2);
	free(text);
}

TEST(times_and_counts_are_those_that_can_be_added)
{
	static const struct {
		const char *cell;
		bool good;
		int64_t value;
	} known[] = {
		{ NULL, true, ROWS_IN_NONE },
		{ "", true, ROWS_IN_NONE },
		{ "0", true, 0 },
		{ "2305843009213693950", true, INT64_MAX / 4 - 1 },
		{ "2305843009213693951", false, 0 },
		{ "-1", false, 0 },
		{ "-9223372036854775808", false, 0 },
		{ "1x", false, 0 },
	};
	int64_t value;

	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++) {
		assert_int_equal(rows_in_count(known[i].cell, &value), known[i].good);
		if (known[i].good)
			assert_true(value == known[i].value);
	}
}
