// SPDX-License-Identifier: GPL-3.0-or-later
/* cli - whole-text parsers, and a command line as its user meets it: in a process of its own. */
#include "cli.h"
#include "clock.h"
#include "text.h"
#include "../unit.h"

#include <errno.h>
#include <math.h>
#include <sys/wait.h>
#include <unistd.h>

#define UNTOUCHED (-4711)

static void refuses(int (*read)(const char *, int64_t *), const char *const *texts, int err)
{
	for (; *texts; texts++) {
		int64_t v = UNTOUCHED;

		if (read(*texts, &v) != err)
			fail_msg("\"%s\" gave %d, wanted %d", *texts, read(*texts, &v), err);
		assert_int_equal(v, UNTOUCHED);
	}
}

TEST(whole_numbers_are_read_whole)
{
	static const char *const bad[] = { "12abc", "",	 " 5",	"5 ",  "0x10", "1e3", "1.0", "nan",	 "inf",
					   "-",	    "+", "--5", "+-5", "5-",   "\t5", "5\n", "\xd9\xa3", NULL };
	static const char *const large[] = { "9223372036854775808", "-9223372036854775809",
					     "99999999999999999999999999999999999999", NULL };
	int64_t v;

	refuses(cli_parse_int, bad, -EINVAL);
	refuses(cli_parse_int, large, -ERANGE);
	assert_int_equal(cli_parse_int("0", &v), 0);
	assert_int_equal(v, 0);
	assert_int_equal(cli_parse_int("-7", &v), 0);
	assert_int_equal(v, -7);
	assert_int_equal(cli_parse_int("+7", &v), 0);
	assert_int_equal(v, 7);
	assert_int_equal(cli_parse_int("010", &v), 0); /* ten, not eight */
	assert_int_equal(v, 10);
	assert_int_equal(cli_parse_int("9223372036854775807", &v), 0);
	assert_true(v == INT64_MAX);
	assert_int_equal(cli_parse_int("-9223372036854775808", &v), 0);
	assert_true(v == INT64_MIN);
}

TEST(decimals_are_plain)
{
	static const char *const bad[] = { "12abc", "",	 " 5", "5 ",	"0x10", "-0x1p3", "nan", "NAN(1)", "inf", "-infinity",
					   ".",	    "-", "+.", "1.2.3", "1,5",	"e5",	  "5e",	 "1e+",	   NULL };
	double v;

	for (const char *const *t = bad; *t; t++) {
		if (cli_parse_real(*t, &v) != -EINVAL)
			fail_msg("\"%s\" was taken", *t);
	}
	assert_int_equal(cli_parse_real("1e400", &v), -ERANGE);
	assert_int_equal(cli_parse_real("-1e400", &v), -ERANGE);
	assert_int_equal(cli_parse_real("1e-400", &v), 0); /* as good as nothing, but not wrong */
	assert_true(fabs(v) < 1e-300);
	assert_int_equal(cli_parse_real("-12.5", &v), 0);
	assert_near(v, -12.5, 0);
	assert_int_equal(cli_parse_real(".5", &v), 0);
	assert_near(v, 0.5, 0);
	assert_int_equal(cli_parse_real("1e3", &v), 0);
	assert_near(v, 1000, 0);
}

struct value {
	const char *text;
	int64_t value;
};

static void reads(int (*read)(const char *, int64_t *), const struct value *values)
{
	for (; values->text; values++) {
		int64_t v = UNTOUCHED;

		if (read(values->text, &v) || v != values->value)
			fail_msg("\"%s\" gave %lld, wanted %lld", values->text, (long long)v, (long long)values->value);
	}
}

TEST(times_have_units)
{
	static const struct value good[] = { { "60s", 60 * NS_PER_S },
					     { "0.0", 0 },
					     { "500ms", 500 * NS_PER_MS },
					     { "20us", 20000 },
					     { "7ns", 7 },
					     { "1.5s", 1500 * NS_PER_MS },
					     { "0.1s", 100 * NS_PER_MS },
					     { "5m", 300 * NS_PER_S },
					     { "2min", 120 * NS_PER_S },
					     { "1h", 3600 * NS_PER_S },
					     { "1d", NS_PER_DAY },
					     { "0", 0 },
					     { "-5s", -5 * NS_PER_S },
					     { "0.3ns", 0 },
					     { "1e3ms", NS_PER_S },
					     { "106000d", 106000 * NS_PER_DAY },
					     { NULL, 0 } };
	static const char *const bad[] = { "",	    "s",   "ms",   " 5s",  "5 s", "5s ",  "5S", "5sec", "5ss", "5mss", "0x10",
					   "0x10s", "nan", "nans", "infs", "5e",  "5,5s", "-",	"s5",	"5s5", NULL };
	static const char *const large[] = { "1e400", "1e300s", "106752d", "-1e300d", NULL };
	static const char *const bare[] = { "60", "0.1", "-5", "1e-9", "1e10", NULL };

	reads(cli_parse_ns, good);
	refuses(cli_parse_ns, bad, -EINVAL);
	refuses(cli_parse_ns, large, -ERANGE);
	refuses(cli_parse_ns, bare, -EDOM);
}

