// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli.h"
#include "text.h"
#include "clock.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define OPTIONS_MAX 64
#define HELP_COLUMN 32 /* where the help of an option begins */
#define FIRST_LONG 256 /* getopt values of long-only options, beyond every letter */

static const struct cli_opt *given[OPTIONS_MAX]; /* options given, by their index in the table; NULL: not given */

static bool takes_value(const struct cli_opt *o)
{
	return o->type != CLI_FLAG && o->type != CLI_SET;
}

/* What the value of each type is called in --help, and in errors; NULL: the type has no value. */
static const struct {
	const char *meta, *words;
} types[] = {
	[CLI_INT] = { "N", "a whole number" },
	[CLI_REAL] = { "X", "a number" },
	[CLI_PERCENT] = { "PERCENT", "a percentage such as 5 or 5%" },
	[CLI_NS] = { "TIME", "a time such as 60s, 500ms or 20us" },
	[CLI_BYTES] = { "SIZE", "a size such as 4096, 32K or 1.5G" },
	[CLI_STR] = { "TEXT", NULL },
	[CLI_FILE] = { "FILE", NULL },
	[CLI_WORD] = { "WORD", NULL },
	[CLI_CPUS] = { "LIST", "a list of CPUs such as 0,2-3" },
	[CLI_PIDS] = { "PID,...", "a list of process ids such as 812,977" },
	[CLI_CALL] = { "VALUE", NULL },
};

/* Lines "    thinprobe TOOL ...", from the manual page of the program; NULL in unit tests. */
extern const char cli_examples[] __attribute__((weak));

static const char *value_name(const struct cli_opt *o)
{
	return o->meta ? o->meta : types[o->type].meta;
}

/* The words of a CLI_WORD: "red, green". */
static void list_words(const struct cli_opt *o, char *text, size_t size)
{
	text[0] = '\0';
	for (int i = 0; o->words[i]; i++)
		snprintf(text + strlen(text), size - strlen(text), "%s%s", i ? ", " : "", o->words[i]);
}

static void print_option_help(const struct cli_opt *o)
{
	char left[80], letter[8] = "    ", words[256] = "", help[512];

	if (o->letter)
		snprintf(letter, sizeof(letter), "-%c, ", o->letter);
	snprintf(left, sizeof(left), "  %s--%s%s%s", letter, o->name, takes_value(o) ? " " : "",
		 takes_value(o) ? value_name(o) : "");
	if (o->type == CLI_WORD)
		list_words(o, words, sizeof(words));
	snprintf(help, sizeof(help), "%s%s%s%s%s", o->of ? o->of : "", o->of ? ": " : "", o->help, *words ? ": " : "", words);
	if (strlen(left) >= HELP_COLUMN) {
		printf("%s\n", left);
		left[0] = '\0';
	}
	snprintf(left + strlen(left), sizeof(left) - strlen(left), "%*s", (int)(HELP_COLUMN - strlen(left)), "");
	text_write_wrapped(stdout, left, help, HELP_COLUMN);
}

/* Up to two examples; where the synopsis begins with one command of several, of that command. */
static void print_examples(const char *synopsis)
{
	const char *command = strchr(synopsis, ' '), *end = command ? strchrnul(command + 1, ' ') : NULL;
	size_t common =
		command && islower(command[1]) && !strstr(synopsis, " | ") ? (size_t)(end - synopsis) : strcspn(synopsis, " ");
	int printed = 0;

	if (!cli_examples)
		return;
	for (const char *line = cli_examples; *line && printed < 2; line = strchr(line, '\n') + 1) {
		const char *words = line + strlen("    thinprobe ");

		if (strncmp(words, synopsis, common) || !isspace(words[common]))
			continue;
		printf("%s%.*s\n", printed++ ? "" : "examples:\n", (int)strcspn(line, "\n"), line);
	}
}

