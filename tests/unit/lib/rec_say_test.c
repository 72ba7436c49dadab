// SPDX-License-Identifier: GPL-3.0-or-later
/* rec_say - the short report: what stands in it, how tables are laid out, and who gets it. */
#include <fcntl.h>
#include <jansson.h>
#include <signal.h>
#include <unistd.h>

#include "rec.h"
#include "../folder.h"

static struct rec_report *start(int format, int detail)
{
	struct rec_cfg cfg = { format, in_folder("report"), detail };
	struct rec_report *r = rec_open(&cfg, "demo");

	assert_non_null(r);
	return r;
}

static const char *finish(struct rec_report *r)
{
	assert_int_equal(rec_close(r), 0);
	return content(in_folder("report"));
}

static struct rec_report *tell(int format, int detail)
{
	struct rec_report *r = start(format, detail);

	rec_begin_object(r, "settings");
	rec_add_int(r, "count", 2);
	rec_end(r);
	rec_begin_object(r, "result");
	rec_begin_array(r, "children");
	for (int i = 0; i < 2; i++) {
		rec_begin_object(r, NULL);
		rec_add_int(r, "cpu", i);
		if (i) {
			rec_begin_object(r, "wait");
			rec_add_real(r, "p50", -0.0001, 3);
			rec_end(r);
		}
		rec_end(r);
	}
	rec_end(r);
	rec_end(r);
	rec_say(r, "%d processes", 2);
	return r;
}

TEST_WITH(make_folder, remove_folder, text_is_what_was_said)
{
	assert_string_equal(finish(tell(REC_TEXT, REC_SHORT)), "2 processes\n");
	assert_string_equal(finish(tell(REC_TEXT, REC_QUIET)), "");
	assert_int_equal(strncmp(finish(tell(REC_TEXT, REC_VERBOSE)), "2 processes\n\nschema ", 20), 0);
	assert_null(strstr(finish(tell(REC_TEXT, REC_VERBOSE)), "summary"));
}

TEST_WITH(make_folder, remove_folder, nothing_said_is_the_tree)
{
	struct rec_report *r = start(REC_TEXT, REC_SHORT);

	assert_int_equal(strncmp(finish(r), "schema ", 7), 0);
	assert_string_equal(finish(start(REC_TEXT, REC_QUIET)), "");
	rec_say(NULL, "to nobody");
	rec_warn(NULL, "to nobody");
}

TEST_WITH(make_folder, remove_folder, a_warning_comes_first_and_stays)
{
	for (int detail = REC_SHORT; detail <= REC_QUIET; detail++) {
		struct rec_report *r = tell(REC_TEXT, detail);

		rec_warn(r, "not held: %d %%", 14);
		assert_string_equal(finish(r), detail == REC_QUIET ? "! not held: 14 %\n" : "! not held: 14 %\n2 processes\n");
	}
}

TEST_WITH(make_folder, remove_folder, json_has_the_summary_before_the_settings)
{
	for (int warned = 0; warned < 2; warned++) {
		struct rec_report *r = tell(REC_JSON, REC_QUIET);
		const char *text;
		json_t *all;

		if (warned)
			rec_warn(r, "not valid");
		text = finish(r);
		all = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
		assert_non_null(all);
		assert_string_equal(json_string_value(json_object_get(all, "summary")), warned ? "not valid" : "2 processes");
		assert_true(strstr(text, "\"host\"") < strstr(text, "\"summary\""));
		assert_true(strstr(text, "\"summary\"") < strstr(text, "\"settings\""));
		json_decref(all);
	}
	assert_null(strstr(finish(start(REC_JSON, REC_SHORT)), "summary"));
}

