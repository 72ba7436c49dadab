/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cli - command line options as tables with units and ranges.
 *
 * The table drives the parser, the range checks and --help; a test compares it with the man page. */
#pragma once

#include "die.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

enum cli_type {
	CLI_END,
	CLI_FLAG,    /* bool *: set when given */
	CLI_SET,     /* int *: set to `min` when given; takes no value */
	CLI_INT,     /* int64_t * */
	CLI_REAL,    /* double * */
	CLI_PERCENT, /* double *, percent: 5, or 5% */
	CLI_NS,	   /* int64_t *, nanoseconds: 60s 500ms 20us 5m; only --time and --seconds take a number without unit, of seconds */
	CLI_BYTES, /* int64_t *, bytes: 32K 1.5G 100; K, M, G are powers of 1024 */
	CLI_STR,   /* const char **, points into argv */
	CLI_FILE,  /* as CLI_STR, a path: FILE in --help */
	CLI_WORD,  /* int *, the index in `words` */
	CLI_CPUS,  /* struct cli_cpus *, a list as in 0,2-4 */
	CLI_PIDS,  /* struct cli_pids *, a list as in 812,977; given again, it is continued */
	CLI_GONE,  /* an option of before: an error that says `help`, what to do instead */
	CLI_CALL   /* `call` reads the text: 0, -EDOM (a time without a unit), -ENOTUNIQ (a rate with an ambiguous unit), or
			 * another negative number: "--name TEXT: not META" is printed */
};

#define CLI_CPUS_MAX 1024
struct cli_cpus {
	int n;
	int cpu[CLI_CPUS_MAX]; /* ascending, each once */
};

struct cli_pids {
	pid_t *pid; /* in the order given; never freed */
	size_t n;
};

struct cli_opt { /* a row names its members from `of` on, and leaves out those that are 0 */
	enum cli_type type;
	char letter; /* 0: long form only */
	const char *name;
	void *value;
	double min, max;	  /* inclusive range, in the unit of *value; both 0: not checked */
	const char *of;		  /* the commands or kinds that have this option, "show, count"; NULL: all. In front of the help */
	const char *help;	  /* "what it does (default)" */
	const char *const *words; /* CLI_WORD: NULL-terminated */
	int (*call)(const char *text, void *value);
	const char *meta; /* name of the value in --help; NULL: default of the type */
};

/* Parses options anywhere on the line, moves the operands (in order) to the end of argv and returns the index of the first.
 * `synopsis` begins with the name of the tool. -h, --help, -V and --version are built in and exit 0; an error ends the
 * program with EXIT_USAGE after one line that names the wrong word and the cure. */
int cli_parse(int argc, char **argv, const char *synopsis, const char *summary, const struct cli_opt *options);

/* A command of a program that has several, each with options of its own. */
struct cli_command {
	const char *word, *operands, *help;
	int (*run)(int argc, char **argv); /* argv[0]: the word; exit status. NULL: gone; `help` says what to do instead */
};
/* Runs the command that the first word names, with exit status EXIT_USAGE if it is none of `commands` (ended by a row without
 * word); or prints --help or --version. */
int cli_run_command(int argc, char **argv, const char *tool, const char *summary, const struct cli_command *commands);

/* Ends the program with EXIT_USAGE if there is an operand argv[from]. */
void cli_refuse_operands(int argc, char **argv, int from);

/* The first option given that the command or kind `mode` has not; NULL: none. */
const struct cli_opt *cli_foreign_option(const char *mode);

/* Opens an input file, or standard input for "-". Ends the program if it cannot be opened. */
FILE *cli_open_input(const char *file);
/* Closes the file. With an `err` below 0 ends the program with a message: for -EPROTO the reason `why` and the line number
 * (0: none), else that of the errno. */
void cli_close_input(FILE *in, const char *file, int err, unsigned long line, const char *why);

/* Parsers of a whole text: 0, or -EINVAL (no such value, or text after it), or -ERANGE. */
int cli_parse_int(const char *text, int64_t *out);
int cli_parse_real(const char *text, double *out);
int cli_parse_percent(const char *text, double *out); /* 5 and 5% alike */
int cli_parse_ns(const char *text, int64_t *out);     /* -EDOM: a number other than 0 without a unit */
int cli_parse_bytes(const char *text, int64_t *out);
int cli_parse_rate(const char *text, int64_t *out); /* bits per second: 10Mbit, 2.5Gbit/s, 64kbit, 1000bit, in upper or lower
							 * case; -ENOTUNIQ for ambiguous units: 10M, 10Mbps, 10MB/s */
int cli_parse_cpus(const char *text, struct cli_cpus *out);
int cli_add_pids(const char *text, struct cli_pids *out); /* adds to the list */
/* Writes the list as text, "0,2-4". CPUs that do not fit are left out. */
void cli_format_cpus(const struct cli_cpus *cpus, char *text, size_t size);