static void print_help(const char *synopsis, const char *summary, const struct cli_opt *options)
{
	char line[256];

	text_write_wrapped(stdout, "usage: thinprobe ", synopsis, 7);
	for (size_t n; *summary; summary += n + (summary[n] == '\n')) {
		n = strcspn(summary, "\n");
		snprintf(line, sizeof(line), "%.*s", (int)n, summary);
		text_write_wrapped(stdout, "", line, (int)strspn(line, " "));
	}
	printf("\n");
	for (const struct cli_opt *o = options; o->type != CLI_END; o++)
		if (o->type != CLI_GONE)
			print_option_help(o);
	printf("  -h, --help                    print this\n");
	printf("  -V, --version                 print the version\n");
	printf("times: 60s 500ms 20us 5m; sizes: 32K 1.5G. Manual: thinprobe help %s\n", die_get_tool());
	print_examples(synopsis);
}

/* Help and version are all that the program prints: what cannot be written there is an error. */
static int end_output(void)
{
	if (fflush(stdout) || ferror(stdout))
		die(EXIT_RUN, "cannot write to standard output: %m");
	return EXIT_OK;
}

static int print_version(void)
{
	printf("%s (thinprobe) %s\n", die_get_tool(), THINPROBE_VERSION);
	return end_output();
}

struct unit_factor {
	const char *name;
	double factor;
};

/* Formats a bound of the range as the option takes it: in the largest unit in which it is a whole number. */
static const char *format_bound(char *buf, size_t size, const struct cli_opt *o, double v)
{
	static const struct unit_factor times[] = {
		{ "d", 86400e9 }, { "h", 3600e9 }, { "s", 1e9 }, { "ms", 1e6 }, { "us", 1e3 }, { "ns", 1 }, { NULL, 0 },
	};
	static const struct unit_factor sizes[] = {
		{ "T", 1099511627776.0 }, { "G", 1073741824.0 }, { "M", 1048576.0 }, { "K", 1024.0 }, { NULL, 0 },
	};
	static const struct unit_factor none[] = { { NULL, 0 } };
	const struct unit_factor *u = o->type == CLI_NS ? times : o->type == CLI_BYTES ? sizes : none;

	while (u->name && fabs(v) > 0 && fmod(v, u->factor) > 0)
		u++;
	if (u->name && fabs(v) > 0)
		snprintf(buf, size, "%.15g%s", v / u->factor, u->name);
	else
		snprintf(buf, size, "%.15g", v);
	return buf;
}

static void check_range(const struct cli_opt *o, double v, const char *text)
{
	char low[40], high[40];

	if ((o->min != 0 || o->max != 0) && !(v >= o->min && v <= o->max))
		die_usage("--%s %s is out of range: %s to %s", o->name, text, format_bound(low, sizeof(low), o, o->min),
			  format_bound(high, sizeof(high), o, o->max));
}

static void read_choice(const struct cli_opt *o, const char *text)
{
	char all[256];

	for (int i = 0; o->words[i]; i++)
		if (!strcmp(o->words[i], text)) {
			*(int *)o->value = i;
			return;
		}
	list_words(o, all, sizeof(all));
	die_usage("--%s %s: not one of %s", o->name, text, all);
}

/* Reads a time. A number without a unit means seconds for --time and --seconds; for other options it is refused. */
static int read_time(const struct cli_opt *o, const char *text, int64_t *ns)
{
	bool seconds = !strcmp(o->name, "time") || !strcmp(o->name, "seconds");
	int err = cli_parse_ns(text, ns);
	char number[40];

	if (err == -EDOM && seconds && snprintf(number, sizeof(number), "%ss", text) < (int)sizeof(number))
		err = cli_parse_ns(number, ns);
	if (err == -EDOM)
		die_usage("--%s %s: which unit? %sms or %ss", o->name, text, text, text);
	return err;
}