TEST_WITH(make_folder, remove_folder, rows_are_the_main_table)
{
	struct rec_report *r = tell(REC_TSV, REC_SHORT);

	rec_set_table(r, "children");
	assert_string_equal(finish(r), "schema\tcpu\twait.p50\nthinprobe.demo/1\t0\t\nthinprobe.demo/1\t1\t0.000\n");
	r = tell(REC_TSV, REC_SHORT);
	rec_set_table(r, "users");
	assert_string_equal(finish(r),
			    "schema\tchildren.0.cpu\tchildren.1.cpu\tchildren.1.wait.p50\nthinprobe.demo/1\t0\t1\t0.000\n");
}

/* A header element is printed nowhere, but gives --tsv its columns with and without rows. */
TEST_WITH(make_folder, remove_folder, an_empty_table_has_its_columns)
{
	for (int rows = 0; rows <= 1; rows++) {
		for (int format = REC_TEXT; format <= REC_TSV; format++) {
			struct rec_report *r = start(format, REC_VERBOSE);
			const char *text;

			rec_begin_object(r, "result");
			rec_begin_array(r, "children");
			for (int i = 0; i <= rows; i++) {
				rec_begin_object(r, NULL);
				rec_add_int(r, "cpu", i ? 1 : 987654321);
				rec_add_str(r, "name", i ? "one" : NULL);
				rec_end(r);
				if (i == 0)
					rec_set_header(r);
			}
			rec_end(r);
			rec_end(r);
			rec_set_table(r, "children");
			text = finish(r);
			assert_null(strstr(text, "987654321"));
			if (format == REC_TSV)
				assert_string_equal(text,
						    rows ? "schema\tcpu\tname\nthinprobe.demo/1\t1\tone\n" : "schema\tcpu\tname\n");
		}
	}
}

TEST_WITH(make_folder, remove_folder, long_lines_go_on_in_the_next)
{
	struct rec_report *r = start(REC_TEXT, REC_SHORT);
	char word[100];

	memset(word, 'x', sizeof(word) - 1);
	word[sizeof(word) - 1] = '\0';
	rec_say(r, "  %.38s %.39s %.3s", word, word, word);
	rec_say(r, "µ%.38s %.40s", word, word); /* exactly 80 */
	rec_say(r, "%s", word);
	rec_warn(r, "%.40s %.40s", word, word);
	rec_say(r, "a\tb\nc\033[2J");
	assert_string_equal(finish(r),
			    "! xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\n  xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\n"
			    "  xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\n    xxx\n"
			    "µxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\n"
			    "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\n"
			    "a b c?[2J\n");
}

TEST_WITH(make_folder, remove_folder, tables_are_aligned)
{
	struct rec_report *r = start(REC_TEXT, REC_SHORT);

	rec_say(r, "above");
	rec_begin_table(r, "lrr", "\tmin\tp50 µs");
	rec_add_row(r, "  latency\t%s\t%s\tms", "8.1", "9.70");
	rec_add_row(r, "  late\t%s", "0 of 595 keys, and a long text that widens no column");
	rec_add_row(r, "x\t\t12");
	rec_begin_table(r, "ll", "%s", "");
	rec_add_row(r, "a\tb");
	assert_string_equal(finish(r), "above\n"
				       "            min   p50 µs\n"
				       "  latency   8.1     9.70   ms\n"
				       "  late      0 of 595 keys, and a long text that widens no column\n"
				       "x                     12\n"
				       "a   b\n");
}

static const char *nine_rows(int worst, int detail)
{
	struct rec_report *r = start(REC_TEXT, detail);

	rec_begin_table(r, "r", "%s", "");
	for (int i = 0; i < 9; i++) {
		rec_add_row(r, "%d", i);
		if (worst >= 0)
			rec_rank_row(r, i == worst ? 1 : 0);
	}
	return finish(r);
}