TEST(sizes_count_in_1024)
{
	static const struct value sizes[] = { { "4096", 4096 },	       { "32K", 32768 },    { "1.5G", 1610612736 },
					      { "1M", 1048576 },       { "1MiB", 1048576 }, { "3B", 3 },
					      { "1T", 1099511627776 }, { "0.5K", 512 },	    { NULL, 0 } };
	static const char *const bad_sizes[] = { "", "K", "32k", "1Gbit", "32 K", "0x10K", "-", "nanK", NULL };
	static const char *const large_sizes[] = { "8388608T", "1e400", NULL };

	reads(cli_parse_bytes, sizes);
	refuses(cli_parse_bytes, bad_sizes, -EINVAL);
	refuses(cli_parse_bytes, large_sizes, -ERANGE);
}

TEST(rates_have_a_unit)
{
	static const struct value rates[] = {
		{ "10Mbit", 10000000 },	 { "2.5Gbit/s", 2500000000 },
		{ "64kbit", 64000 },	 { "1.5Kbit/s", 1500 },
		{ "1000bit", 1000 },	 { "0bit", 0 },
		{ "10mbit", 10000000 },	 { "10MBIT/S", 10000000 },
		{ "1gBit", 1000000000 }, { NULL, 0 },
	};
	static const char *const ambiguous[] = { "10M", "10k", "1.5G/s", "10Mbps", "10MB/s", "10Mb", "10bps", NULL };
	static const char *const bad[] = { "",	     "10",     "10/s",	  "10Tbit",  "Mbit",	"10Mbits", "1.2.3Mbit",
					   "-1Mbit", "+1Mbit", "10Mbit ", "10 Mbit", "10Mbit/", "none",	   NULL };

	reads(cli_parse_rate, rates);
	refuses(cli_parse_rate, bad, -EINVAL);
	refuses(cli_parse_rate, ambiguous, -ENOTUNIQ);
}

TEST(percentages_may_have_their_sign)
{
	static const char *const good[] = { "12.5", "12.5%", NULL }, *const bad[] = { "", "%", "5%%", "5 %", "5percent", NULL };
	double v;

	for (const char *const *t = good; *t; t++) {
		assert_int_equal(cli_parse_percent(*t, &v), 0);
		assert_true(v == 12.5);
	}
	for (const char *const *t = bad; *t; t++)
		assert_int_equal(cli_parse_percent(*t, &v), -EINVAL);
}

TEST(cpu_lists_come_out_ascending_and_once)
{
	static const char *const bad[] = { "",	    ",", "0,",	 ",0", "0,,1", "-",    "0-",  "-1", "3-1",
					   "0-1-2", "a", "0 ,1", " 0", "0x1",  "0-1,", "1.5", "+1", NULL };
	struct cli_cpus cpus = { 0 };

	for (const char *const *t = bad; *t; t++) {
		if (cli_parse_cpus(*t, &cpus) != -EINVAL)
			fail_msg("\"%s\" was taken", *t);
		assert_int_equal(cpus.n, 0);
	}
	assert_int_equal(cli_parse_cpus("1024", &cpus), -ERANGE);
	assert_int_equal(cli_parse_cpus("0-99999999999999999999", &cpus), -ERANGE);
	assert_int_equal(cli_parse_cpus("7,2-4,3,0", &cpus), 0);
	assert_int_equal(cpus.n, 5);
	assert_memory_equal(cpus.cpu, ((int[]){ 0, 2, 3, 4, 7 }), 5 * sizeof(int));
	assert_int_equal(cli_parse_cpus("0-1023", &cpus), 0);
	assert_int_equal(cpus.n, 1024);
	assert_int_equal(cpus.cpu[1023], 1023);
}

