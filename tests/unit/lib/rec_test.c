// SPDX-License-Identifier: GPL-3.0-or-later
/* rec - reports read back by somebody else's JSON reader, and files that are there whole or not at all. */
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <math.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "rec.h"
#include "../folder.h"

static int entries(void)
{
	DIR *d = opendir(folder);
	int n = 0;

	while (readdir(d))
		n++;
	closedir(d);
	return n - 2;
}

/* Opens a report in `format`; the file is in_folder("report"). */
static struct rec_report *start(enum rec_format format)
{
	struct rec_cfg cfg = { (int)format, in_folder("report"), REC_SHORT };
	struct rec_report *r = rec_open(&cfg, "demo");

	assert_non_null(r);
	return r;
}

static json_t *reread(struct rec_report *r)
{
	json_error_t error;
	json_t *all;

	assert_int_equal(rec_close(r), 0);
	all = json_load_file(in_folder("report"), JSON_REJECT_DUPLICATES, &error);
	if (!all)
		fail_msg("not JSON: %s (line %d)", error.text, error.line);
	return all;
}

static const char *string_of(json_t *o, const char *key)
{
	return json_string_value(json_object_get(o, key));
}

TEST_WITH(make_folder, remove_folder, json_says_who_made_it)
{
	struct rec_report *r = start(REC_JSON);
	char host[65] = "";
	json_t *all;

	rec_begin_object(r, "settings");
	rec_end(r);
	rec_begin_object(r, "result");
	rec_begin_array(r, "none");
	rec_end(r);
	rec_end(r);
	all = reread(r);
	gethostname(host, sizeof(host) - 1);
	assert_string_equal(string_of(all, "schema"), "thinprobe.demo/1");
	assert_string_equal(string_of(all, "tool"), "demo");
	assert_string_equal(string_of(all, "version"), THINPROBE_VERSION);
	assert_string_equal(string_of(all, "host"), host);
	assert_int_equal(strlen(string_of(all, "started")), 20);
	assert_int_equal(json_object_size(json_object_get(all, "settings")), 0);
	assert_true(json_is_array(json_object_get(json_object_get(all, "result"), "none")));
	json_decref(all);
}

/* As if numbers were equal that are written in another way: 3 and 3.000. */
static void is_json(json_t *got, const char *wanted)
{
	json_t *want = json_loads(wanted, JSON_DECODE_INT_AS_REAL, NULL), *real;
	char *text = json_dumps(got, JSON_REAL_PRECISION(15));

	assert_non_null(want);
	real = json_loads(text, JSON_DECODE_INT_AS_REAL, NULL);
	if (!json_equal(real, want))
		fail_msg("%s is not %s", text, wanted);
	json_decref(real);
	json_decref(want);
	free(text);
}

TEST_WITH(make_folder, remove_folder, json_values_come_back)
{
	struct rec_report *r = start(REC_JSON);
	json_t *all;

	rec_add_int(r, "most", INT64_MAX);
	rec_add_int(r, "least", INT64_MIN);
	rec_begin_object(r, "values");
	rec_add_count(r, "none_seen", 0);
	rec_add_count(r, "not_known", -1);
	rec_add_real(r, "real", 3.14159, 3);
	rec_add_real(r, "rounded", 2.9996, 3);
	rec_add_real(r, "small", -1e-9, 3);
	rec_add_real(r, "large", 1.5e300, 3);
	rec_add_real(r, "nan", NAN, 3);
	rec_add_real(r, "inf", INFINITY, 3);
	rec_add_real(r, "minus_inf", -INFINITY, 3);
	rec_add_bool(r, "yes", true);
	rec_add_bool(r, "no", false);
	rec_add_str(r, "null", NULL);
	rec_add_str(r, "word", "null");
	rec_begin_array(r, "list");
	rec_add_int(r, NULL, 1);
	rec_add_str(r, NULL, "two");
	rec_begin_object(r, NULL);
	rec_add_int(r, "three", 3);
	rec_end(r);
	rec_begin_array(r, NULL);
	rec_end(r);
	rec_end(r);
	rec_end(r);
	all = reread(r);
	assert_true(json_integer_value(json_object_get(all, "most")) == INT64_MAX);
	assert_true(json_integer_value(json_object_get(all, "least")) == INT64_MIN);
	is_json(json_object_get(all, "values"),
		"{\"none_seen\": 0, \"not_known\": null, \"real\": 3.142, \"rounded\": 3, \"small\": 0,"
		" \"large\": 1.5e300, \"nan\": null, \"inf\": null, \"minus_inf\": null, \"yes\": true, \"no\": false, \"null\": null,"
		" \"word\": \"null\", \"list\": [1, \"two\", {\"three\": 3}, []]}");
	json_decref(all);
}