static void store_value(const struct cli_opt *o, const char *text)
{
	bool is_real = o->type == CLI_REAL || o->type == CLI_PERCENT;
	int64_t whole = 0;
	double real = 0;
	int err = 0;

	switch (o->type) {
	case CLI_FLAG: *(bool *)o->value = true; return;
	case CLI_SET: *(int *)o->value = (int)o->min; return;
	case CLI_STR:
	case CLI_FILE:
		if (!*text)
			die_usage("--%s needs a value", o->name);
		*(const char **)o->value = text;
		return;
	case CLI_WORD: read_choice(o, text); return;
	case CLI_CALL:
		err = o->call(text, o->value);
		if (err == -EDOM)
			die_usage("--%s %s: which unit? write each time with one, as in 20ms or 20s", o->name, text);
		if (err == -ENOTUNIQ)
			die_usage("--%s %s: bits or bytes? write bits a second, as in 10Mbit", o->name, text);
		if (err)
			die_usage("--%s %s: not %s", o->name, text, o->meta ? o->meta : "understood");
		return;
	case CLI_INT: err = cli_parse_int(text, &whole); break;
	case CLI_NS: err = read_time(o, text, &whole); break;
	case CLI_BYTES: err = cli_parse_bytes(text, &whole); break;
	case CLI_REAL: err = cli_parse_real(text, &real); break;
	case CLI_PERCENT: err = cli_parse_percent(text, &real); break;
	case CLI_CPUS: err = cli_parse_cpus(text, o->value); break;
	case CLI_PIDS: err = cli_add_pids(text, o->value); break;
	case CLI_GONE: die_usage("--%s is gone: %s", o->name, o->help);
	case CLI_END: return;
	}
	if (err == -ERANGE)
		die_usage("--%s %s: too large", o->name, text);
	if (err)
		die_usage("--%s %s: not %s", o->name, text, types[o->type].words);
	if (o->type == CLI_CPUS || o->type == CLI_PIDS)
		return;
	check_range(o, is_real ? real : (double)whole, text);
	if (is_real)
		*(double *)o->value = real;
	else
		*(int64_t *)o->value = whole;
}

/* The long option that `word` ("--tme=3s") was probably meant to be, NULL: none is near. */
static const char *find_near_name(const char *word, const struct cli_opt *options)
{
	const char *found = NULL;
	size_t least = NEAREST_FAR, n;

	word += strspn(word, "-");
	n = strcspn(word, "=");
	for (; options->type != CLI_END; options++) {
		size_t distance = nearest_distance(word, n, options->name);

		if (distance < least && options->type != CLI_GONE) {
			least = distance;
			found = options->name;
		}
	}
	return found;
}

/* Explains an error of getopt_long(): optopt is 0 for an unknown long option (`word`), the `val` of an option that takes no
 * value but was given one, else the unknown letter. */
static __attribute__((noreturn)) void die_bad_option(const char *word, const struct option *longs, const struct cli_opt *options)
{
	const char *name = optopt ? NULL : find_near_name(word, options);

	if (!optopt)
		die_usage("unknown or ambiguous option %s%s%s%s", word, name ? "; did you mean --" : "", name ? name : "",
			  name ? "?" : "");
	for (; longs->name; longs++)
		if (longs->val == optopt)
			die_usage("--%s takes no value", longs->name);
	die_usage("unknown option -%c", isgraph(optopt) ? optopt : '?');
}

/* Opens /dev/null as descriptors 0 to 2 if they are closed: a file opened as descriptor 2 would receive error messages.
 * Read-only, so that a report to a closed standard output still fails. */
static void occupy_std_fds(void)
{
	int fd;

	do
		fd = open("/dev/null", O_RDONLY);
	while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd >= 0)
		close(fd);
}

/* Whether `word` is one of a list such as "show, count". */
static bool has_listed_word(const char *list, const char *word)
{
	size_t n = strlen(word);

	for (; list; list = strchr(list, ' '), list = list ? list + 1 : NULL)
		if (!strncmp(list, word, n) && (!list[n] || list[n] == ','))
			return true;
	return false;
}

const struct cli_opt *cli_foreign_option(const char *mode)
{
	for (size_t i = 0; i < OPTIONS_MAX; i++)
		if (given[i] && given[i]->of && !has_listed_word(given[i]->of, mode))
			return given[i];
	return NULL;
}