TEST(pid_lists_keep_their_order_and_go_on)
{
	static const char *const bad[] = { "",	 "0",  "-1",   "+1", "x",	   "1x",
					   "1,", ",1", "1,,2", "1 ", "2147483648", "99999999999999999999" };
	struct cli_pids pids = { 0 };

	assert_int_equal(cli_add_pids("977,812", &pids), 0);
	assert_int_equal(cli_add_pids("2147483647", &pids), 0);
	assert_int_equal(pids.n, 3);
	assert_int_equal(pids.pid[0], 977);
	assert_int_equal(pids.pid[1], 812);
	assert_int_equal(pids.pid[2], INT32_MAX);
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		assert_int_equal(cli_add_pids(bad[i], &pids), -EINVAL);
	free(pids.pid);
}

TEST(cpu_lists_are_written_with_ranges)
{
	static const char *const lists[][2] = {
		{ "0", "0" }, { "7,2-4,3,0", "0,2-4,7" }, { "0,1", "0-1" }, { "0-1023", "0-1023" }
	};
	struct cli_cpus cpus = { 0 };
	char text[64], three[4];

	cli_format_cpus(&cpus, text, sizeof(text));
	assert_string_equal(text, "");
	for (size_t i = 0; i < sizeof(lists) / sizeof(*lists); i++) {
		cli_parse_cpus(lists[i][0], &cpus);
		cli_format_cpus(&cpus, text, sizeof(text));
		assert_string_equal(text, lists[i][1]);
	}
	cli_format_cpus(&cpus, three, sizeof(three));
	assert_string_equal(three, "0-1");
}

/* --- the command line ---------------------------------------------------------------------------------- */

static struct {
	bool loud;
	int64_t count, time_ns, size_bytes, free;
	double percent;
	const char *name;
	int word;
	struct cli_cpus cpus;
} got;

static const char *const words[] = { "red", "green", NULL };

static int read_even(const char *text, void *value)
{
	int64_t v;

	if (cli_parse_int(text, &v) || v % 2)
		return -1;
	*(int64_t *)value = v;
	return 0;
}

static int64_t even;

static int read_pair(const char *text, void *value)
{
	const char *comma = strchr(text, ',');

	return comma ? cli_parse_ns(comma + 1, value) : -EINVAL;
}

static const struct cli_opt options[] = {
	{ CLI_FLAG, 'q', "loud", &got.loud, .help = "speak up" },
	{ CLI_INT, 'n', "count", &got.count, 1, 10, .help = "how many (1)" },
	{ CLI_REAL, 0, "percent", &got.percent, 0.1, 100, .help = "share (100)", .meta = "PERCENT" },
	{ CLI_NS, 't', "time", &got.time_ns, 1e6, 30.0 * (double)NS_PER_DAY, .help = "how long" },
	{ CLI_NS, 0, "delay", &got.time_ns, 0, 1e12, .help = "how late" },
	{ CLI_CALL, 0, "pair", &got.time_ns, .help = "a number and a time", .call = read_pair, .meta = "N,TIME" },
	{ CLI_BYTES, 0, "size", &got.size_bytes, 1024, 1073741824, .help = "how large" },
	{ CLI_INT, 0, "free", &got.free, .help = "unchecked" },
	{ CLI_STR, 0, "name", &got.name, .help = "a word", .meta = "FILE" },
	{ CLI_WORD, 0, "colour", &got.word, .help = "which (red)", .words = words },
	{ CLI_CPUS, 0, "cpus", &got.cpus, .help = "where" },
	{ CLI_SET, 'z', "green", &got.word, 1, 0, .help = "same as --colour green" },
	{ CLI_CALL, 0, "even", &even, .help = "even only", .call = read_even, .meta = "EVEN" },
	{ CLI_FLAG, 0, "wide", &got.loud,
	  .help = "a help that fills its line of 80 columns. It goes on below, and --loud is a word of it" },
	{ .type = CLI_END },
};

static struct {
	int status;
	char out[4096], err[2048];
} child;

static void read_all(FILE *f, char *text, size_t size)
{
	rewind(f);
	text[fread(text, 1, size - 1, f)] = '\0';
	fclose(f);
}

/* Parses `line` (words apart by one space, "_" for an empty word) in a child; "left: a b" is what it has left over. */
static void parse(const char *line)
{
	static char copy[256];
	char *argv[32] = { (char *)"demo" }, *rest;
	int argc = 1, status;
	FILE *out = tmpfile(), *err = tmpfile();
	pid_t pid;

	snprintf(copy, sizeof(copy), "%s", line);
	for (char *w = strtok_r(copy, " ", &rest); w; w = strtok_r(NULL, " ", &rest))
		argv[argc++] = strcmp(w, "_") ? w : (char *)"";
	assert_non_null(out);
	assert_non_null(err);
	fflush(NULL);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		int at;

		dup2(fileno(out), STDOUT_FILENO);
		dup2(fileno(err), STDERR_FILENO);
		/* the test's own unwritten output and its way out (cmocka's, the leak checker's) are not the child's */
		at = cli_parse(argc, argv, "demo [options] WORD...", "Shows how it is done.", options);
		printf("left:");
		for (int i = at; i < argc; i++)
			printf(" %s", argv[i]);
		printf(" | loud %d count %lld percent %g time %lld size %lld name %s word %d cpus %d even %lld\n", got.loud,
		       (long long)got.count, got.percent, (long long)got.time_ns, (long long)got.size_bytes,
		       got.name ? got.name : "-", got.word, got.cpus.n, (long long)even);
		fflush(stdout);
		_exit(EXIT_OK);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	child.status = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
	read_all(out, child.out, sizeof(child.out));
	read_all(err, child.err, sizeof(child.err));
}

