// SPDX-License-Identifier: GPL-3.0-or-later
/* table - what the file `table` says, and one line for each thing that is wrong in it. */
#include <unistd.h>

#include "summarize/table.h"
#include "../unit.h"

static jmp_buf at_death;
static char last_words[8192];

/* Instead of die(): keeps the line and goes back to read_text(). */
void __wrap_die(int status, const char *format, ...);
void __wrap_die(int status, const char *format, ...)
{
	va_list list;

	assert_int_equal(status, EXIT_RUN);
	va_start(list, format);
	vsnprintf(last_words, sizeof(last_words), format, list);
	va_end(list);
	longjmp(at_death, 1);
}

/* False: the file is refused, and last_words says why. */
static bool read_text(const char *text, struct tables *out)
{
	static char path[32];
	static volatile bool ok;
	int fd;

	snprintf(path, sizeof(path), "/tmp/table_test.XXXXXX");
	fd = mkstemp(path);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
	ok = false;
	if (!setjmp(at_death)) {
		tables_read_definitions(path, out);
		ok = true;
	}
	unlink(path);
	return ok;
}

TEST(test_columns)
{
	static struct tables t;
	const struct column *c;

	assert_true(read_text("counts trains\nrepeats found\n"
			      "table summary cells schema=users/1\t# of users\n"
			      "part Part - param:kind - text -\n\n"
			      "lost \"Packets lost\" % stall/cell.json!:link.lost/link.packets share+ci 3 lower\n"
			      "p50_ms Median ms keys:low.p50 ends+above 3 lower\n"
			      "table slope rows:slope optional\nslope Slope - - ends 4 -\n",
			      &t));
	assert_int_equal(t.n, 2);
	assert_string_equal(t.counts, "trains");
	assert_true(t.skip_missing);
	assert_string_equal(t.table[0].schema, "users/1");
	assert_string_equal(t.table[1].schema, "slope/1");
	assert_true(t.table[1].optional && t.table[1].extractor && !t.table[0].rows);
	c = table_find_column(&t.table[0], "part");
	assert_true(c->source == SOURCE_PARAM && c->decimals == TABLE_TEXT && c->estimator == ESTIMATE_GIVEN);
	assert_string_equal(c->path, "kind");
	assert_string_equal(c->unit, "");
	c = table_find_column(&t.table[0], "lost");
	assert_true(c->source == SOURCE_JSON && c->needed && c->decimals == 3 && c->estimator == ESTIMATE_SHARE_CI);
	assert_string_equal(c->heading, "Packets lost");
	assert_string_equal(c->series, "stall");
	assert_string_equal(c->from, "cell.json");
	assert_string_equal(c->path, "link.lost");
	assert_string_equal(c->over, "link.packets");
	assert_string_equal(c->better, "lower");
	c = table_find_column(&t.table[0], "p50_ms");
	assert_true(c->source == SOURCE_EXTRACTOR && c->extractor && estimate_extra_columns(c->estimator) == 4);
	assert_string_equal(c->path, "low.p50");
	assert_null(table_find_column(&t.table[1], "part"));
}

TEST(test_mistakes)
{
	static const struct {
		const char *text, *said;
	} wrong[] = {
		{ "", "no table" },
		{ "a A - param - 0 -\n", ":1: a column before the first table: a" },
		{ "table summary\n", ":1: table wants" },
		{ "table ../x cells\n", ":1: table wants" },
		{ "table t cells\ntable t cells\n", ":2: a second table of that name: t" },
		{ "table t rows:nothing\n", ":1: no extractor of rows: nothing" },
		{ "table t cells often\n", ":1: neither schema=WORD, optional nor raw: often" },
		{ "table t cells\na A - param - 0\n", ":2: a column wants" },
		{ "table t cells\na \"A - param - 0 -\n", ":2: a quote without its end" },
		{ "table t cells\na \"A\"B - param - 0 -\n", ":2: no blank after a quote" },
		{ "table t cells\na/b A - param - 0 -\n", ":2: no name for a column: a/b" },
		{ "table t cells\na A - param - 0 -\na A - param - 0 -\n", ":3: a second column of that name: a" },
		{ "table t cells\na_low A - param - 0 -\na A - x.json:y mean+ci 0 -\n", ":3: a second column of that name: a_low" },
		{ "table schema cells\n", ":1: a name that a run's own files have: schema" },
		{ "table t cells\na A - x.json:y often 0 -\n", ":2: no such estimator: often" },
		{ "table t cells\na A - x.json:y mean many -\n", ":2: decimals are text or 0 to 9, not: many" },
		{ "table t cells\na A - x.json:y mean 0 best\n", ":2: better is lower, higher or -, not: best" },
		{ "table t cells\na A - x.json:y - 0 -\n", ":2: a number of repeats wants an estimator: a" },
		{ "table t cells\na A - x.json:y share+ci 0 -\n", ":2: share+ci, and it alone, wants FILE:PATH/PATH: a" },
		{ "table t cells\na A - x.json:y/z mean 0 -\n", ":2: share+ci, and it alone, wants FILE:PATH/PATH: a" },
		{ "table t cells\na A - count:sheep - 0 -\n", ":2: no such count: sheep" },
		{ "table t cells\na A - nothing:x - 0 -\n", ":2: no such extractor: nothing" },
		{ "table t cells\na A - what - 0 -\n", ":2: a source is" },
		{ "table t cells\na A - - - 0 -\n", ":2: a table of cells wants a source: a" },
		{ "table t rows:slope\na A - count:state - 0 -\n", ":2: of rows that others write the source is - or param: a" },
		{ "include nothing.table\n", "nothing.table: No such file" },
	};

	static struct tables t[sizeof(wrong) / sizeof(*wrong)]; /* nothing frees them: the program would have ended */

	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		assert_false(read_text(wrong[i].text, &t[i]));
		if (!strstr(last_words, wrong[i].said))
			fail_msg("\"%s\" does not say \"%s\"", last_words, wrong[i].said);
		assert_null(strchr(last_words, '\n'));
	}
}