TEST_WITH(make_folder, remove_folder, json_strings_survive)
{
	static const char *const texts[] = { "",
					     "plain",
					     "a \"quoted\" \\ back",
					     "tab\there\nnew\r\fline\b",
					     "\x01\x02\x1f\x7f",
					     "</script>",
					     "M\xc3\xbcller",
					     "\xe2\x82\xac \xf0\x9f\x92\xa9",
					     "\xef\xbf\xbf",
					     "\xf4\x8f\xbf\xbf",
					     "%s %n",
					     NULL };
	/* no UTF-8: lone bytes, a cut sequence, overlong forms, a surrogate, beyond the last code point */
	static const struct {
		const char *bad, *good;
	} replaced[] = {
		{ "a\xffz", "a\xef\xbf\xbdz" },
		{ "caf\xe9", "caf\xef\xbf\xbd" },
		{ "\xe2\x82", "\xef\xbf\xbd\xef\xbf\xbd" },
		{ "\xc0\xaf", "\xef\xbf\xbd\xef\xbf\xbd" },
		{ "\xed\xa0\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd" },
		{ "\x80", "\xef\xbf\xbd" },
		{ "\xf5", "\xef\xbf\xbd" },
		{ "\xc3\"", "\xef\xbf\xbd\"" },
	};
	struct rec_report *r = start(REC_JSON);
	json_t *all, *list;

	rec_begin_array(r, "texts");
	for (int i = 0; texts[i]; i++)
		rec_add_str(r, NULL, texts[i]);
	rec_end(r);
	rec_begin_array(r, "replaced");
	for (size_t i = 0; i < sizeof(replaced) / sizeof(*replaced); i++)
		rec_add_str(r, NULL, replaced[i].bad);
	rec_end(r);
	rec_add_int(r, "a \"key\"\n", 1);
	all = reread(r);
	list = json_object_get(all, "texts");
	for (size_t i = 0; texts[i]; i++)
		assert_string_equal(json_string_value(json_array_get(list, i)), texts[i]);
	list = json_object_get(all, "replaced");
	for (size_t i = 0; i < sizeof(replaced) / sizeof(*replaced); i++)
		assert_string_equal(json_string_value(json_array_get(list, i)), replaced[i].good);
	assert_int_equal(json_integer_value(json_object_get(all, "a \"key\"\n")), 1);
	json_decref(all);
}

TEST_WITH(make_folder, remove_folder, timing_leaves_out_what_the_sample_does_not_support)
{
	struct rec_report *r = start(REC_JSON);
	struct sample s = { 0 };
	json_t *all;

	for (int64_t i = 1; i <= 101; i++)
		sample_add(&s, i * 1000000);
	rec_add_sample(r, "latency_ms", &s, 1e6);
	sample_free(&s);
	rec_add_sample(r, "empty_ms", &s, 1e6);
	all = reread(r);
	/* sqrt(101 * 102 / 12) = 29.300 */
	is_json(json_object_get(all, "latency_ms"),
		"{\"n\": 101, \"min\": 1, \"mean\": 51, \"sd\": 29.3, \"p25\": 26, \"p50\": 51,"
		" \"p75\": 76, \"p90\": 91, \"p95\": null, \"p99\": null, \"p999\": null, \"max\": 101,"
		" \"why\": {\"p95\": \"too few\", \"p99\": \"too few\", \"p999\": \"too few\"}}");
	is_json(json_object_get(all, "empty_ms"),
		"{\"n\": 0, \"min\": null, \"mean\": null, \"sd\": null, \"p25\": null,"
		" \"p50\": null, \"p75\": null, \"p90\": null, \"p95\": null, \"p99\": null, \"p999\": null, \"max\": null}");
	json_decref(all);
}

