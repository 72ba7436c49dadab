// SPDX-License-Identifier: GPL-3.0-or-later
#include "progress.h"
#include "clock.h"
#include "text.h"

#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

void progress_start(struct progress_line *p, bool quiet)
{
	*p = (struct progress_line){ .on = !quiet && isatty(STDERR_FILENO), .next_ns = clock_now() + NS_PER_S };
}

int64_t progress_wake_ns(const struct progress_line *p, int64_t until_ns)
{
	return p->on && p->next_ns < until_ns ? p->next_ns : until_ns;
}

bool progress_take_due(struct progress_line *p, int64_t now_ns)
{
	if (!p->on || now_ns < p->next_ns)
		return false;
	p->next_ns = now_ns + NS_PER_S;
	return true;
}

void progress_show(struct progress_line *p, const char *format, ...)
{
	char line[4 * TEXT_WIDTH];
	int columns = 0, most = text_line_width(stderr) - 1;
	va_list args;
	char *end;

	if (!p->on)
		return;
	va_start(args, format);
	vsnprintf(line, sizeof(line), format, args);
	va_end(args);
	for (end = line; *end && (columns < most || (*end & 0xc0) == 0x80); end++)
		columns += (*end & 0xc0) != 0x80;
	fprintf(stderr, "\r%.*s\033[K", (int)(end - line), line);
	p->shown = true;
}

void progress_end(struct progress_line *p)
{
	if (p->shown)
		fputs("\r\033[K", stderr);
	p->on = p->shown = false;
}