static void takes(const char *line, const char *out)
{
	parse(line);
	assert_string_equal(child.err, "");
	assert_string_equal(child.out, out);
	assert_int_equal(child.status, EXIT_OK);
}

static void blames(const char *line, const char *err)
{
	char whole[512];

	snprintf(whole, sizeof(whole), "demo: %s (see thinprobe demo --help)\n", err);
	parse(line);
	assert_string_equal(child.err, whole);
	assert_string_equal(child.out, "");
	assert_int_equal(child.status, EXIT_USAGE);
}

TEST(options_may_stand_anywhere)
{
	takes("", "left: | loud 0 count 0 percent 0 time 0 size 0 name - word 0 cpus 0 even 0\n");
	takes("one -n 3 two --loud three",
	      "left: one two three | loud 1 count 3 percent 0 time 0 size 0 name - word 0 cpus 0 even 0\n");
	takes("-qn3 --percent=0.1 --time 500ms --size 1K --name x --colour green --cpus 0-1 --even 4",
	      "left: | loud 1 count 3 percent 0.1 time 500000000 size 1024 name x word 1 cpus 2 even 4\n");
	takes("-t 2.5", "left: | loud 0 count 0 percent 0 time 2500000000 size 0 name - word 0 cpus 0 even 0\n");
	takes("--time 60 --delay 0", "left: | loud 0 count 0 percent 0 time 0 size 0 name - word 0 cpus 0 even 0\n");
	takes("-n 1 -n 2", "left: | loud 0 count 2 percent 0 time 0 size 0 name - word 0 cpus 0 even 0\n"); /* the last one */
	takes("--colour red -z", "left: | loud 0 count 0 percent 0 time 0 size 0 name - word 1 cpus 0 even 0\n");
	takes("-- -n 3", "left: -n 3 | loud 0 count 0 percent 0 time 0 size 0 name - word 0 cpus 0 even 0\n");
	takes("--name --loud", "left: | loud 0 count 0 percent 0 time 0 size 0 name --loud word 0 cpus 0 even 0\n");
	takes("--free -99 --time 30d",
	      "left: | loud 0 count 0 percent 0 time 2592000000000000 size 0 name - word 0 cpus 0 even 0\n");
}

TEST(a_wrong_word_is_named_with_the_cure)
{
	blames("--bogus", "unknown or ambiguous option --bogus");
	blames("--c 1", "unknown or ambiguous option --c"); /* count, colour or cpus */
	blames("-n 2 -qx", "unknown option -x");
	blames("-qxn3", "unknown option -x");
	blames("--loud=yes", "--loud takes no value");
	blames("--green=yes", "--green takes no value");
	blames("--help=yes", "--help takes no value");
	blames("-n", "-n needs a value");
	blames("one --time", "--time needs a value");
	blames("-n 12abc", "--count 12abc: not a whole number");
	blames("-n _", "--count : not a whole number");
	blames("-n 0", "--count 0 is out of range: 1 to 10");
	blames("-n 11", "--count 11 is out of range: 1 to 10");
	blames("-n 99999999999999999999", "--count 99999999999999999999: too large");
	blames("--percent nan", "--percent nan: not a number");
	blames("--percent 1e400", "--percent 1e400: too large");
	blames("--percent 100.1", "--percent 100.1 is out of range: 0.1 to 100");
	blames("-t -5s", "--time -5s is out of range: 1ms to 30d");
	blames("-t 5x", "--time 5x: not a time such as 60s, 500ms or 20us");
	blames("--delay 20", "--delay 20: which unit? 20ms or 20s");
	blames("--pair 1,20", "--pair 1,20: which unit? write each time with one, as in 20ms or 20s");
	blames("--size 1", "--size 1 is out of range: 1K to 1G");
	blames("--name _", "--name needs a value");
	blames("--colour blue", "--colour blue: not one of red, green");
	blames("--cpus 3-1", "--cpus 3-1: not a list of CPUs such as 0,2-3");
	blames("--even 3", "--even 3: not EVEN");
	blames("--name a\nb --bo\ngus", "unknown or ambiguous option --bo gus"); /* one line, whatever it quotes */
	blames("--na\033[31m\302\233x\377", "unknown or ambiguous option --na?[31m?x?");
	blames("--na##vso[x]", "unknown or ambiguous option --na?#vso[x]");
}

