// SPDX-License-Identifier: GPL-3.0-or-later
/* start - absolute times against seconds since 1970 that are counted by hand. */
#include "vusers/start.h"
#include "../../../../../tests/unit/unit.h"

/* 2000-03-01: 30 years of 365 days, 7 leap days before it, 29 February 2000, and 59 days of January and February. */
#define MARCH_2000 ((30LL * 365 + 7 + 1 + 59) * 86400)

TEST(times_are_those_of_the_calendar)
{
	static const struct {
		const char *text;
		int64_t ns;
	} row[] = {
		{ "1970-01-01T00:00:00Z", 0 },
		{ "2000-03-01T00:00:00Z", MARCH_2000 * 1000000000 },
		{ "2000-03-01T12:34:56.789Z", MARCH_2000 * 1000000000 + 45296789000000 },
		{ "2000-03-01T02:00:00+02:00", MARCH_2000 * 1000000000 },
		{ "2000-02-29T18:30:00-05:30", MARCH_2000 * 1000000000 },
		{ "@951868800", MARCH_2000 * 1000000000 },
		{ "@951868800.5", MARCH_2000 * 1000000000 + 500000000 },
		{ "@0.0000000019", 1 },
	};

	for (size_t i = 0; i < sizeof(row) / sizeof(*row); i++) {
		int64_t ns = -1;

		assert_true(start_parse_time(row[i].text, &ns));
		assert_int_equal(ns, row[i].ns);
	}
}

TEST(other_texts_are_no_times)
{
	static const char *const text[] = { "",
					    "@",
					    "@.5",
					    "@5.",
					    "@-1",
					    "@5s",
					    "@99999999999",
					    "12:00:00",
					    "2000-03-01T00:00:00",
					    "2000-03-01 00:00:00Z",
					    "2000-02-30T00:00:00Z",
					    "2000-13-01T00:00:00Z",
					    "2000-03-01T24:00:00Z",
					    "2000-3-1T00:00:00Z",
					    "2000-03-01T00:00:00.Z",
					    "2000-03-01T00:00:00Zx",
					    "2000-03-01T00:00:00+2",
					    "1969-12-31T00:00:00Z",
					    "1970-01-01T00:00:00+01:00",
					    "2000-00-01T00:00:00Z" };
	int64_t ns;

	for (size_t i = 0; i < sizeof(text) / sizeof(*text); i++)
		assert_false(start_parse_time(text[i], &ns));
}

TEST(what_is_written_reads_back)
{
	char text[START_TEXT];
	int64_t ns;

	start_format_time(MARCH_2000 * 1000000000 + 7999999, text);
	assert_string_equal(text, "2000-03-01T00:00:00.007Z");
	assert_true(start_parse_time(text, &ns));
	assert_int_equal(ns, MARCH_2000 * 1000000000 + 7000000);
}