int cli_parse(int argc, char **argv, const char *synopsis, const char *summary, const struct cli_opt *options)
{
	struct option longs[OPTIONS_MAX + 3] = { 0 };
	char letters[OPTIONS_MAX * 2 + 4] = ":hV";
	size_t n = 0, l = 3;
	int c;

	occupy_std_fds();
	unsetenv("POSIXLY_CORRECT"); /* with it, getopt would stop at the first operand */
	die_set_tool(synopsis);
	for (; options[n].type != CLI_END && n < OPTIONS_MAX; n++) {
		const struct cli_opt *o = &options[n];
		int wants = o->type == CLI_GONE ? optional_argument : takes_value(o) ? required_argument : no_argument;

		longs[n] = (struct option){ o->name, wants, NULL, FIRST_LONG + (int)n };
		if (o->letter) {
			letters[l++] = o->letter;
			if (wants == required_argument)
				letters[l++] = ':';
		}
	}
	letters[l] = '\0';
	longs[n] = (struct option){ "help", no_argument, NULL, 'h' };
	longs[n + 1] = (struct option){ "version", no_argument, NULL, 'V' };
	opterr = 0;
	while ((c = getopt_long(argc, argv, letters, longs, NULL)) != -1) {
		const struct cli_opt *o = NULL;

		if (c == 'h') {
			print_help(synopsis, summary, options);
			exit(end_output());
		}
		if (c == 'V')
			exit(print_version());
		if (c == '?')
			die_bad_option(argv[optind - 1], longs, options);
		if (c == ':')
			die_usage("%s needs a value", argv[optind - 1]);
		for (size_t i = 0; i < n; i++)
			if (c == FIRST_LONG + (int)i || (options[i].letter && c == options[i].letter))
				o = given[i] = &options[i];
		if (o)
			store_value(o, optarg);
	}
	return optind;
}

int cli_run_command(int argc, char **argv, const char *tool, const char *summary, const struct cli_command *commands)
{
	const char *word = argc > 1 ? argv[1] : "";

	die_set_tool(tool);
	for (const struct cli_command *c = commands; c->word; c++)
		if (!strcmp(word, c->word)) {
			if (!c->run)
				die_usage("%s is gone: %s", word, c->help);
			return c->run(argc - 1, argv + 1);
		}
	if (!strcmp(word, "--version") || !strcmp(word, "-V"))
		return print_version();
	if (argc < 2)
		die_usage("which command?");
	if (strcmp(word, "--help") != 0 && strcmp(word, "-h") != 0)
		die_usage("no command %s", word);
	printf("usage: thinprobe %s COMMAND [options]\n%s\n\n", tool, summary);
	for (const struct cli_command *c = commands; c->word; c++)
		if (c->run)
			printf("  %-11s %-*s%s\n", c->word, *c->operands ? 17 : 0, c->operands, c->help);
	printf("\n  -h, --help                   print this and exit (COMMAND --help: its options)\n"
	       "  -V, --version                print the version and exit\n\nManual: thinprobe help %s\n",
	       tool);
	print_examples(tool);
	return end_output();
}

void cli_refuse_operands(int argc, char **argv, int from)
{
	if (from < argc)
		die_usage("unexpected word %s", argv[from]);
}

FILE *cli_open_input(const char *file)
{
	FILE *in = strcmp(file, "-") ? fopen(file, "re") : stdin;

	if (!in)
		die(EXIT_RUN, "cannot read %s: %m", file);
	return in;
}

void cli_close_input(FILE *in, const char *file, int err, unsigned long line, const char *why)
{
	if (in != stdin)
		fclose(in);
	if (err == -EPROTO && line)
		die(EXIT_RUN, "%s, line %lu: %s", file, line, why);
	if (err == -EPROTO)
		die(EXIT_RUN, "%s: %s", file, why);
	if (err)
		die(EXIT_RUN, "cannot read %s: %s", file, strerror(-err));
}