TEST_WITH(make_folder, remove_folder, timing_with_later_than_values)
{
	struct rec_report *r = start(REC_JSON);
	struct sample s = { 0 };
	json_t *all;

	for (int64_t i = 1; i <= 90; i++)
		sample_add(&s, i);
	for (int64_t i = 0; i < 10; i++)
		sample_add_censored(&s, 10000);
	rec_add_sample(r, "t", &s, 1);
	sample_free(&s);
	all = reread(r);
	/* p90 lies between 90 and >10000; sd has no lower bound of use */
	is_json(json_object_get(all, "t"),
		"{\"n\": 100, \"min\": 1, \"mean\": null, \"sd\": null, \"p25\": 25.75, \"p50\": 50.5,"
		" \"p75\": 75.25, \"p90\": null, \"p95\": null, \"p99\": null, \"p999\": null, \"max\": null, \"censored\": 10,"
		" \"above\": {\"mean\": 1040.95, \"p90\": 1081, \"max\": 10000},"
		" \"why\": {\"p95\": \"too few\", \"p99\": \"too few\", \"p999\": \"too few\"}}");
	json_decref(all);
	r = start(REC_TEXT);
	rec_begin_object(r, "result");
	for (int64_t i = 1; i <= 2; i++)
		sample_add(&s, i);
	sample_add_censored(&s, 7);
	rec_add_sample(r, "t", &s, 1);
	sample_free(&s);
	assert_int_equal(rec_close(r), 0);
	assert_non_null(strstr(content(in_folder("report")), "max >7"));
}

/* Each value is known only from `early` to `late`. */
TEST_WITH(make_folder, remove_folder, statistics_between_two_samples)
{
	struct rec_report *r = start(REC_JSON);
	struct sample early = { 0 }, late = { 0 };
	json_t *all;

	for (int64_t i = 1; i <= 199; i++) {
		sample_add(&early, 1000 + i);
		/* up to 0.1 % later, but the last thirty: up to 5000, of which one has no late end */
		if (i == 199)
			sample_add_censored(&late, 9000);
		else
			sample_add(&late, i < 170 ? 1001 + i : 5000);
	}
	rec_add_sample_range(r, "t", &early, &late, 1);
	sample_free(&early);
	sample_free(&late);
	all = reread(r);
	/* ends within 1 % are one number, the late one; the mean's late end is not known */
	is_json(json_object_get(all, "t"),
		"{\"n\": 199, \"min\": 1002, \"mean\": null, \"sd\": null, \"p25\": 1051.5, \"p50\": 1101,"
		" \"p75\": 1150.5, \"p90\": null, \"p95\": null, \"p99\": null, \"p999\": null, \"max\": null, \"censored\": 1,"
		" \"range\": {\"mean\": {\"from\": 1100, \"to\": null}, \"p90\": {\"from\": 1179.2, \"to\": 5000},"
		" \"max\": {\"from\": 1199, \"to\": null}},"
		" \"why\": {\"sd\": \"range\", \"p95\": \"too few\", \"p99\": \"too few\", \"p999\": \"too few\"}}");
	json_decref(all);
}

TEST_WITH(make_folder, remove_folder, the_result_is_one_row)
{
	struct rec_report *r = start(REC_TSV);

	rec_begin_object(r, "result");
	rec_add_int(r, "keys", 3);
	rec_add_str(r, "name", "a\tb\nc");
	rec_add_str(r, "nothing", NULL);
	rec_add_str(r, "word", "null");
	rec_begin_object(r, "latency_ms");
	rec_add_real(r, "p50", 7.5, 1);
	rec_add_real(r, "p99", NAN, 1);
	rec_end(r);
	rec_begin_array(r, "list");
	rec_begin_object(r, NULL);
	rec_add_int(r, "x", 7);
	rec_end(r);
	rec_add_int(r, NULL, 8);
	rec_end(r);
	rec_end(r);
	rec_begin_object(r, "after");
	rec_add_int(r, "not", 1);
	rec_end(r);
	assert_int_equal(rec_close(r), 0);
	assert_string_equal(content(in_folder("report")),
			    "schema\tkeys\tname\tnothing\tword\tlatency_ms.p50\tlatency_ms.p99\tlist.0.x\tlist.1\n"
			    "thinprobe.demo/1\t3\ta b c\t\tnull\t7.5\t\t7\t8\n");
}

TEST_WITH(make_folder, remove_folder, text_moves_no_cursor)
{
	struct rec_report *r = start(REC_TEXT);

	rec_add_str(r, "title", "evil\x1b[2J\r\ntitle");
	assert_int_equal(rec_close(r), 0);
	assert_non_null(strstr(content(in_folder("report")), "evil?[2J  title\n"));
}

/* --- files ---------------------------------------------------------------------------------------------- */

TEST_WITH(make_folder, remove_folder, the_old_file_stays_until_the_new_one_is_whole)
{
	FILE *f = fopen(in_folder("report"), "w");
	struct rec_report *r;

	fputs("old", f);
	fclose(f);
	r = start(REC_JSON);
	rec_add_int(r, "new", 1);
	assert_string_equal(content(in_folder("report")), "old");
	assert_int_equal(entries(), 2);
	assert_int_equal(rec_close(r), 0);
	assert_non_null(strstr(content(in_folder("report")), "\"new\": 1"));
	assert_int_equal(entries(), 1); /* nothing temporary left */
}

