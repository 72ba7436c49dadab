// SPDX-License-Identifier: GPL-3.0-or-later
#include "die.h"
#include "text.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char tool_name[32] = "thinprobe";

void die_set_tool(const char *name)
{
	snprintf(tool_name, sizeof(tool_name), "%.*s", (int)strcspn(name, " "), name);
}

const char *die_get_tool(void)
{
	return tool_name;
}

/* Prints one line without control characters, in one write, so that lines of several processes do not mix. Needs no memory. */
static __attribute__((format(printf, 1, 0))) void print_message(const char *format, va_list args, const char *after)
{
	int saved = errno; /* %m must show the errno of the caller */
	char line[1024], message[800];

	fflush(stdout);
	errno = saved;
	vsnprintf(message, sizeof(message), format, args);
	text_make_printable(message);
	snprintf(line, sizeof(line), "%s: %s%s\n", tool_name, message, after);
	fputs(line, stderr);
}

void die(int status, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	print_message(format, args, "");
	va_end(args);
	exit(status);
}

void warn(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	print_message(format, args, "");
	va_end(args);
}

void die_usage(const char *format, ...)
{
	char hint[80];
	va_list args;

	snprintf(hint, sizeof(hint), " (see thinprobe %s --help)", tool_name);
	va_start(args, format);
	print_message(format, args, hint);
	va_end(args);
	exit(EXIT_USAGE);
}