TEST(help_tells_every_option_and_its_words)
{
	parse("--help --bogus");
	assert_int_equal(child.status, EXIT_OK);
	assert_string_equal(child.err, "");
	assert_int_equal(strncmp(child.out, "usage: thinprobe demo [options] WORD...\nShows how it is done.\n\n", 63), 0);
	for (const struct cli_opt *o = options; o->type != CLI_END; o++) {
		char name[32];

		snprintf(name, sizeof(name), "--%s", o->name);
		assert_non_null(strstr(child.out, name));
		if (strcmp(o->name, "wide") != 0)
			assert_non_null(strstr(child.out, o->help));
	}
	assert_non_null(strstr(child.out, "\n      --wide                    a help that fills its line of 80 columns. It\n"
					  "                                goes on below, and --loud is a word of it\n"));
	assert_non_null(strstr(child.out, "\n  -n, --count N "));
	assert_non_null(strstr(child.out, "which (red): red, green\n"));
	assert_non_null(strstr(child.out, "\n      --percent PERCENT "));
	parse("--version -n 0");
	assert_int_equal(child.status, EXIT_OK);
	assert_string_equal(child.out, "demo (thinprobe) " THINPROBE_VERSION "\n");
	parse("-V -n 0");
	assert_string_equal(child.out, "demo (thinprobe) " THINPROBE_VERSION "\n");
	parse("-h --bogus");
	assert_int_equal(child.status, EXIT_OK);
	assert_non_null(strstr(child.out, "\n  -h, --help "));
	parse("--bogus --help"); /* in the order of the line */
	assert_int_equal(child.status, EXIT_USAGE);
}

TEST(die_keeps_errno_and_says_one_line)
{
	FILE *err = tmpfile();
	char text[2048];
	int status;
	pid_t pid;

	fflush(NULL);
	pid = fork();
	if (!pid) {
		static char longer[3000];

		dup2(fileno(err), STDERR_FILENO);
		memset(longer, 'x', sizeof(longer) - 1);
		errno = ENOSPC;
		warn("cannot write: %m");
		warn("%s", longer);
		errno = ENOENT;
		die(EXIT_MISSING, "gone: %m");
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(WEXITSTATUS(status), EXIT_MISSING);
	read_all(err, text, sizeof(text));
	assert_int_equal(strncmp(text, "thinprobe: cannot write: No space left on device\nthinprobe: xxx", 63), 0);
	assert_string_equal(strrchr(text, 't') ? strstr(text, "thinprobe: gone") : "",
			    "thinprobe: gone: No such file or directory\n");
}

/* A file that a tool opens must never become its standard error. */
TEST(closed_standard_descriptors_stay_taken)
{
	int status;
	pid_t pid;

	fflush(NULL);
	pid = fork();
	if (!pid) {
		char *argv[] = { (char *)"demo", NULL };
		int fd;

		for (fd = 0; fd <= STDERR_FILENO; fd++)
			close(fd);
		cli_parse(1, argv, "demo", "", options);
		fd = dup(STDIN_FILENO);
		_exit(fd > STDERR_FILENO && write(STDOUT_FILENO, "x", 1) < 0 ? 0 : 1);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

/* --- slips of the keyboard are near, other words are not --- */

TEST(slips_are_near_and_other_words_far)
{
	static const struct {
		const char *word, *name;
		size_t distance;
	} rows[] = {
		{ "time", "time", 0 },		 { "tme", "time", 1 },	       { "tiem", "time", 1 }, { "times", "time", 1 },
		{ "tima", "time", 1 },		 { "tmie-out", "timeout", 2 }, { "seed", "need", 1 }, { "abc", "a", NEAREST_FAR },
		{ "load", "late", NEAREST_FAR }, { "x", "y", NEAREST_FAR },    { "xy", "yx", 1 },     { "q", "qu", NEAREST_FAR },
		{ "", "a", NEAREST_FAR },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		assert_int_equal(nearest_distance(rows[i].word, strlen(rows[i].word), rows[i].name), rows[i].distance);
	}
	assert_int_equal(nearest_distance("time=3s", 4, "time"), 0);
}