static void in_a_child(void (*what)(void))
{
	int status;
	pid_t pid;

	fflush(NULL);
	pid = fork();
	if (!pid) {
		/* the sanitizer's leak check has nothing to say about a program that gives up half-way */
		if (!freopen("/dev/null", "w", stderr))
			_exit(98);
		what();
		_exit(99);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	assert_int_not_equal(WEXITSTATUS(status), 99);
}

static struct rec_report *half_written;

static void give_up(void)
{
	half_written = start(REC_JSON);
	if (access(in_folder("report"), F_OK) == 0 || entries() != 1)
		_exit(99);
	die(EXIT_RUN, "half-way");
}

static void lose_a_child(void)
{
	int status;
	pid_t pid;

	half_written = start(REC_JSON);
	pid = fork();
	if (!pid)
		exit(EXIT_RUN); /* on its way out it must not take the parent's file along */
	waitpid(pid, &status, 0);
	if (entries() != 1)
		_exit(99);
	_exit(rec_close(half_written) ? 99 : 0);
}

TEST_WITH(make_folder, remove_folder, a_program_that_dies_leaves_nothing)
{
	in_a_child(give_up);
	assert_int_equal(entries(), 0);
}

TEST_WITH(make_folder, remove_folder, a_child_that_dies_leaves_its_parents_file)
{
	in_a_child(lose_a_child);
	assert_int_equal(entries(), 1);
	assert_non_null(strstr(content(in_folder("report")), "thinprobe.demo/1"));
}

static void open_fails_with(const char *path, int err)
{
	struct rec_cfg cfg = { REC_JSON, path, REC_SHORT };

	errno = 0;
	assert_null(rec_open(&cfg, "demo"));
	assert_int_equal(errno, err);
}

TEST_WITH(make_folder, remove_folder, a_bad_path_is_told_before_the_run)
{
	char longer[300];

	open_fails_with(folder, EISDIR);
	open_fails_with(in_folder("no/such/folder"), ENOENT);
	memset(longer, 'x', sizeof(longer) - 1);
	longer[sizeof(longer) - 1] = '\0';
	open_fails_with(in_folder(longer), ENAMETOOLONG);
	fclose(fopen(in_folder("file"), "w"));
	open_fails_with(in_folder("file/report"), ENOTDIR);
	assert_int_equal(entries(), 1);
}

TEST_WITH(make_folder, remove_folder, a_full_disk_is_told)
{
	struct rec_cfg cfg = { REC_JSON, "/dev/full", REC_SHORT };
	struct rec_report *r;
	struct stat st;

	if (access("/dev/full", W_OK))
		skip();
	r = rec_open(&cfg, "demo");
	assert_non_null(r);
	assert_int_equal(rec_close(r), -ENOSPC);
	assert_int_equal(stat("/dev/full", &st), 0);
	assert_true(S_ISCHR(st.st_mode)); /* written to, not replaced */
}

TEST_WITH(make_folder, remove_folder, a_link_stays_a_link)
{
	struct stat st;
	struct rec_report *r;

	fclose(fopen(in_folder("target"), "w"));
	assert_int_equal(symlink("target", in_folder("report")), 0);
	r = start(REC_JSON);
	assert_int_equal(rec_close(r), 0);
	assert_int_equal(lstat(in_folder("report"), &st), 0);
	assert_true(S_ISLNK(st.st_mode));
	assert_non_null(strstr(content(in_folder("target")), "thinprobe.demo/1"));
	assert_int_equal(entries(), 2);
}

TEST_WITH(make_folder, remove_folder, the_umask_is_kept)
{
	mode_t before = umask(027);
	struct stat st;
	struct rec_report *r = start(REC_JSON);

	assert_int_equal(rec_close(r), 0);
	umask(before);
	assert_int_equal(stat(in_folder("report"), &st), 0);
	assert_int_equal(st.st_mode & 0777, 0640);
}

TEST_WITH(make_folder, remove_folder, too_deep_is_an_error_not_an_overrun)
{
	struct rec_report *r = start(REC_JSON);

	for (int i = 0; i < 40; i++)
		rec_begin_object(r, "deeper");
	for (int i = 0; i < 60; i++)
		rec_end(r);
	assert_int_equal(rec_close(r), -E2BIG);
	assert_int_equal(entries(), 0);
}

/* --- rows ----------------------------------------------------------------------------------------------- */

static const char *const columns[] = { "key", "due_ns", "word", NULL };

TEST_WITH(make_folder, remove_folder, rows_carry_their_schema)
{
	struct row_file *t = rows_open_new(in_folder("rows"), "demo/1", columns);

	assert_non_null(t);
	rows_write_int(t, 1);
	rows_write_int(t, -9223372036854775807LL - 1);
	rows_write_str(t, "a\tb\n");
	rows_end_row(t);
	rows_write_count(t, 2);
	rows_write_count(t, -1);
	rows_write_str(t, "");
	rows_end_row(t);
	rows_write_count(t, 0);
	rows_write_empty(t);
	rows_write_str(t, "");
	rows_end_row(t);
	rows_flush(t);
	assert_string_equal(content(in_folder("rows")), /* killed here, this is what there is */
			    "schema\tkey\tdue_ns\tword\ndemo/1\t1\t-9223372036854775808\ta b \ndemo/1\t2\t\t\ndemo/1\t0\t\t\n");
	assert_int_equal(rows_close(t), 0);
}

TEST_WITH(make_folder, remove_folder, a_row_that_was_cut_ends_where_rows_go_on)
{
	FILE *f = fopen(in_folder("rows"), "w");
	struct row_file *t;

	assert_non_null(f);
	fputs("schema\tkey\tdue_ns\tword\ndemo/1\t1\t2", f);
	fclose(f);
	t = rows_append(in_folder("rows"), "demo/1", columns);
	assert_non_null(t);
	rows_write_int(t, 3);
	rows_write_int(t, 4);
	rows_write_str(t, "x");
	rows_end_row(t);
	assert_int_equal(rows_close(t), 0);
	assert_string_equal(content(in_folder("rows")), "schema\tkey\tdue_ns\tword\ndemo/1\t1\t2\ndemo/1\t3\t4\tx\n");
}

/* A task may call itself anything. */
TEST_WITH(make_folder, remove_folder, names_in_rows_are_text)
{
	struct row_file *t = rows_open_new(in_folder("rows"), "demo/1", columns);

	rows_write_str(t, "gr\xc3\xbc\xc3\x9f \xe2\x82\xac"); /* well-formed stays */
	rows_write_str(t, "\x1b[31m\x7f \xc2\x9b");
	rows_write_str(t, "\xff\xc3(\xc3");
	rows_end_row(t);
	rows_flush(t);
	assert_string_equal(content(in_folder("rows")),
			    "schema\tkey\tdue_ns\tword\ndemo/1\tgr\xc3\xbc\xc3\x9f \xe2\x82\xac\t?[31m? ?\t?\?(?\n");
	assert_int_equal(rows_close(t), 0);
}

TEST_WITH(make_folder, remove_folder, a_row_of_the_wrong_length_is_remembered)
{
	struct row_file *t = rows_open_new(in_folder("rows"), "demo/1", columns);

	rows_write_int(t, 1);
	rows_end_row(t);
	rows_write_int(t, 1);
	rows_write_int(t, 1);
	rows_write_int(t, 1);
	rows_end_row(t);
	assert_int_equal(rows_close(t), -EPROTO);
	t = rows_open_new(in_folder("rows"), "demo/1", columns);
	for (int i = 0; i < 4; i++)
		rows_write_int(t, i);
	rows_end_row(t);
	assert_int_equal(rows_close(t), -EPROTO);
}

TEST_WITH(make_folder, remove_folder, rows_tell_what_went_wrong)
{
	struct row_file *t;

	errno = 0;
	assert_null(rows_open_new(in_folder("no/such"), "demo/1", columns));
	assert_int_equal(errno, ENOENT);
	assert_null(rows_open_new(folder, "demo/1", columns));
	assert_int_equal(errno, EISDIR);
	if (access("/dev/full", W_OK))
		return;
	t = rows_open_new("/dev/full", "demo/1", columns);
	assert_non_null(t);
	assert_int_equal(rows_close(t), -ENOSPC);
}

TEST_WITH(make_folder, remove_folder, a_row_that_failed_fails_the_table_though_later_ones_succeed)
{
	static const char *const one[] = { "n", NULL };
	struct row_file *t = rows_open_new(in_folder("rows"), "demo/1", one);
	struct rlimit before, low;

	assert_non_null(t);
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
	low = before;
	low.rlim_cur = 4096;
	setrlimit(RLIMIT_FSIZE, &low);
	for (int i = 0; i < 20000; i++) {
		if (i == 10000)
			setrlimit(RLIMIT_FSIZE, &before);
		rows_write_int(t, i);
		rows_end_row(t);
		errno = EBADF; /* of another call */
	}
	assert_int_equal(rows_close(t), -EFBIG);
}
