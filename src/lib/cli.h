/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cli - options as tables with units and ranges, exit statuses, and errors in one line.
 *
 * The table serves the parser, the range checks and --help; a test holds it against the man page. */
#ifndef THINPROBE_CLI_H
#define THINPROBE_CLI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum exit_status {
	EXIT_OK = 0,		/* measured */
	EXIT_RUN = 1,		/* could not measure: why and what to do on standard error */
	EXIT_USAGE = 2,		/* wrong usage */
	EXIT_LOSSY = 3,		/* measured, but some was lost; the report counts it */
	EXIT_MISSING = 4,	/* something is missing that `thinprobe doctor` explains */
	EXIT_INTERRUPTED = 130	/* ended by a signal, with a valid report */
};

enum cli_type {
	CLI_END,
	CLI_FLAG,	/* bool *: set when given */
	CLI_SET,	/* int *: becomes `min` when given; takes no value either */
	CLI_INT,	/* int64_t * */
	CLI_REAL,	/* double * */
	CLI_PERCENT,	/* double *, percent: 5, or 5% */
	CLI_NS,		/* int64_t *, nanoseconds: 60s 500ms 20us 5m; --time and --seconds alone take a bare number, of seconds */
	CLI_BYTES,	/* int64_t *, bytes: 32K 1.5G 100; K, M, G are powers of 1024 */
	CLI_STR,	/* const char **, points into argv */
	CLI_WORD,	/* int *, the index in `words` */
	CLI_CPUS,	/* struct cli_cpus *, a list as in 0,2-4 */
	CLI_CALL,	/* `call` reads the text itself: 0, -EDOM (a time without a unit), -ENOTUNIQ (a rate whose unit
			 * has two meanings), or another number below 0, and then --help's word for the value is in the complaint */
	CLI_FORMER	/* CLI_FORMER_NAME: understood, but not in --help */
};

#define CLI_CPUS_MAX 1024
struct cli_cpus {
	int n;
	int cpu[CLI_CPUS_MAX];	/* ascending, each once */
};

struct cli_opt {
	enum cli_type type;
	char letter;		/* 0: long form only */
	const char *name;
	void *value;
	double min, max;	/* inclusive, in the unit of *value; both 0: unchecked */
	const char *help;	/* "what it does (default)" */
	const char *const *words;	/* CLI_WORD: NULL-terminated */
	int (*call)(const char *text, void *value);
	const char *meta;	/* what the value is called in --help; NULL: from the type */
};

/* A name (and a letter, or 0) that the option `now` of the same table had in an earlier release; where it lost only its letter,
 * both names are the same. The manual page lists it under FORMER NAMES. */
#define CLI_FORMER_NAME(letter, name, now) { CLI_FORMER, letter, name, NULL, 0, 0, now, NULL, NULL, NULL }

/* Reads options anywhere on the line, leaves the operands (in order) at the end of argv and returns the
 * index of the first. `synopsis` begins with the tool's name. -h, --help, -V and --version are built in and exit 0;
 * a wrong word ends the program with EXIT_USAGE after one line that names it and the cure. */
int cli_parse(int argc, char **argv, const char *synopsis, const char *summary, const struct cli_opt *options);

/* The name of an option that was given and whose help begins so ("send: "); NULL: there is none.
 * For tools of several modes: what --help says to be of one is refused in another, and not left out
 * in silence. */
const char *cli_given(const char *prefix);

/* The tool's name as the synopsis gave it; "thinprobe" before cli_parse. */
const char *cli_tool(void);

/* One line "tool: message" on standard error, then exit. A trailing ": %m" works as in printf. */
void die(int status, const char *format, ...) __attribute__((noreturn, format(printf, 2, 3)));
void warn(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* "tool: message (see thinprobe tool --help)" and EXIT_USAGE. */
void die_usage(const char *format, ...) __attribute__((noreturn, format(printf, 1, 2)));

/* The operand that is read: FILE, or standard input for "-". Ends the program where it cannot be opened. */
FILE *cli_open(const char *file);
/* Closes it again; where `err` is one, ends the program: -EPROTO is `why`, in that line (0: of no
 * line), others are the system's. */
void cli_close(FILE *in, const char *file, int err, unsigned long line, const char *why);

/* Whole-text parsers: 0, or -EINVAL (not such a value, or something after it), or -ERANGE. */
int cli_read_int(const char *text, int64_t *out);
int cli_read_real(const char *text, double *out);
int cli_read_percent(const char *text, double *out);	/* 5 and 5% alike */
int cli_read_ns(const char *text, int64_t *out);	/* -EDOM: a number other than 0 without a unit */
int cli_read_bytes(const char *text, int64_t *out);
int cli_read_bits(const char *text, int64_t *out);	/* a rate in bits per second: 10Mbit, 2.5Gbit/s, 64kbit,
						 * 1000bit, in either case; -ENOTUNIQ: 10M, 10Mbps, 10MB/s */
int cli_read_cpus(const char *text, struct cli_cpus *out);
/* The same way back, with runs of neighbours as ranges: "0,2-4". What does not fit is left out. */
void cli_write_cpus(const struct cli_cpus *cpus, char *text, size_t size);

#endif
