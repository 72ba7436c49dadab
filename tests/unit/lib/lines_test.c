// SPDX-License-Identifier: GPL-3.0-or-later
/* lines - text as others write it: byte order marks, both line ends; and what is no text at all. */
#include <errno.h>

#include "lines.h"
#include "../unit.h"

static FILE *in;
static struct line_reader l;

static void set_text(const char *text, size_t n)
{
	in = fmemopen((void *)(uintptr_t)text, n, "r");
	assert_non_null(in);
	assert_int_equal(line_reader_init(&l, in), 0);
}

static void close_text(void)
{
	line_reader_free(&l);
	fclose(in);
}

static void next_is(const char *text, unsigned long line)
{
	assert_int_equal(line_reader_next(&l), 1);
	assert_string_equal(l.text, text);
	assert_int_equal(l.line, line);
}

TEST(marks_and_ends_are_taken_off)
{
	static const char text[] = "\xef\xbb\xbf"
				   "a\tb\r\n\r\n\n1\t2\nlast";

	set_text(text, sizeof(text) - 1);
	next_is("a\tb", 1);
	next_is("1\t2", 4);
	next_is("last", 5);
	assert_int_equal(line_reader_next(&l), 0);
	close_text();
}

TEST(what_is_no_text_is_named)
{
	static const struct {
		const char *bytes, *word;
		size_t n;
	} of[] = {
		{ "\x1f\x8b\x08\x00\x01\n", "gzip", 6 },
		{ "\x28\xb5\x2f\xfd\n", "zstd", 5 },
		{ "\xfd"
		  "7zXZ\n",
		  "xz", 6 },
		{ "BZh91\n", "bzip2", 6 },
		{ "\xff\xfe"
		  "a\0\n\0",
		  "UTF-16", 6 },
		{ "a\0b\n", "0", 4 },
		{ "a\0b", "0", 3 },
		{ "a\0", "0", 2 },
	};

	for (size_t i = 0; i < sizeof(of) / sizeof(*of); i++) {
		set_text(of[i].bytes, of[i].n);
		assert_int_equal(line_reader_next(&l), -EPROTO);
		assert_non_null(strstr(l.why, of[i].word));
		close_text();
	}
}

TEST(long_lines_are_refused)
{
	char *text = malloc(2 * LINES_LONGEST);

	assert_non_null(text);
	memset(text, 'x', 2 * LINES_LONGEST);
	set_text(text, 2 * LINES_LONGEST);
	assert_int_equal(line_reader_next(&l), -EPROTO);
	assert_non_null(strstr(l.why, "too long"));
	close_text();
	text[LINES_LONGEST - 2] = '\n';
	set_text(text, LINES_LONGEST - 1);
	assert_int_equal(line_reader_next(&l), 1);
	assert_int_equal(strlen(l.text), LINES_LONGEST - 2);
	assert_int_equal(line_reader_next(&l), 0);
	close_text();
	free(text);
}
