/* SPDX-License-Identifier: GPL-3.0-or-later */
/* die - exit statuses; error messages. */
#pragma once

enum exit_status {
	EXIT_OK = 0,	       /* measured */
	EXIT_RUN = 1,	       /* could not measure; the reason and the cure are on standard error */
	EXIT_USAGE = 2,	       /* wrong usage */
	EXIT_LOSSY = 3,	       /* measured, but data was lost; the report counts it */
	EXIT_MISSING = 4,      /* a program or right is missing, see `thinprobe doctor` */
	EXIT_WORSE = 5,	       /* measured, and worse than a limit, or than what it was compared with */
	EXIT_INTERRUPTED = 130 /* ended by a signal, with a valid report */
};

/* The name of the tool in messages: the first word of `name`; "thinprobe" before it is set. */
void die_set_tool(const char *name);
const char *die_get_tool(void);

/* Prints the line "tool: message" to standard error, and exits (die). %m works as in printf. */
void die(int status, const char *format, ...) __attribute__((noreturn, format(printf, 2, 3)));
void warn(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Prints "tool: message (see thinprobe tool --help)" and exits with EXIT_USAGE. */
void die_usage(const char *format, ...) __attribute__((noreturn, format(printf, 1, 2)));