TEST_WITH(make_folder, remove_folder, long_tables_show_first_worst_and_last)
{
	assert_string_equal(nine_rows(-1, REC_SHORT), "0\n2\n4\n6\n8\n5 of 9 rows; --tsv has all\n");
	assert_string_equal(nine_rows(4, REC_SHORT), "0\n2\n4\n6\n8\n5 of 9 rows; --tsv has all\n");
	assert_string_equal(nine_rows(1, REC_SHORT), "0\n1\n4\n6\n8\n5 of 9 rows; --tsv has all\n");
	assert_string_equal(nine_rows(7, REC_SHORT), "0\n2\n4\n7\n8\n5 of 9 rows; --tsv has all\n");
	assert_int_equal(strncmp(nine_rows(7, REC_VERBOSE), "0\n1\n2\n3\n4\n5\n6\n7\n8\n\nschema", 25), 0);
}

TEST_WITH(make_folder, remove_folder, a_wide_row_is_wrapped_never_cut)
{
	struct rec_report *r = start(REC_TEXT, REC_SHORT);
	const char *text;
	int columns = 0, widest = 0;

	rec_begin_table(r, "lrr", "%s", "");
	rec_add_row(r, "  %s\t7\t%s", "µµµµµµµµµµµµµµµµµµµµµµµµµµµµµµµµµµµµµµµµ", "µµµµµµµµµµµµµµµµµµµµµµµµµµµµµµµµµµµµµµµµ");
	rec_add_row(r, "  late\t35 of 35 keys over 100 ms, 35 never answered (95 %% confidence: at most %s %%)", "100");
	text = finish(r);
	assert_non_null(strstr(text, "µ  7\n    µ"));
	assert_non_null(strstr(text, "100"));
	assert_null(strstr(text, "…"));
	for (const char *c = text; *c; c++) {
		columns = *c == '\n' ? 0 : columns + ((*c & 0xc0) != 0x80);
		widest = columns > widest ? columns : widest;
	}
	assert_in_range(widest, 60, 80);
}

TEST_WITH(make_folder, remove_folder, the_summary_is_the_warning_else_the_answer)
{
	struct rec_report *r = start(REC_JSON, REC_SHORT);

	rec_say(r, "typed");
	rec_set_summary(r, "p50 %d", 7);
	rec_begin_object(r, "result");
	rec_end(r);
	assert_non_null(strstr(finish(r), "\"summary\": \"p50 7\""));
	r = start(REC_TEXT, REC_SHORT);
	rec_say(r, "typed");
	rec_set_summary(r, "p50 %d", 7);
	assert_string_equal(finish(r), "typed\n");
	r = start(REC_JSON, REC_SHORT);
	rec_set_summary(r, "p50 %d", 7);
	rec_warn(r, "no echo");
	rec_begin_object(r, "result");
	rec_end(r);
	assert_non_null(strstr(finish(r), "\"summary\": \"no echo\""));
}

/* As `| head` does. */
TEST_WITH(make_folder, remove_folder, a_reader_who_left_is_no_error)
{
	struct rec_cfg cfg = { REC_TEXT, NULL, REC_SHORT };
	int pipe_fd[2], kept = dup(STDOUT_FILENO), err;
	struct rec_report *r;

	fflush(stdout);
	assert_int_equal(pipe(pipe_fd), 0);
	close(pipe_fd[0]);
	dup2(pipe_fd[1], STDOUT_FILENO);
	close(pipe_fd[1]);
	r = rec_open(&cfg, "demo");
	for (int i = 0; i < 10000; i++) /* more than the buffer holds */
		rec_say(r, "line %d", i);
	err = rec_close(r);
	clearerr(stdout);
	dup2(kept, STDOUT_FILENO);
	close(kept);
	assert_int_equal(err, 0);
}

TEST_WITH(make_folder, remove_folder, warnings_and_summary_do_not_cut_a_table)
{
	struct rec_report *r = start(REC_TEXT, REC_SHORT);

	rec_say(r, "first");
	rec_begin_table(r, "lr", "name\tvalue");
	rec_add_row(r, "one\t1");
	rec_set_summary(r, "in short");
	rec_warn(r, "careful");
	rec_add_row(r, "two\t2");
	assert_string_equal(finish(r), "! careful\nfirst\nname   value\none        1\ntwo        2\n");
}
